#!/usr/bin/env python3
"""alloc_instructions.py BUILD [--bound FILE]

Instructions of a call of malloc() and one of free() from instrumented code, by callgrind: counted as library calls alone, and with what
they ask for and give back (docs/library-calls.md). Those of many rounds less those of few; every call is timed. With --bound, a line of
FILE is `KIND INSTRUCTIONS`, and the exit status is 1 when a count is above its bound. Exit status 77: valgrind is not installed."""

import argparse
import os
import sys

from counted import instructions, per_round, read_bounds, tell, valgrind_is_missing
from runner import Folder, NotRun, compile_with
from tools import FLAGS, Callsig, source

KINDS = {"none": None, "library": ["--library-calls=malloc", "--library-calls=free"], "alloc": ["--alloc"]}
FEW, MANY = 10000, 60000


def count(build, program, options, rounds, folder):
    callsig, recording = Callsig(build), os.path.join(folder, "recording")
    before = [] if options is None else [callsig.command, "run", "--times", "exact", *options, "-o", recording, "--"]
    taken = instructions([program, str(rounds)], dict(os.environ, CALLSIG_CACHE_DIR=os.path.join(folder, "cache")), folder, before)
    if before:
        check_recorded(callsig.report(recording, "--by", "function")["rows"], options, rounds)
    return taken


def check_recorded(rows, options, rounds):
    """What was counted is the recording of all calls, and of all blocks where those are asked for."""
    calls = {name: sum(row["ncalls"] for row in rows if row["function"] == name) for name in ("malloc", "free")}
    blocks = sum(row.get("allocs", 0) for row in rows)
    if set(calls.values()) != {rounds} or "--alloc" in options and blocks != rounds:
        raise NotRun(f"{' '.join(options)}: of {rounds} rounds {calls} and {blocks} blocks were recorded")


def measure(build, folder):
    program, plain = os.path.join(folder, "alloc_calls"), os.path.join(folder, "plain")
    hooks = ["-g", "-finstrument-functions", "-fno-builtin"]
    compile_with("gcc", *FLAGS, *hooks, source("alloc_calls.c"), "-o", program)
    compile_with("gcc", *FLAGS, "-fno-builtin", source("alloc_calls.c"), "-o", plain)
    return {kind: per_round(lambda rounds: count(build, plain if options is None else program, options, rounds, folder), FEW, MANY)
            for kind, options in KINDS.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--bound")
    options = parser.parse_args()
    if valgrind_is_missing("alloc_instructions"):
        return 77
    bounds = read_bounds(options.bound, KINDS)
    try:
        with Folder() as folder:
            return tell(measure(options.build, folder), bounds)
    except NotRun as reason:
        raise SystemExit(f"alloc_instructions: {reason}") from reason


if __name__ == "__main__":
    sys.exit(main())
