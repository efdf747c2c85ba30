"""Pairs the calls that gdb saw with the calls that callsig recorded, argument by argument.

Both know the calls of a function as a collection of tuples of arguments, in which any argument may be lost. A call that gdb
saw and one that callsig recorded agree when no argument has two different values. The collections are equal when all calls
can be paired so that each pair agrees: that is a bipartite matching, found here with augmenting paths. Calls that cannot be
paired are mismatches.
"""

import re
from collections import Counter, defaultdict

EQUAL, TYPE_ONLY, BOTH_LOST, ONLY_GDB, ONLY_CALLSIG, DIFFERENT = ("equal", "type only", "both lost", "only gdb", "only callsig", "different")


def function_name(name):
    """A function's name as both tools can know it: gdb gives a clone the suffix of its symbol, and of the two names that functions
    written in assembler have, with and without an underscore, each tool chooses one."""
    return re.split(r"[(]|\.(?:constprop|isra|part|cold|lto_priv)", name)[0].lstrip("_")


def same(kind, seen, value):
    """True when gdb's value `seen`, of this kind, is callsig's `value`, as JSON gives it."""
    if kind in ("pointer", "function") and (value is None or seen == "NULL"):
        return value is None and seen == "NULL"
    if kind == "pointer":
        return True
    if kind == "function":
        return isinstance(value, str) and function_name(value) == function_name(seen)
    if kind == "bool":
        return value is (seen == "true")
    if kind == "enum":
        number, name = seen.split(" ", 1)
        if isinstance(value, int):
            return str(value) == number
        if not isinstance(value, str):  # an overload's argument of the same name and another type
            return False
        # gdb qualifies the names of C++.
        names = [part.strip().rsplit("::", 1)[-1] for part in name.removeprefix("(").removesuffix(")").split("|")]
        return sorted(value.replace(" ", "").split("|")) == sorted(names)
    if isinstance(value, str):  # a char: the character itself
        return len(value) == 1 and int(seen) in (ord(value), ord(value) - 256)
    return not isinstance(value, bool) and str(value) == seen


def outcome(name, seen, argument):
    """How an argument that gdb described as [kind, value] compares with callsig's {state, value}."""
    kind, value = seen
    lost = argument is None or argument["state"] in ("lost", "unreadable")
    if kind == "lost":
        return BOTH_LOST if lost else ONLY_CALLSIG
    if kind in ("frame", "made", "other"):
        return TYPE_ONLY
    if lost:
        return ONLY_GDB
    if argument["state"] != "read" or name == "this":
        return TYPE_ONLY
    return EQUAL if same(kind, value, argument["value"]) else DIFFERENT


def numbered(names):
    """Each name with how often it has come before: clang gives all parameters of a pack the pack's name."""
    before = Counter()
    for name in names:
        yield name, before[name]
        before[name] += 1


def compare(record, row):
    """Counter of outcomes of one pair."""
    arguments = dict(zip(numbered(argument["name"] for argument in row["args"]), row["args"]))
    names = numbered(name for name, _ in record["args"])
    return Counter(outcome(key[0], value, arguments.get(key)) for key, (_, value) in zip(names, record["args"]))


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
