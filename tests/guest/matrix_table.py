"""The table of the matrix in docs/guest-manners.md: written from what was seen, and read again to be held against it."""

import os
import re

from matrix import shown
from matrix_rows import BUILDS, CELLS, VERDICTS, WAYS
from recording import TOP

PAGE = os.path.join(TOP, "docs", "guest-manners.md")
BEGIN, END = "<!-- written by tests/guest/run_matrix.py --write -->\n", "<!-- end of what run_matrix.py writes -->\n"
ABSENT = "–"
ROW = re.compile(r"^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|(.*)\|$", re.MULTILINE)


class Missing(Exception):
    """The page has no place for the table."""


def text_of(verdicts):
    """The builds of one way: one word, where all that there are agree."""
    there = {verdict for verdict in verdicts if verdict}
    if not there:
        return ABSENT
    if len(there) == 1 and None not in verdicts:
        return there.pop()
    return ", ".join(f"{build} {verdict or ABSENT}" for build, verdict in zip(BUILDS, verdicts))


def verdicts_of(text):
    """The opposite."""
    if ABSENT == text:
        return [None] * len(BUILDS)
    if " " not in text:
        return [text] * len(BUILDS)
    found = [word.split()[1] for word in text.split(", ")]
    return [None if word == ABSENT else word for word in found]


def line_of(row, results):
    cells = []
    for way in WAYS:
        verdicts = [None if (way, build) in row.absent else shown(row, (way, build), results[way, build][0]) for build in BUILDS]
        cells.append(text_of(verdicts))
    what = ". ".join([row.title, *(reason[0].upper() + reason[1:] for reason in row.reasons)]).replace("|", "\\|")
    return f"| `{row.name}` | {what} | {' | '.join(cells)} |"


def table(rows, results):
    """The whole part of the page."""
    counts = dict.fromkeys(VERDICTS, 0)
    kinds, absent = {}, 0
    for row in rows:
        kinds.setdefault(row.kind, []).append(line_of(row, results[row.name]))
        absent += len(row.absent)
        for cell in row.cells():
            counts[shown(row, cell, results[row.name][cell][0])] += 1
    lines = [f"{len(rows)} hazards, {len(CELLS)} builds of each: {counts['exact']} exact, {counts['counted']} counted, "
             f"{counts['refused']} refused, {counts['falls']} fall; {absent} cannot be built.", ""]
    for kind, found in sorted(kinds.items()):
        lines += [f"### Hazards: {kind.replace('_', ' ')}", "", "| hazard | what it does | preloaded | linked | static |",
                  "|---|---|---|---|---|", *found, ""]
    return "\n".join(lines[:-1]) + "\n"


def parts():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    before, begin, rest = text.partition(BEGIN)
    inner, end, after = rest.partition(END)
    if not begin or not end:
        raise Missing(f"{PAGE} has no lines {BEGIN.strip()} and {END.strip()}")
    return before, inner, after


def known(rows):
    """What the page says of the rows that it has: name -> cell -> (verdict, nothing more)."""
    said = {name: cells for name, *cells in ROW.findall(parts()[1])}
    found = {}
    for row in rows:
        if row.name in said:
            verdicts = sum((verdicts_of(text.strip()) for text in said[row.name][1:]), [])
            found[row.name] = {cell: (verdict, "") for cell, verdict in zip(CELLS, verdicts) if verdict}
    return found


def write(rows, results):
    before, _inner, after = parts()
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + table(rows, results) + END + after)


def stale(rows, results):
    """What the page says and the run does not, line by line: of the rows and the cells that were run."""
    there = known(rows)
    names = [row.name for row in rows]
    said = [name for name, *_cells in ROW.findall(parts()[1])]
    found = [f"{name}: the page has no such row" for name in names if name not in said]
    found += [f"{name}: there is no such hazard" for name in said if name not in names]
    for row in rows:
        if row.name not in said:
            continue
        for cell in CELLS:
            seen = None if cell in row.absent else row.expected[cell]
            if cell in results.get(row.name, {}):
                seen = shown(row, cell, results[row.name][cell][0])
            page = there[row.name].get(cell, (None, ""))[0]
            if page != seen:
                found.append(f"{row.name}: {' '.join(cell)} is {seen}, the page has {page}")
    return found
