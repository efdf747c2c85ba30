#!/usr/bin/env python3
# ctest: real
# ctest: case .lua quick --quick lua
# ctest: case .zstd full --quick zstd
# ctest: case .sqlite3 full --quick sqlite3
# ctest: case _full.lua full --full lua
# ctest: case _full.zstd full --full zstd
# ctest: case _full.sqlite3 full --full sqlite3
# ctest: case _full.jsonnet full --full jsonnet
"""Real programs under `callsig run` print, and exit with, what they do without it.

    test_equality.py --sources FOLDER --out FOLDER --build FOLDER (--quick | --full | PROGRAM VARIANT...)
"""

import sys
import tempfile
from pathlib import Path

from driver import Driver
from product import plain_run

COMPILERS = ["gcc-O0", "gcc-O2", "gcc-O3", "clang-O0", "clang-O2"]
LUA = ["gcc-O2-lto", "gcc-O2-nopie", "gcc-O2-static", "gcc-O2-shared", "gcc-O2-dlopen", "clang-O2-nopie", "clang-O2-dlopen"]
AFTER = [f"{kind}-{shape}" for shape in ("sleds", "calls") for kind in (*COMPILERS, "gcc-O2-lto")]
# As far as they go, the builds that other quick tests use too, else without optimisation: each takes longer to make than all of its runs.
QUICK = {"lua": ["gcc-O2-fixed", "gcc-O2-static-fixed", "gcc-O2-sleds-fixed", "clang-O2-sleds-fixed"],
         "zstd": ["gcc-O2-sleds"], "sqlite3": ["gcc-O0"]}
FULL = {"lua": COMPILERS + LUA + AFTER, "zstd": COMPILERS + AFTER, "sqlite3": COMPILERS + AFTER, "jsonnet": COMPILERS + AFTER}


def compare(builder, product, name, variant, small):
    """Prints one line for each run; returns how many differed."""
    # A program that a host loads must be told apart from one that is the executable: the plain run is built alike.
    plain_variant = builder.plain(small) + ("-dlopen" if "dlopen" in variant else "")
    plain, profiled = builder.build(name, plain_variant), builder.build(name, variant)
    different = 0
    for run in builder.runs(name, small):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second, tempfile.TemporaryDirectory() as kept:
            expected = plain_run(same_name(first, plain) + run.args, run.stdin, first)
            recording = Path(kept) / "recording"
            found = product.run(same_name(second, profiled) + run.args, recording, (), run.stdin, second)
            errors = [line for line in found.stderr.splitlines() if not line.startswith(b"callsig: ")]
            problems = []
            if found.returncode != expected.returncode:
                problems.append(f"status {found.returncode}, without callsig {expected.returncode}")
            if found.stdout != expected.stdout:
                problems.append(f"standard output differs ({len(found.stdout)} and {len(expected.stdout)} bytes)")
            if errors != expected.stderr.splitlines():
                problems.append(f"standard error differs: {b' / '.join(errors)[:300]!r}")
            calls = product.report(recording, "--by", "function")["total_calls"] if recording.exists() else 0
            if calls == 0:
                problems.append("nothing was recorded")
            said = [line.decode(errors="replace") for line in found.stderr.splitlines() if line.startswith(b"callsig: ")]
            print(f"{name:8} {variant:18} {run.name:11} {'; '.join(problems) or 'equal'} ({calls} calls)", *said, sep="\n    ")
            different += bool(problems)
    return different


def same_name(folder, command):
    """The command through links in `folder`: programs print the name that they were started by, which must not differ."""
    linked = []
    for part in command:
        link = Path(folder) / Path(part).name
        link.symlink_to(part)
        linked.append("./" + link.name)
    return linked


def main():
    driver = Driver(__doc__, QUICK, FULL)
    different = sum(compare(driver.builder, driver.product, *pair, not driver.options.full) for pair in driver.chosen)
    print(f"{different} runs differ")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
