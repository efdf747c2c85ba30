"""The rows of the matrix: the hazards, and the guests of run_guest.py, each with what its own head says of it.

A hazard's first comment is what its row says; it has no test of its own. What it needs beyond the ordinary stands below that, in lines
that begin with "hazard:"; a guest may have them too:

    /* hazard: flags -fno-builtin */                          of the compiler and the linker
    /* hazard: run WORD... */                                 one run a line; "@alpha" is the plugin of that name, "@scratch" a file,
                                                           "@library" this file as a library, with LIBRARY defined
    /* hazard: not static: there is no dlopen() */            cells that cannot be built, and why
    /* hazard: expect counted */                              at worst; without such a line: exact
    /* hazard: expect linked before falls: it is killed */    in these cells, and why
    /* hazard: needs root */                                  is not run by anybody else

A cell is named by its way (preloaded, linked, static), its build (after, before, clang) or both.
"""

import glob
import os
import re
import zlib

import run_guest
from recording import HERE

WAYS = ("preloaded", "linked", "static")
BUILDS = ("after", "before", "clang")  # gcc's hooks after inlining and before it, clang's sleds
CELLS = [(way, build) for way in WAYS for build in BUILDS]
VERDICTS = ("exact", "counted", "refused", "falls")
SAMPLED = 4  # one of so many hazards is in the sample
HAZARDS = os.path.join(HERE, "hazards")
LINE = re.compile(r"^(?:/\*| \*|//) hazard: (.*?)(?: *\*/)?$", re.MULTILINE)
# The first sentence of the comment at the top, on however many lines.
FIRST = re.compile(r"\A(?:/\*+|//)[\s*]*(.*?)(?:\.(?=\s)|\*/|\n(?! \*|//)|\n(?: \*|//) hazard:)", re.DOTALL)


class Malformed(Exception):
    """A head that cannot be read."""


class Row:
    """One hazard."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.kind = os.path.basename(os.path.dirname(path))
        self.cxx = path.endswith(".cpp")
        self.flags, self.runs, self.plugins, self.needs = [], [], [], []
        self.absent = {}  # cell -> why it cannot be built
        self.expected = {cell: "exact" for cell in CELLS}
        self.reasons = []
        self.check = None
        self.counts_itself = False  # on stdout, as guests do, and not in a file
        with open(path, encoding="utf-8") as file:
            self.read_head(file.read())

    def read_head(self, text):
        self.title = " ".join(re.sub(r"\n(?: \*|//)", " ", FIRST.match(text).group(1)).split()).rstrip(".")
        for line in LINE.findall(text):
            word, _, rest = line.partition(" ")
            if word in ("flags", "needs"):
                getattr(self, word).extend(rest.split())
            elif word == "run":
                self.runs.append(rest.split())
            elif word in ("not", "expect"):
                self.read_cells(word, rest)
            else:
                raise Malformed(f"{self.path}: 'hazard: {word}' is none of flags, needs, run, not, expect")
        self.runs = self.runs or [[]]
        self.plugins = sorted({word[1:] for run in self.runs for word in run if word[0] == "@"} - {"scratch", "library"})

    def read_cells(self, word, rest):
        where, _, reason = rest.partition(": ")
        words = where.split()
        verdict = words.pop() if word == "expect" else None
        if word == "expect" and verdict not in VERDICTS or set(words) - set(WAYS) - set(BUILDS):
            raise Malformed(f"{self.path}: 'hazard: {word} {rest}' names no such cell or verdict")
        if not reason and verdict != "counted":
            raise Malformed(f"{self.path}: 'hazard: {word} {rest}' does not say why")
        ways, builds = [one for one in words if one in WAYS], [one for one in words if one in BUILDS]
        for way, build in CELLS:
            if way in (ways or WAYS) and build in (builds or BUILDS):
                if word == "not":
                    self.absent[way, build] = reason
                else:
                    self.expected[way, build] = verdict
        if reason:
            self.reasons.append(f"{', '.join(words) or 'everywhere'}: {reason}" if word == "not" else
                                f"{' '.join([*words, verdict])}: {reason}")

    def cells(self):
        return [cell for cell in CELLS if cell not in self.absent]

    def sampled(self):
        """Its cell in the sample, or None. By its name alone, so that a new hazard moves no other."""
        number = zlib.crc32(self.name.encode())
        cells = self.cells()
        return cells[number // SAMPLED % len(cells)] if number % SAMPLED == 0 and cells else None


def guest_row(name):
    """A guest of run_guest.py as a row."""
    one = run_guest.CASES[name]
    row = Row(glob.glob(os.path.join(glob.escape(HERE), "*", one.source))[0])
    row.name, row.flags, row.counts_itself = name.removesuffix("_full"), list(one.flags), True
    row.runs, row.plugins, row.check = [list(run) for run in one.runs], list(one.plugins), one.check
    if isinstance(one.sleds, str):
        row.absent.update({(way, build): one.sleds for way in WAYS for build in ("after", "clang")})
        row.reasons.append(f"after, clang: {one.sleds}")
    if row.plugins and not any(way == "static" for way, _ in row.absent):
        raise Malformed(f"{row.path}: a guest with plugins says 'hazard: not static'")
    return row


def read_rows():
    rows = [Row(path) for path in sorted(glob.glob(os.path.join(glob.escape(HAZARDS), "*", "*.c*")))]
    # Guests that take long are built in one way alone, and have no row, but for those that the full list builds in all.
    # What is only run longer, or built in more ways, is the same row.
    shorter = {name for name, one in run_guest.CASES.items() if one.builds is run_guest.ONE}
    rows += [guest_row(name) for name, one in run_guest.CASES.items()
             if one.builds is not run_guest.ONE and (not name.endswith("_full") or name.removesuffix("_full") in shorter)]
    names = [row.name for row in rows]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise Malformed(f"two hazards are called {', '.join(sorted(twice))}")
    return sorted(rows, key=lambda row: (row.kind, row.name))
