#!/usr/bin/env python3
# ctest: real
# ctest: skips
# ctest: case .lua full lua
# ctest: case .zstd full zstd
"""Each compiler at each level: calls as callgrind counts them, arguments as gdb reads them, and how many can be read.

    test_compilers.py --sources FOLDER --out FOLDER --build FOLDER [--write] PROGRAM [VARIANT...]

A row of the table, which is Markdown, is one build of the program with sleds; what it holds against what is told in test_sled_counts.py,
test_sled_arguments.py and tests/real/test_index.py. A compiler that is not here is named and left out; exit status 77: valgrind or all
of the compilers are missing. --write puts each row into the table of docs/sleds.md, in the place of what stood there of that build.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

import matching  # noqa: E402
import test_sled_arguments  # noqa: E402
import test_sled_counts  # noqa: E402
from build import split_version  # noqa: E402
from driver import Driver  # noqa: E402
from test_arguments import BUDGET, VERBOSE, Judge  # noqa: E402

PAGE = HERE.parents[1] / "docs" / "sleds.md"
BEGIN, END = "<!-- written by tests/oracle/test_compilers.py --write -->\n", "<!-- end of what test_compilers.py writes -->\n"
HEAD = ("| compiler | level | program | readable, % | of those it has a use for, % | its two readers | functions compared with callgrind | calls of them "
        "| functions counted otherwise | calls compared with gdb | arguments equal | read by callsig alone | functions with other arguments |",
        "|---|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|")
COMPILERS = ("gcc11", "gcc12", "clang14", "clang16", "clang19")
EVERY = [f"{compiler}-{level}-sleds-fixed" for compiler in COMPILERS for level in ("O0", "O2", "O3")]
WRITE = ("--write", {"action": "store_true", "help": "write the rows into docs/sleds.md"})


def missing(variant):
    """The compiler's name when it is not here."""
    words, version = split_version(variant.split("-"))
    name = words[0] + version
    return None if shutil.which(name) else name


def coverage(product, program):
    """(per cent of the parameters that the debug information names, of those that are passed and used too, do its two readers agree)."""
    text = product.call("index", "--coverage", program)
    done = subprocess.run([str(product.command), "index", "--verify", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=product.environment())
    if done.returncode:
        print(done.stdout)
    named, used, _ = map(float, re.findall(r"([0-9.]+) % readable of", text))
    return named, used, done.returncode == 0


def build_of(row):
    """What a row tells of: in the order of the table."""
    compiler, level, program = [cell.strip() for cell in row.split("|")[1:4]]
    return program, COMPILERS.index(compiler), level


def write(row):
    """Puts the row into the table of the page."""
    before, begin, rest = PAGE.read_text().partition(BEGIN)
    inner, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE} has no lines {BEGIN.strip()} and {END.strip()}")
    rows = {build_of(known): known for known in inner.splitlines()[2:]}
    rows[build_of(row)] = row
    lines = [*HEAD, *(rows[key] for key in sorted(rows))]
    PAGE.write_text(before + begin + "".join(f"{line}\n" for line in lines) + end + after)


def measure(driver, name, variant):
    """One row: (what it says, does it hold)."""
    judge = Judge(driver.options.verbose)
    program = driver.builder.build(name, variant)[0]
    readable, of_used, verified = coverage(driver.product, program)
    functions, calls, counted_otherwise = test_sled_counts.compare(driver.builder, driver.product, name, variant, True)
    runs = [run for run in driver.builder.runs(name, small=True) if (name, run.name) not in test_sled_arguments.THREADED]
    outcomes = [test_sled_arguments.compare(driver, judge, name, variant, run) for run in runs]
    different, compared = (sum(column) for column in zip(*outcomes))
    words = variant.split("-")
    row = (f"| {words[0]} | -{words[1]} | {name} | {readable:.2f} | {of_used:.2f} | {'agree' if verified else 'differ'} | {functions} | {calls} "
           f"| {counted_otherwise} | {compared} "
           f"| {judge.outcomes[matching.EQUAL]} | {judge.outcomes[matching.ONLY_CALLSIG]} | {different} |")
    equal = judge.outcomes[matching.EQUAL]
    if not equal:
        print(f"{name} {variant}: of {compared} calls gdb has compared no argument")
    return row, verified and not counted_otherwise and not different and equal > 0


def main():
    if shutil.which("valgrind") is None:
        print("test_compilers: valgrind is not installed")
        return 77
    driver = Driver(__doc__, {}, {"lua": EVERY, "zstd": EVERY}, BUDGET, VERBOSE, WRITE)
    os.environ["CALLSIG_CACHE_DIR"] = str(driver.product.cache)
    rows, failed = [], 0
    for name, variant in driver.chosen:
        if missing(variant):
            print(f"left out: {missing(variant)} is not installed")
            continue
        row, holds = measure(driver, name, variant)
        rows.append(row)
        if driver.options.write:
            write(row)
        failed += not holds
    if not rows:
        return 77
    print("", *HEAD, *rows, sep="\n")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
