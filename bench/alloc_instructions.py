#!/usr/bin/env python3
"""alloc_instructions.py BUILD [--bound FILE]

Instructions of a call of malloc() and one of free() from instrumented code, by callgrind: counted as library calls alone, and with what
they ask for and give back (docs/library-calls.md). Those of many rounds less those of few; every call is timed. With --bound, a line of
FILE is `KIND INSTRUCTIONS`, and the exit status is 1 when a count is above its bound. Exit status 77: valgrind is not installed."""

import argparse
import os
import re
import shutil
import sys

from runner import Folder, compile_with, run
from tools import FLAGS, source

KINDS = {"none": None, "library": ["--library-calls=malloc", "--library-calls=free"], "alloc": ["--alloc"]}
FEW, MANY = 10000, 60000


def count(build, program, options, rounds, folder):
    """The instructions of main() and all that it calls."""
    out = os.path.join(folder, "callgrind.out")
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=main", f"--callgrind-out-file={out}", program, str(rounds)]
    if options is not None:
        command = [os.path.join(os.path.abspath(build), "cli", "callsig"), "run", "--times", "exact", *options, "-o", os.path.join(folder, "recording"),
                   "--", *command]
    run(command, dict(os.environ, CALLSIG_CACHE_DIR=os.path.join(folder, "cache")), folder)
    with open(out, encoding="utf-8") as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE).group(1))


def measure(build, folder):
    program, plain = os.path.join(folder, "alloc_calls"), os.path.join(folder, "plain")
    hooks = ["-g", "-finstrument-functions", "-fno-builtin"]
    compile_with("gcc", *FLAGS, *hooks, source("alloc_calls.c"), "-o", program)
    compile_with("gcc", *FLAGS, "-fno-builtin", source("alloc_calls.c"), "-o", plain)
    return {kind: (count(build, plain if options is None else program, options, MANY, folder) -
                   count(build, plain if options is None else program, options, FEW, folder)) / (MANY - FEW) for kind, options in KINDS.items()}


def read_bounds(path):
    bounds = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fields = line.split("#", 1)[0].split()
            if fields and (len(fields) != 2 or fields[0] not in KINDS):
                raise SystemExit(f"{path}:{number}: want `KIND INSTRUCTIONS`")
            if fields:
                bounds[fields[0]] = float(fields[1])
    return bounds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--bound")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("alloc_instructions: valgrind is not installed")
        return 77
    bounds, above = read_bounds(options.bound) if options.bound else {}, 0
    with Folder() as folder:
        now = measure(options.build, folder)
    for kind, instructions in now.items():
        bound = bounds.get(kind)
        above += bound is not None and instructions > bound
        print(f"{kind:8} {instructions:7.1f}" + (f"  bound {bound:.1f}" + ("  ABOVE" if instructions > bound else "") if bound is not None else ""))
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
