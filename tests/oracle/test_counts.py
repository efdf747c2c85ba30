#!/usr/bin/env python3
# ctest: real
# ctest: arguments --hooks $<TARGET_FILE:count_hooks>
# ctest: case .lua quick --quick lua
# ctest: case .zstd full --quick zstd
# ctest: case .sqlite3 full --quick sqlite3
# ctest: case _full.lua full --full lua
# ctest: case _full.zstd full --full zstd
# ctest: case _full.sqlite3 full --full sqlite3
# ctest: case _full.jsonnet full --full jsonnet
"""For every function of a real program, callsig's ncalls equals what gcov counted for the same input; no tolerance.

    test_counts.py --sources FOLDER --out FOLDER --build FOLDER --hooks LIBRARY (--quick | --full | PROGRAM VARIANT...)

Two ways of asking for the same input:

 * two builds: gcov counts a build at -O0, callsig an ordinary instrumented build (VARIANT, e.g. gcc-O2-fixed). Hooks are placed
   before the optimiser sees a function, so a function's calls do not depend on the level.
 * one run (VARIANT has the word `both`): the same process is counted by both. This is how threads are compared, because
   how often a waiting thread polls is different in each run; and C++ at -O2, whose front end evaluates calls of constexpr
   functions that it makes at -O0. gcov's counters are placed after the early inliner, which such a build does without.

Functions meet by file, line and bare name. The instances of a template, which the tools spell differently, are compared as a
collection: the same counts, in whatever order.

gcov leaves out what the compiler made up (implicit constructors, static initialisation), and counts the first block of a
function instead of its entry when a goto leads there. Where gcov has no count, or another one than callsig, callgrind's
decides, by bare name, of a build that cannot inline; those functions are named in the output. What neither can tell (functions
that this compiler always inlines, or that are inlined here and called in a library there) is held against count_hooks.c, which
stands before callsig's hooks in the same process and counts them by the address that they are given: how often a C++ program
compares keys that are addresses depends on the heap, and is its own in each run. The program runs without address
randomisation, and `fixed` takes the remaining chance out (programs.py).
"""

import os
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

import callgrind_counts  # noqa: E402
import gcov_counts  # noqa: E402
import hook_counts  # noqa: E402
from driver import HOOKS, Driver  # noqa: E402
from names import declared_name, demangle  # noqa: E402

QUICK = {"lua": ["gcc-O2-fixed"], "zstd": ["gcc-O0-both"], "sqlite3": ["gcc-O0-fixed"]}
# SQLite asks which compiler it is and then calls other functions: gcc's counts say nothing of clang's.
FULL = {"lua": ["gcc-O0-fixed", "gcc-O2-fixed", "gcc-O3-fixed", "clang-O0-fixed", "clang-O2-fixed", "gcc-O2-fixed-lto", "gcc-O2-both-noeinline-fixed"],
        "zstd": ["gcc-O0-both", "gcc-O2-both-noeinline", "gcc-O0", "gcc-O2", "clang-O2"],
        "sqlite3": ["gcc-O0-fixed", "gcc-O2-fixed"],
        "jsonnet": ["gcc-O0-both-fixed", "gcc-O2-both-noeinline-fixed"]}
# The number of times a thread waits is its own in every run; only one run can be compared.
ONE_RUN = {("zstd", "threads")}


def by_source(counts):
    """Counts by (file, line, name) in full -> {(file, line, bare name): ascending counts of its instances, none of them 0}."""
    merged = Counter()  # a header that is included by several paths is one file
    for (file, line, name), calls in counts.items():
        merged[os.path.basename(file), line, name] += calls
    instances = defaultdict(list)
    for (file, line, name), calls in merged.items():
        if calls:
            instances[file, line, declared_name(name)].append(calls)
    return {key: sorted(several) for key, several in instances.items()}


def called_alike(command, cwd):
    """The command with the program under one short name in `cwd`: Lua keeps its own name, whose length decides when it collects
    garbage, so builds in other folders would make other calls."""
    link = Path(cwd) / "program"
    if not link.is_symlink():
        link.symlink_to(Path(command[0]).resolve())
    return ["./program", *command[1:]]


def count_with_callsig(product, hooks, command, run, cwd):
    """(status, counts by source, counts of the hooks by bare name) of one process."""
    command = called_alike(command, cwd)
    program = os.path.realpath(os.path.join(cwd, command[0]))
    with tempfile.TemporaryDirectory() as folder:
        recording, output = Path(folder) / "recording", Path(folder) / "hooks"
        environment = hook_counts.preloaded(hooks, output, product.preload)
        done = product.run_preloaded([*command, *run.args], recording, run.stdin, cwd, CALLSIG_NO_SIGNATURES="1", **environment)
        counts = Counter()
        for row in product.report(recording, "--by", "function")["rows"]:
            counts[row["file"], row["line"], row["function"]] += row["ncalls"]
        named = hook_counts.names(program, output)
        hooked = Counter()
        for _, function, calls in hook_counts.read(output, program):
            hooked[declared_name(named.get(function, ""))] += calls
        return done.returncode, by_source(counts), hooked


def gcov_by_source(counts):
    """Constructors and destructors have several symbols that demangle alike: they are one function."""
    named = demangle({name for _, _, name in counts})
    result = Counter()
    for (file, line, name), calls in counts.items():
        result[file, line, named[name]] += calls
    return by_source(result)


class Comparison:
    def __init__(self, builder, product, hooks):
        self.builder, self.product, self.hooks = builder, product, hooks

    def callgrind(self, name, variant, run, cwd):
        """Counter by bare name of the program's own functions, of a build that inlines nothing."""
        compared = "gcc-O2-noinline-fixed" if "O2" in variant and "both" in variant else "gcc-O0-plain-fixed"
        command = self.builder.build(name, compared)
        _, counts, outward = callgrind_counts.run_counted([*command, *run.args], run.stdin, cwd)
        named = demangle(counts)
        result = Counter()
        for symbol, calls in counts.items():
            result[declared_name(named[symbol])] += calls
        # What a system header defines inline for the optimiser is a call of the library's function at -O0.
        for symbol, calls in outward.items():
            result.setdefault(symbol, calls)
        return result

    def one_run(self, name, variant, run, cwd):
        """Counts by callsig, by the hooks and by gcov of the same process."""
        command = self.builder.build(name, variant)
        folder = self.builder.folder(name, variant)
        with tempfile.TemporaryDirectory() as data:
            with gcov_counts.directed(folder, data):
                status, found, hooked = count_with_callsig(self.product, self.hooks, command, run, cwd)
            return status, found, hooked, gcov_counts.collect(folder, data)

    def two_builds(self, name, variant, run, cwd):
        status, found, hooked = count_with_callsig(self.product, self.hooks, self.builder.build(name, variant), run, cwd)
        counted = "gcc-O0-gcov-fixed"
        command = self.builder.build(name, counted)
        with tempfile.TemporaryDirectory() as alike:
            called = ["setarch", "-R", *called_alike(command, alike), *run.args]
            expected_status, expected = gcov_counts.run_counted(called, self.builder.folder(name, counted), run.stdin, alike)
        if status != expected_status:
            raise SystemExit(f"{name} {variant} {run.name}: status {status} under callsig, {expected_status} for gcov")
        return status, found, hooked, expected

    def compare(self, name, variant, run):
        """Prints one line; returns how many functions differ."""
        with tempfile.TemporaryDirectory() as cwd:
            ask = self.one_run if "both" in variant else self.two_builds
            _, found, hooks, counted = ask(name, variant, run, cwd)
        expected = gcov_by_source(counted)
        unequal = sorted(key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key))
        decided = {}
        if unequal:
            with tempfile.TemporaryDirectory() as cwd:
                decided = self.callgrind(name, variant, run, cwd)
        by_name = Counter()
        for (_, _, function), calls in found.items():
            by_name[function] += sum(calls)
        wrong = [key for key in unequal if decided.get(key[2], 0) != by_name[key[2]]]
        hooked = []
        if wrong:
            hooked = [key for key in wrong if key not in expected and hooks[key[2]] == by_name[key[2]]]
            # One instance of a template that gcov leaves out makes the collection of them differ.
            hooked += [key for key in wrong if key in expected and not Counter(expected[key]) - Counter(found.get(key, []))
                       and hooks[key[2]] == by_name[key[2]]]
            wrong = [key for key in wrong if key not in hooked]
        print(f"{name:8} {variant:28} {run.name:11} functions {sum(map(len, found.values())):5}  "
              f"calls {sum(map(sum, found.values())):11}  equal to gcov {len(found.keys() | expected.keys()) - len(unequal):5}  "
              f"to callgrind {len(unequal) - len(wrong) - len(hooked):4}  to the hooks {len(hooked):3}  different {len(wrong)}")
        if hooked:
            print(f"    told by the hooks alone: {', '.join(sorted({key[2] for key in hooked}))}")
        for key in wrong[:20]:
            print(f"    {key[0]}:{key[1]}({key[2]}): callsig {found.get(key)}, gcov {expected.get(key)}, callgrind by name "
                  f"{decided.get(key[2])} (callsig {by_name[key[2]]})")
        by_callgrind = [f"{key[2]}:{expected[key]}" for key in unequal if key not in wrong and key not in hooked and key in expected]
        if by_callgrind:
            print(f"    gcov's own count, which callgrind's overrules: {', '.join(by_callgrind[:8])}")
        return len(wrong)


def main():
    driver = Driver(__doc__, QUICK, FULL, HOOKS)
    comparison = Comparison(driver.builder, driver.product, str(Path(driver.options.hooks).resolve()))
    different = 0
    for name, variant in driver.chosen:
        for run in driver.builder.runs(name, small=True):
            if (name, run.name) not in ONE_RUN or "both" in variant:
                different += comparison.compare(name, variant, run)
    print(f"{different} functions differ")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
