#!/usr/bin/env python3
"""task_instructions.py BUILD [SOURCE:BUILD] [--bound FILE]

Instructions that a program executes for a task's begin and end and the like, by callgrind: those of many rounds less those of few. With
SOURCE:BUILD, the sources and the build of another version, beside that one's. Which calls are timed and looked at depends on the clock;
such rounds are few. With --bound, a line of FILE is `KIND INSTRUCTIONS`, and the exit status is 1 when a count is above its bound. Exit
status 77: valgrind is not installed."""

import argparse
import os
import re
import shutil
import sys

from runner import Folder, compile_with, run
from tools import FLAGS, HERE, source

KINDS = ("task", "text", "nested", "queue", "counter", "level")
FEW, MANY = 20000, 120000


def library(build):
    return os.path.join(os.path.abspath(build), "profiler", "libcallsig.so")


def count(program, kind, rounds, folder):
    """The instructions of main() and all that it calls: what threads and constructors do is none of it."""
    out = os.path.join(folder, "callgrind.out")
    environment = dict(os.environ, CALLSIG_OUTPUT=os.path.join(folder, f"callsig.out.{len(os.listdir(folder))}"))
    run(["valgrind", "--tool=callgrind", "--toggle-collect=main", f"--callgrind-out-file={out}", program, kind, str(rounds)], environment,
        folder)
    with open(out, encoding="utf-8") as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE).group(1))


def measure(sources, build, folder):
    with open(os.path.join(sources, "include", "callsig", "callsig.h"), encoding="utf-8") as file:
        has_counters = "callsig_counter_add" in file.read()
    program = os.path.join(folder, "task_calls")
    compile_with("gcc", *FLAGS, f"-I{sources}/include", *(["-DHAS_COUNTERS"] if has_counters else []), source("task_calls.c"), "-o", program,
                 library(build), f"-Wl,-rpath,{os.path.dirname(library(build))}")
    kinds = [kind for kind in KINDS if has_counters or kind not in ("counter", "level")]
    return {kind: (count(program, kind, MANY, folder) - count(program, kind, FEW, folder)) / (MANY - FEW) for kind in kinds}


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
    parser.add_argument("other", nargs="?", metavar="SOURCE:BUILD")
    parser.add_argument("--bound")
    options = parser.parse_args()
    bounds, above = read_bounds(options.bound) if options.bound else {}, 0
    if shutil.which("valgrind") is None:
        print("task_instructions: valgrind is not installed")
        return 77
    with Folder() as folder:
        now = measure(os.path.dirname(HERE), options.build, folder)
    other = {}
    if options.other:
        with Folder() as folder:
            other = measure(*options.other.split(":", 1), folder)
    for kind, instructions in now.items():
        beside = f"  {other[kind]:7.1f} there, {instructions / other[kind] - 1:+.1%}" if kind in other else ""
        if kind in bounds:
            beside += f"  bound {bounds[kind]:.1f}" + ("  ABOVE" if instructions > bounds[kind] else "")
            above += instructions > bounds[kind]
        print(f"{kind:8} {instructions:7.1f}{beside}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
