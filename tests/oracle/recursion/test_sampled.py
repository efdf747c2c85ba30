#!/usr/bin/env python3
# ctest: arguments --build @PROJECT_BINARY_DIR@
# ctest: case - quick
"""Recursion in programs with sleds: which calls are outermost, where not all are timed and where each is, equals what the program counts.

    test_sampled.py --build FOLDER
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "sorted.c"


def build(callsig, compiler, folder):
    flags = subprocess.run([callsig, "flags", "--cc", compiler, "--cflags"], check=True, capture_output=True, text=True).stdout.split()
    program = folder / compiler
    subprocess.run([compiler, "-O2", *flags, "-o", program, SOURCE], check=True)
    return program


def recorded(callsig, program, times, folder):
    """What the program counted, and what callsig did: {function: (calls, outermost calls)}."""
    recording = folder / "recording"
    run = subprocess.run([callsig, "run", "-o", recording, "--times", times, "--", program], check=True, capture_output=True, text=True)
    words = (line.split() for line in run.stdout.splitlines() if len(line.split()) == 3)
    counted = {name: (int(calls), int(outermost)) for name, calls, outermost in words if calls.isdigit() and outermost.isdigit()}
    table = subprocess.run([callsig, "report", "--by", "function", "--format", "json", recording], check=True, capture_output=True, text=True)
    rows = {row["function"]: (row["ncalls"], row["pcalls"]) for row in json.loads(table.stdout)["rows"]}
    recording.unlink()
    return counted, {name: rows.get(name) for name in counted}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=Path)
    callsig = parser.parse_args().build / "cli" / "callsig"
    failed = False
    with tempfile.TemporaryDirectory(prefix="callsig-sampled-") as scratch:
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                sys.exit(f"{compiler} is not installed")
            program = build(callsig, compiler, Path(scratch))
            for times in ("auto", "exact"):
                counted, found = recorded(callsig, program, times, Path(scratch))
                same = len(counted) == 4 and found == counted
                failed = failed or not same
                print(f"{compiler}, --times {times}: {'equal' if same else f'the program counts {counted}, callsig {found}'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
