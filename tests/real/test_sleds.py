#!/usr/bin/env python3
# ctest: real
# ctest: skips
# ctest: case - quick --quick
# ctest: case _full full --full
"""A program with sleds that runs without callsig is the plain program: the same output and status, and hardly more instructions.
The sleds themselves do nothing, and are counted apart.

    test_sleds.py --sources FOLDER --out FOLDER --build FOLDER (--quick | --full | PROGRAM VARIANT...)

callgrind counts the instructions of both, without address randomisation and under one name. Exit status 77: valgrind is not installed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle"))

import callgrind_counts  # noqa: E402
from driver import Driver  # noqa: E402
from test_equality import same_name  # noqa: E402

MOST = 1.02
QUICK = {"lua": ["gcc-O2-sleds-fixed"]}
EVERY = [f"{kind}-sleds-fixed" for kind in ("gcc-O0", "gcc-O2", "gcc-O3", "gcc-O2-lto", "clang-O2")]
FULL = {"lua": EVERY, "zstd": EVERY, "sqlite3": EVERY, "jsonnet": EVERY}
# How often a thread waits is its own in each run.
THREADED = {("zstd", "threads")}


def idle_instructions(program):
    """The addresses of instructions that do nothing: no-ops, and the jumps over clang's sleds."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    found, previous = set(), None
    for line in text.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
        if not match:
            continue
        address, words = int(match[1], 16), match[2]
        if re.match(r"(data16 |cs )*nop|xchg +%ax,%ax$", words):
            found.add(address)
            if previous is not None and previous[1]:
                found.add(previous[0])
        jump = re.match(r"jmp +([0-9a-f]+)", words)
        previous = address, bool(jump) and int(jump[1], 16) == address + 11
    return found


def counted(command, run):
    """(instructions, of them those that do nothing, status, standard output, standard error) of a run in callgrind."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        counts, program = Path(kept) / "counts", callgrind_counts.without_debug(command[0], kept)
        done = callgrind_counts.run([*same_name(folder, [program]), *run.args], counts, "--dump-instr=yes", stdin=run.stdin, cwd=folder)
        ran, _ = callgrind_counts.by_address(counts, str(program))
        idle = sum(ran[address] for address in idle_instructions(program))
        return callgrind_counts.total(counts), idle, done.returncode, done.stdout, done.stderr


def compare(builder, name, variant, small):
    """Prints one line for each run; returns how many fell short."""
    plain_variant = variant.replace("sleds", "plain")
    plain, sleds = builder.build(name, plain_variant), builder.build(name, variant)
    short = 0
    for run in builder.runs(name, small):
        if (name, run.name) in THREADED:
            continue
        expected, found = counted(plain, run), counted(sleds, run)
        problems = [f"{what} differs" for what, ours, theirs in zip(("status", "standard output", "standard error"), found[2:], expected[2:])
                    if ours != theirs]
        ratio = (found[0] - found[1]) / (expected[0] - expected[1])
        if ratio > MOST:
            problems.append(f"more than {MOST} times as many instructions")
        if found[1] <= expected[1]:
            problems.append("no sled was met")
        print(f"{name:8} {variant:18} {run.name:11} {found[0]:13,} instructions, {ratio:.4f} of plain; with those that do nothing "
              f"{found[0] / expected[0]:.4f}  {'; '.join(problems) or 'as plain'}")
        short += bool(problems)
    return short


def main():
    if shutil.which("valgrind") is None:
        print("test_sleds: valgrind is not installed")
        return 77
    driver = Driver(__doc__, QUICK, FULL)
    short = sum(compare(driver.builder, name, variant, not driver.options.full) for name, variant in driver.chosen)
    print(f"{short} runs fall short")
    return short > 0


if __name__ == "__main__":
    sys.exit(main())
