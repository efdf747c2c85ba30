#!/usr/bin/env python3
# ctest: arguments $<TARGET_FILE:print_calls>
"""CPython's cProfile and pstats as the reference of libcallsig-stats.

Sequences of calls, with an integer clock, run twice: as Python functions under cProfile with that clock injected, and as a
recording that print_calls makes of the same events. Both are printed in many ways and compared byte for byte.

    test_pstats.py PRINT_CALLS [SEED...]
"""

import cProfile
import io
import os
import pstats
import random
import re
import subprocess
import sys
import tempfile
import types

SORTS = ["stdname", "calls,stdname", "cumulative,stdname", "tottime,stdname", "pcalls,nfl", "name,file,line", "cumt", "ti,na"]

clock = [0]


def template(calls):
    """What every profiled function does: [(ticks before, function, calls of it), ...], then the ticks at its end."""
    for ticks, function, inner in calls:
        clock[0] += ticks
        if function is not None:
            function(inner)


class Functions:
    """Python functions that look like C functions: file, line and name (with the signature, when by signature)."""

    def __init__(self, known, by_signature):
        self.known, self.by_signature, self.made = known, by_signature, {}

    def get(self, number, argument):
        file, line, name = self.known[number]
        if self.by_signature:
            name = f"{name}(n={argument})"
        if (number, name) not in self.made:
            code = template.__code__.replace(co_filename=file, co_firstlineno=line, co_name=name, co_qualname=name)
            self.made[number, name] = types.FunctionType(code, globals())
        return self.made[number, name]

    def bind(self, calls):
        return [
            (ticks, None, None) if call is None else (ticks, self.get(call[0], call[1]), self.bind(call[2]))
            for ticks, call in calls
        ]


def write_sequence(path, hz, known, calls):
    lines, now = [f"hz {hz}"], 0
    lines += [f"f {i} {file} {line} {name}" for i, (file, line, name) in enumerate(known)]

    def walk(inner):
        nonlocal now
        for ticks, call in inner:
            now += ticks
            if call is not None:
                lines.append(f"e {call[0]} {call[1]} {now}")
                walk(call[2])
                lines.append(f"x {now}")

    walk(calls)
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def profile(hz, functions, calls):
    bound = functions.bind(calls)
    clock[0] = 0
    profiler = cProfile.Profile(lambda: clock[0], 1.0 / hz, builtins=False)
    profiler.enable()
    for ticks, function, inner in bound:
        clock[0] += ticks
        if function is not None:
            function(inner)
    profiler.disable()
    profiler.create_stats()
    profiler.stats = {key: value for key, value in profiler.stats.items() if key[0] != __file__}
    return profiler


class Made:
    """What pstats.Stats() accepts: profiled numbers, in an order of names so that equal rows have one."""

    def __init__(self, stats):
        self.stats = dict(sorted(stats.items()))

    def create_stats(self):
        pass


def print_reference(numbers, sort, strip, reverse, table, restrictions):
    out = io.StringIO()
    stats = pstats.Stats(Made(numbers), stream=out)
    if strip:
        stats.strip_dirs()
    stats.sort_stats(*[key for key in sort.split(",")])
    if reverse:
        stats.reverse_order()
    getattr(stats, f"print_{table}")(*restrictions)
    return out.getvalue()


def fact(n):
    return (0, n, [(3, fact(n - 1) if n > 1 else None), (2, None)])


def fib(n):
    inner = [(1, None)] if n < 2 else [(1, fib(n - 1)), (2, fib(n - 2)), (1, None)]
    return (1, n, inner)


def ackermann(m, n):
    """Calls of ackermann(m, n) and its result; n is the argument that is recorded, modulo 10."""
    if m == 0:
        return (2, n % 10, [(1, None)]), n + 1
    if n == 0:
        call, result = ackermann(m - 1, 1)
        return (2, n % 10, [(1, call), (1, None)]), result
    first, between = ackermann(m, n - 1)
    second, result = ackermann(m - 1, between)
    return (2, n % 10, [(1, first), (2, second), (1, None)]), result


def mutual(n, odd=False):
    return (4 if odd else 3, n, [(2, mutual(n - 1, not odd) if n else None), (1, None)])


def descent(source, depth=0):
    """expression -> term -> factor -> expression, as a parser of nested parentheses makes them."""
    def factor(level):
        return (7, level % 10, [(1, expression(level - 1) if level else None), (2, None)])

    def term(level):
        return (6, level % 10, [(1, factor(level)), (1, factor(level // 2)), (1, None)])

    def expression(level):
        return (5, level % 10, [(2, term(level)), (1, None)])

    return expression(4)


def random_calls(source, count, depth):
    calls = []
    for _ in range(source.randrange(1, count)):
        ticks = source.randrange(0, 40)
        if depth and source.random() < 0.75:
            number = source.randrange(0, 8)
            calls.append((ticks, (number, source.randrange(0, 3), random_calls(source, count, depth - 1))))
        else:
            calls.append((ticks, None))
    return calls


KNOWN = [
    ("/src/math/fact.c", 10, "fact"),
    ("/src/math/fib.c", 7, "fib"),
    ("/src/math/ack.c", 21, "ackermann"),
    ("/src/even.c", 3, "even"),
    ("/src/odd.c", 3, "odd"),
    ("/src/parse/parse.c", 30, "expression"),
    ("/src/parse/parse.c", 9, "term"),
    ("/src/parse/parse.c", 120, "factor"),
]

RESTRICTIONS = [[], [3], [0.4, "a"], ["parse", 2], [r"\(fact", 0.5], ["nothing like it"], ["[bad"], [0], ["n=1"], [0.999], [1000], ["it's"]]


def sequences(seeds):
    yield "fact", 1000, [(1, fact(5)), (2, None), (1, fact(3))]
    yield "fib", 1000, [(1, fib(7))]
    yield "ackermann", 7, [(1, ackermann(2, 3)[0])]
    yield "mutual", 1000, [(1, mutual(6)), (5, mutual(3, True))]
    yield "descent", 1000, [(0, descent(None)), (4, descent(None))]
    for seed in seeds:
        source = random.Random(seed)
        yield f"random {seed}", source.choice([1000, 7, 1000003]), random_calls(source, 5, 6)


def compare_export(command, numbers, by):
    """The numbers that Python reads from our pstats export are those of cProfile itself: counts, times and callers."""
    got = subprocess.run([*command, "export", "pstats"], stdout=subprocess.PIPE, check=True).stdout
    with tempfile.NamedTemporaryFile() as file:
        file.write(got)
        file.flush()
        read = pstats.Stats(file.name).stats
    # A caller that was not profiled, the test itself, is in no recording.
    wanted = {function: (*counts, {caller: edge for caller, edge in callers.items() if caller in numbers})
              for function, (*counts, callers) in numbers.items()}
    if read != wanted:
        differ = next(key for key in sorted(read.keys() | wanted.keys()) if read.get(key) != wanted.get(key))
        sys.exit(f"pstats export by {by}: {differ}: read {read.get(differ)}, cProfile has {wanted.get(differ)}")


def compare(program, folder, label, hz, calls, source):
    sequence, recording = os.path.join(folder, "sequence"), os.path.join(folder, "recording")
    write_sequence(sequence, hz, KNOWN, calls)
    checks = 0
    for by in ("function", "signature"):
        numbers = profile(hz, Functions(KNOWN, by == "signature"), calls).stats
        if not numbers:
            continue
        for table in ("stats", "callers", "callees"):
            sort, restrictions = source.choice(SORTS), source.choice(RESTRICTIONS)
            strip, reverse = source.random() < 0.3, source.random() < 0.2
            command = [program, sequence, recording, "by", by, "sort", sort]
            command += ["reverse"] * reverse + ["strip"] * strip + [table] + [str(one) for one in restrictions]
            got = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
            got = re.sub(r"^no row is shown: .*\n", "", got, flags=re.M)  # a note, of which pstats has none
            wanted = print_reference(numbers, sort, strip, reverse, table, restrictions)
            if got != wanted:
                sys.exit(f"{label}: differs from pstats\n{' '.join(command[3:])}\n--- pstats\n{wanted}--- callsig\n{got}")
            checks += 1
        compare_export([program, sequence, recording, "by", by], numbers, by)
        checks += 1
    return checks


def check_prefixes(program, folder):
    """Every beginning of every key is accepted exactly when pstats accepts it."""
    accepted = pstats.Stats().get_sort_arg_defs()
    words = {word[:size] for word in pstats.Stats.sort_arg_dict_default for size in range(1, len(word) + 1)} | {"x", "callsx"}
    sequence, recording = os.path.join(folder, "sequence"), os.path.join(folder, "recording")
    write_sequence(sequence, 1000, KNOWN, [(1, fact(2))])
    for word in sorted(words):
        command = [program, sequence, recording, "sort", word, "stats"]
        status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        if (status == 0) != (word in accepted):
            sys.exit(f"sort key {word!r}: {'accepted' if status == 0 else 'refused'}, unlike pstats")
    return len(words)


def main():
    program, seeds = sys.argv[1], [int(seed) for seed in sys.argv[2:]] or range(40)
    sys.setrecursionlimit(10000)
    source, checks = random.Random(1), 0
    with tempfile.TemporaryDirectory() as folder:
        for label, hz, calls in sequences(seeds):
            checks += sum(compare(program, folder, label, hz, calls, source) for _ in range(3))
        checks += check_prefixes(program, folder)
    print(f"{checks} comparisons with pstats, all equal")


if __name__ == "__main__":
    main()
