#!/usr/bin/env python3
"""task_instructions.py BUILD [SOURCE:BUILD] [--bound FILE]

Instructions that a program executes for a task's begin and end and the like, by callgrind: those of many rounds less those of few. With
SOURCE:BUILD, the sources and the build of another version, beside that one's. Which calls are timed and looked at depends on the clock;
such rounds are few. With --bound, a line of FILE is `KIND INSTRUCTIONS`, and the exit status is 1 when a count is above its bound. Exit
status 77: valgrind is not installed."""

import argparse
import os
import sys

from counted import instructions, per_round, read_bounds, tell, valgrind_is_missing
from runner import Folder, compile_with
from tools import FLAGS, HERE, source

KINDS = ("task", "text", "nested", "queue", "counter", "level")
FEW, MANY = 20000, 120000


def library(build):
    return os.path.join(os.path.abspath(build), "profiler", "libcallsig.so")


def count(program, kind, rounds, folder):
    environment = dict(os.environ, CALLSIG_OUTPUT=os.path.join(folder, f"callsig.out.{len(os.listdir(folder))}"))
    return instructions([program, kind, str(rounds)], environment, folder)


def measure(sources, build, folder):
    with open(os.path.join(sources, "include", "callsig", "callsig.h"), encoding="utf-8") as file:
        has_counters = "callsig_counter_add" in file.read()
    program = os.path.join(folder, "task_calls")
    compile_with("gcc", *FLAGS, f"-I{sources}/include", *(["-DHAS_COUNTERS"] if has_counters else []), source("task_calls.c"), "-o", program,
                 library(build), f"-Wl,-rpath,{os.path.dirname(library(build))}")
    kinds = [kind for kind in KINDS if has_counters or kind not in ("counter", "level")]
    return {kind: per_round(lambda rounds, kind=kind: count(program, kind, rounds, folder), FEW, MANY) for kind in kinds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("other", nargs="?", metavar="SOURCE:BUILD")
    parser.add_argument("--bound")
    options = parser.parse_args()
    if valgrind_is_missing("task_instructions"):
        return 77
    bounds = read_bounds(options.bound, KINDS)
    with Folder() as folder:
        now = measure(os.path.dirname(HERE), options.build, folder)
    other = {}
    if options.other:
        with Folder() as folder:
            other = measure(*options.other.split(":", 1), folder)
    return tell(now, bounds, lambda kind, count: f"  {other[kind]:7.1f} there, {count / other[kind] - 1:+.1%}" if kind in other else "")


if __name__ == "__main__":
    sys.exit(main())
