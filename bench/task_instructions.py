#!/usr/bin/env python3
"""task_instructions.py BUILD [SOURCE:BUILD] [--bound FILE]

Instructions that a program executes for a task's begin and end and the like, by callgrind: those of many rounds less those of few. With
SOURCE:BUILD, the sources and the build of another version, beside that one's. Which calls are timed and looked at depends on the clock;
such rounds are few. With --bound, a line of FILE is `KIND INSTRUCTIONS`, and the exit status is 1 when a count is above its bound. Exit
status 77: valgrind is not installed."""

import argparse
import json
import os
import sys

from counted import instructions, per_round, read_bounds, tell, valgrind_is_missing
from runner import Folder, NotRun, compile_with, run
from tools import FLAGS, HERE, Callsig, source

KINDS = ("task", "text", "nested", "queue", "counter", "level")
FEW, MANY = 20000, 120000


def count(callsig, program, kind, rounds, folder):
    recording = os.path.join(folder, f"callsig.out.{len(os.listdir(folder))}")
    taken = instructions([program, kind, str(rounds)], dict(os.environ, CALLSIG_OUTPUT=recording), folder)
    done = recorded(json.loads(run([callsig.command, "stages", "--format", "json", recording])), kind)
    if done != rounds:
        raise NotRun(f"of {rounds} rounds of {kind} {done} were recorded")
    return taken


def recorded(stages, kind):
    """How many rounds of a kind `callsig stages` tells of."""
    if kind in ("counter", "level"):
        return sum(one["count"] for one in stages["counters"] if one["kind"] == kind)
    if kind == "queue":
        return stages["queues"][0]["num_items"]
    return stages["stages"][kind == "nested"]["num_tasks"]


def measure(sources, build, folder):
    callsig = Callsig(build)
    with open(os.path.join(sources, "include", "callsig", "callsig.h"), encoding="utf-8") as file:
        has_counters = "callsig_counter_add" in file.read()
    program = os.path.join(folder, "task_calls")
    compile_with("gcc", *FLAGS, f"-I{sources}/include", *(["-DHAS_COUNTERS"] if has_counters else []), source("task_calls.c"), "-o", program,
                 callsig.library, f"-Wl,-rpath,{os.path.dirname(callsig.library)}")
    kinds = [kind for kind in KINDS if has_counters or kind not in ("counter", "level")]
    return {kind: per_round(lambda rounds, kind=kind: count(callsig, program, kind, rounds, folder), FEW, MANY) for kind in kinds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("other", nargs="?", metavar="SOURCE:BUILD")
    parser.add_argument("--bound")
    options = parser.parse_args()
    if valgrind_is_missing("task_instructions"):
        return 77
    bounds = read_bounds(options.bound, KINDS)
    other = {}
    try:
        with Folder() as folder:
            now = measure(os.path.dirname(HERE), options.build, folder)
        if options.other:
            with Folder() as folder:
                other = measure(*options.other.split(":", 1), folder)
    except NotRun as reason:
        raise SystemExit(f"task_instructions: {reason}") from reason
    return tell(now, bounds, lambda kind, count: f"  {other[kind]:7.1f} there, {count / other[kind] - 1:+.1%}" if kind in other else "")


if __name__ == "__main__":
    sys.exit(main())
