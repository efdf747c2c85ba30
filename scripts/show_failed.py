#!/usr/bin/env python3
"""Shows what the tests that failed in ctest's last run wrote: the end of each, where ctest's own output has it among all others.

    show_failed.py BUILD
"""

import re
import sys
from pathlib import Path

LINES = 40  # of each test
BEGINS = re.compile(r"^\d+/\d+ Testing: (.*)$", re.MULTILINE)
ENDS = "\n<end of output>\n"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/show_failed.py BUILD")
    folder = Path(sys.argv[1]) / "Testing" / "Temporary"
    failed, log = folder / "LastTestsFailed.log", folder / "LastTest.log"
    if not failed.exists() or not log.exists():
        return
    names = [line.split(":", 1)[1] for line in failed.read_text().splitlines()]
    parts = BEGINS.split(log.read_text(errors="replace"))
    for name, text in zip(parts[1::2], parts[2::2]):
        written, _, end = text.rpartition(ENDS)
        if name in names and "\nTest Passed.\n" not in end:
            lines = written.partition("\nOutput:\n")[2].splitlines()[1:]
            print(f"\n{name} failed; the last of what it wrote:", *lines[-LINES:], sep="\n    ")


if __name__ == "__main__":
    main()
