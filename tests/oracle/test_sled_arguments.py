#!/usr/bin/env python3
# ctest: real
# ctest: skips
# ctest: case - quick --quick
# ctest: case _full.lua full --full lua
# ctest: case _full.zstd full --full zstd
# ctest: case _full.sqlite3 full --full sqlite3
# ctest: case _full.jsonnet full --full jsonnet
"""Every argument that callsig prints of a program with sleds equals what gdb reads at the function's first instruction.

    test_sled_arguments.py --sources FOLDER --out FOLDER --build FOLDER (--quick | --full | PROGRAM VARIANT...)

The program runs twice: by itself in gdb, its sleds off, which stops where functions begin that callgrind saw called seldom
(gdb_arguments.py), and under callsig. `fixed` takes chance out of it (programs.py), and addresses are not randomised, so both runs make
the same calls. All calls of a function are compared as test_arguments.py does, with the same outcomes and no mismatch allowed, but
for functions that are told the time. gdb takes nothing from callsig: sleds come from objdump. Exit status 77: valgrind is not installed.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

import gdb_arguments  # noqa: E402
from driver import Driver  # noqa: E402
from test_arguments import BUDGET, VERBOSE, Judge, rows_by_function  # noqa: E402

BOTH = ["gcc-O2-sleds-fixed", "clang-O2-sleds-fixed"]
QUICK = {"lua": BOTH[1:]}
FULL = {name: BOTH for name in ("lua", "zstd", "sqlite3", "jsonnet")}
QUICK_BUDGET = 500
# How often a thread waits is its own in each run, and what the time is: Lua's seed of random numbers, which it pushes too, and what is made of it.
THREADED = {("zstd", "threads")}
TOLD_THE_TIME = {"lua": {"setseed", "lua_pushinteger", "rotl"}}


def compare(driver, judge, name, variant, run):
    """Prints the outcome of one run; returns its number of mismatches and of calls that were compared."""
    command = [str(part) for part in [*driver.builder.build(name, variant), *run.args]]
    budget = min(driver.options.budget, QUICK_BUDGET) if driver.options.quick else driver.options.budget
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        records = gdb_arguments.read_sled_calls(command, budget, stdin=run.stdin, cwd=folder, stored="-O0-" in variant)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        recording = Path(kept) / "recording"
        done = driver.product.run(command, recording, (), run.stdin, folder, randomised=False)
        if not recording.exists():
            raise SystemExit(f"{name} {variant} {run.name}: left no recording: {done.stderr.decode(errors='replace').strip()[-500:]}")
        rows = rows_by_function(driver.product.report(recording))
    records = [record for record in records if record["called"] not in TOLD_THE_TIME.get(name, ())]
    return judge.judge(f"{name:8} {variant:22} {run.name:10}", records, rows)


def main():
    if shutil.which("valgrind") is None:
        print("test_sled_arguments: valgrind is not installed")
        return 77
    driver = Driver(__doc__, QUICK, FULL, BUDGET, VERBOSE)
    os.environ["CALLSIG_CACHE_DIR"] = str(driver.product.cache)
    judge = Judge(driver.options.verbose)
    mismatches = calls = 0
    for name, variant in driver.chosen:
        runs = [run for run in driver.builder.runs(name, small=True) if (name, run.name) not in THREADED]
        for run in runs if driver.options.full else runs[:1]:
            different, compared = compare(driver, judge, name, variant, run)
            mismatches += different
            calls += compared
    print(f"{calls} calls compared, {mismatches} functions with mismatches")
    return mismatches > 0 or calls < (1000 if driver.options.full else 300)


if __name__ == "__main__":
    sys.exit(main())
