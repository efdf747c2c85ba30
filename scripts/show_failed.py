#!/usr/bin/env python3
"""Shows of ctest's last run what its summary leaves out: what was skipped within tests that passed, by name; and the end of what each test
that failed wrote, where ctest's own output has it among all others.

    show_failed.py BUILD
"""

import re
import sys
from pathlib import Path

LINES = 40  # of each test
BEGINS = re.compile(r"^\d+/\d+ Testing: (.*)$", re.MULTILINE)
ENDS = "\n<end of output>\n"
# As tests in Python, cmocka's, unittest's own and the guests' tell of it.
SKIPPED = re.compile(r"^(?:skipped: (.+)|\[  SKIPPED \] (\w+)|OK \((skipped=\d+)\)|     (\S.*: not built, .+))$", re.MULTILINE)


def outcomes(folder):
    """(name, whether it failed, what it wrote) of each test."""
    log, failures = folder / "LastTest.log", folder / "LastTestsFailed.log"
    names = [line.split(":", 1)[1] for line in failures.read_text().splitlines()] if failures.exists() else []
    parts = BEGINS.split(log.read_text(errors="replace")) if log.exists() else []
    for name, text in zip(parts[1::2], parts[2::2]):
        written, _, end = text.rpartition(ENDS)
        yield name, name in names and "\nTest Passed.\n" not in end, written.partition("\nOutput:\n")[2].split("\n", 1)[-1]


def skipped(written):
    """What a test that passed has skipped, each once. unittest's number says nothing where there are names."""
    found = list(dict.fromkeys(next(filter(None, match.groups())) for match in SKIPPED.finditer(written)))
    return [one for one in found if not one.startswith("skipped=")] or found


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/show_failed.py BUILD")
    tests = list(outcomes(Path(sys.argv[1]) / "Testing" / "Temporary"))
    left_out = [f"{name}: {one}" for name, has_failed, written in tests if not has_failed for one in skipped(written)]
    if left_out:
        print("\nskipped within tests:", *left_out, sep="\n    ")
    for name, has_failed, written in tests:
        if has_failed:
            print(f"\n{name} failed; the last of what it wrote:", *written.splitlines()[-LINES:], sep="\n    ")


if __name__ == "__main__":
    main()
