"""Pairs the calls that gdb saw with the calls that callsig recorded, argument by argument.

Both know the calls of a function as a collection of tuples of arguments, in which any argument may be lost. A call that gdb
saw and one that callsig recorded agree when no argument has two different values. The collections are equal when all calls
can be paired so that each pair agrees: that is a bipartite matching, found here with augmenting paths. Calls that cannot be
paired are mismatches.
"""

import re
from collections import Counter, defaultdict

EQUAL, TYPE_ONLY, BOTH_LOST, ONLY_GDB, ONLY_CALLSIG, DIFFERENT = ("equal", "type only", "both lost", "only gdb", "only callsig", "different")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "'": "'", '"': '"', "e": "\x1b"}


def character(text):
    """The code of a character literal as callsig prints it, 'a' or '\\n' or '\\x1b'; None when `text` is none."""
    match = re.fullmatch(r"'(.*)'", text, re.DOTALL)
    if not match:
        return None
    inner = match[1]
    if inner.startswith("\\x"):
        return int(inner[2:], 16)
    if inner.startswith("\\") and len(inner) == 2:
        return ord(ESCAPES.get(inner[1], inner[1]))
    return ord(inner) if len(inner) == 1 else None


def same(kind, seen, printed):
    """True when gdb's value `seen`, of this kind, is what callsig printed."""
    if kind == "integer":
        code = character(printed)
        if code is not None:
            return int(seen) in (code, code - 256)
        return printed == seen
    if kind == "bool":
        return printed in (seen, {"true": "1", "false": "0"}[seen])
    if kind == "enum":
        number, name = seen.split(" ", 1)
        names = sorted(name.strip("()").replace(" ", "").split("|"))
        return printed == number or sorted(printed.replace(" ", "").split("|")) == names or printed == str(int(number))
    if kind == "function":
        return printed.split("(")[0] == seen.split("(")[0] or seen.startswith(printed + " ")
    if kind == "pointer":
        return (printed == "NULL") == (seen == "NULL")
    return True


def outcome(seen, argument):
    """How an argument that gdb described as [kind, value] compares with callsig's {state, value}."""
    kind, value = seen
    lost = argument is None or argument["state"] in ("lost", "unreadable")
    if kind == "lost":
        return BOTH_LOST if lost else ONLY_CALLSIG
    if kind == "other":
        return TYPE_ONLY
    if lost:
        return ONLY_GDB
    if argument["state"] != "read" or argument["value"] is None and kind != "pointer":
        return TYPE_ONLY
    printed = "" if argument["value"] is None else str(argument["value"])
    return EQUAL if same(kind, value, printed) else DIFFERENT


def compare(record, row):
    """Counter of outcomes of one pair."""
    arguments = {argument["name"]: argument for argument in row["args"]}
    return Counter(outcome(value, arguments.get(name)) for name, value in record["args"])


def pair(records, rows):
    """Pairs gdb's `records` with callsig's `rows` (each standing for `ncalls` calls) of one function.

    Returns (Counter of outcomes over all pairs, records that no call is left for, rows with calls left over).
    """
    kinds = defaultdict(list)  # equal records, so that the work is by distinct ones
    for record in records:
        kinds[repr(record["args"])].append(record)
    distinct = [group[0] for group in kinds.values()]
    compared = [[compare(record, row) for row in rows] for record in distinct]
    room = [row["ncalls"] for row in rows]
    taken = [Counter() for _ in rows]  # by row: how many calls of each distinct record

    def place(i, seen):
        best = sorted((j for j in range(len(rows)) if not compared[i][j][DIFFERENT]),
                      key=lambda j: compared[i][j][ONLY_GDB] + compared[i][j][ONLY_CALLSIG])
        for j in best:
            if room[j]:
                room[j] -= 1
                taken[j][i] += 1
                return True
        for j in best:
            if j in seen:
                continue
            seen.add(j)
            for other in list(taken[j]):
                if taken[j][other] and other != i and place(other, seen):
                    taken[j][other] -= 1
                    taken[j][i] += 1
                    return True
        return False

    unpaired = []
    for i, group in enumerate(kinds.values()):
        unpaired += [record for record in group if not place(i, set())]
    outcomes = Counter()
    for j, counts in enumerate(taken):
        for i, times in counts.items():
            for name, count in compared[i][j].items():
                outcomes[name] += count * times
    return outcomes, unpaired, [row for row, left in zip(rows, room) if left]
