#!/usr/bin/env python3
# ctest: real
# ctest: arguments --hooks $<TARGET_FILE:count_hooks>
# ctest: case .lua quick --quick --budget 1000 lua
# ctest: case _full.lua full --full lua
# ctest: case _full.zstd full --full zstd
# ctest: case _full.sqlite3 full --full sqlite3
# ctest: case _full.jsonnet full --full jsonnet
"""Every argument that callsig prints equals what gdb reads at the same call.

    test_arguments.py --sources FOLDER --out FOLDER --build FOLDER --hooks LIBRARY (--quick | --full | PROGRAM VARIANT...)

gdb runs the instrumented program with callsig's runtime preloaded and stops at every call of the entry hook that is made for
some functions (gdb_reader.py); so both describe the same calls of the same process. The functions are chosen at random among
those with few calls, and all their calls are compared (matching.py): a function's rows must be what gdb saw, with the same
number of calls. gdb takes nothing from callsig: probe sites come from objdump, how often they are reached from
count_hooks.c, and which function a site enters from the address that the program passes to the hook.

Printed for each run: arguments that are equal; whose value a report does not show (structs, floats: type only); that both have
lost; that only one of them has; and mismatches, which must be 0: calls that cannot be paired without two different values.
"""

import os
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

import gdb_arguments  # noqa: E402
import matching  # noqa: E402
from driver import HOOKS, Driver  # noqa: E402
from names import declared_name  # noqa: E402

QUICK = {"lua": ["gcc-O2-fixed"]}
FULL = {"lua": ["gcc-O2", "clang-O2", "gcc-O0", "gcc-O3", "gcc-O2-lto"], "zstd": ["gcc-O2", "clang-O2"],
        "sqlite3": ["gcc-O2", "clang-O2"], "jsonnet": ["gcc-O2", "clang-O2"]}
COLUMNS = (matching.EQUAL, matching.TYPE_ONLY, matching.BOTH_LOST, matching.ONLY_GDB, matching.ONLY_CALLSIG)
# Options of the drivers.
BUDGET = ("--budget", {"type": int, "default": 3000, "help": "how many calls gdb stops at in each run"})
VERBOSE = ("--verbose", {"action": "store_true", "help": "show examples of mismatches"})


def rows_by_function(report):
    rows = defaultdict(list)
    for row in report["rows"]:
        rows[declared_name(row["function"])].append(row)
    return rows


class Judge:
    def __init__(self, verbose):
        self.verbose = verbose
        self.outcomes = Counter()  # of all that was judged

    def judge(self, title, records, rows):
        by_name = defaultdict(list)
        for record in records:
            by_name[record["called"]].append(record)
        outcomes, compared, mismatches, left_out = Counter(), 0, [], Counter()
        for name, calls in by_name.items():
            found = rows.get(name, [])
            counted = sum(row["ncalls"] for row in found)
            if counted < len(calls):
                mismatches.append((name, f"callsig counted {counted} calls, gdb {len(calls)}", [f"gdb: site {calls[0]['site']:#x}"]))
            elif len(calls) < counted:
                # Threads made other calls this time than when they were counted, or a library's function has this name.
                left_out["calls at unwatched sites"] += len(calls)
            elif any(record["args"] is None for record in calls):
                left_out["gdb does not know the function"] += len(calls)
            else:
                one, unpaired, spare = matching.pair(calls, found)
                outcomes += one
                self.outcomes += one
                compared += len(calls) - len(unpaired)
                if unpaired:
                    mismatches.append((name, f"{len(unpaired)} of {len(calls)} calls differ", [f"gdb {dict(record['args'])}" for record in unpaired[:2]]
                                       + [f"callsig {row['ncalls']} {row['signature']}" for row in spare[:2]]))
        print(f"{title} calls {compared:5}  " + "  ".join(f"{column} {outcomes[column]:5}" for column in COLUMNS)
              + f"  mismatches {len(mismatches)}" + "".join(f"  [{why}: {count}]" for why, count in (+left_out).items()))
        for name, what, examples in mismatches[:20]:
            print(f"    {name}: {what}")
            if self.verbose:
                print(*(f"        {example}" for example in examples), sep="\n")
        return len(mismatches), compared


class Comparison:
    def __init__(self, builder, product, hooks, budget, judge):
        self.builder, self.product, self.hooks, self.budget, self.judge = builder, product, hooks, budget, judge

    def run(self, name, variant, run):
        """Prints the outcome of one run; returns its number of mismatches and of calls that were compared."""
        command = [str(part) for part in [*self.builder.build(name, variant), *run.args]]
        self.product.call("index", "--cache", command[0])
        with tempfile.TemporaryDirectory() as folder:
            recording = Path(folder) / "recording"
            environment = {"LD_PRELOAD": str(self.product.preload), "CALLSIG_OUTPUT": str(recording),
                           "CALLSIG_CACHE_DIR": str(self.product.cache), "CALLSIG_COMMAND": str(self.product.command)}
            records, said = gdb_arguments.read_calls(command, self.hooks, environment, self.budget, stdin=run.stdin, cwd=folder)
            if not recording.exists():
                raise SystemExit(f"{name} {variant} {run.name}: left no recording in gdb: {said.strip()[-500:]}")
            rows = rows_by_function(self.product.report(recording))
        return self.judge.judge(f"{name:8} {variant:16} {run.name:10}", records, rows)


def main():
    driver = Driver(__doc__, QUICK, FULL, HOOKS, BUDGET, VERBOSE)
    options = driver.options
    os.environ["CALLSIG_CACHE_DIR"] = str(driver.product.cache)
    comparison = Comparison(driver.builder, driver.product, options.hooks, options.budget, Judge(options.verbose))
    mismatches = calls = 0
    for name, variant in driver.chosen:
        runs = driver.builder.runs(name, small=True)
        for run in runs if options.full else runs[:1]:
            different, compared = comparison.run(name, variant, run)
            mismatches += different
            calls += compared
    print(f"{calls} calls compared, {mismatches} functions with mismatches")
    return mismatches > 0 or calls < (2000 if options.full else 1)


if __name__ == "__main__":
    sys.exit(main())
