#!/usr/bin/env python3
"""hotpath_instructions.py BUILD_DIR [--bound FILE] [--quick]

Instructions that callsig executes for one enter+exit pair, counted by callgrind: the difference of two runs of different
length, divided by the calls in between, less the same for glibc's empty hooks; in modes that begin with "sleds", less the same
for sleds that are off. Counting needs no quiet machine, so this guards the hot path in the tests. With --bound, a line of FILE
is `PATTERN MODE INSTRUCTIONS`, and the exit status is 1 when a count is above its bound. --quick takes one pattern of each mode,
the first in FILE, and fewer calls where each takes as long. Exit status 77: valgrind is not installed."""

import argparse
import os
import re
import shutil
import sys
import tempfile

from hooks import sled_options
from runner import Folder, NotRun, compile_with, run
from tools import FLAGS, Callsig, source

CALLS = {"chain": 3, "two_args": 3, "four_sigs": 3, "table": 200, "fib": 21891}
ROUNDS = {"chain": 20000, "two_args": 20000, "four_sigs": 20000, "table": 400, "fib": 5}
# Every call is timed, or as few as may be: which ones are else depends on how long they take, which under valgrind is another
# matter.
MODES = {mode: {"CALLSIG_TIMES": "exact", **variables} for mode, variables in {
    "no_signatures": {"CALLSIG_NO_SIGNATURES": "1"}, "signatures": {}, "disabled": {"CALLSIG_DISABLED": "1"},
    "timeline": {"CALLSIG_TIMELINE": "1s"}, "percentiles": {"CALLSIG_PERCENTILES": "1"}, "sleds_timed": {},
    "sleds_counted": {"CALLSIG_TIMES": "auto", "CALLSIG_OVERHEAD": "1.001"}}.items()}


# What is timed of these settles over many calls.
SETTLES = {"sleds_counted"}


def has_sleds(mode):
    return mode.startswith("sleds")


def build_program(folder, instrumentation):
    """The call patterns, with hooks and without a library for them: glibc's own hooks return at once. Or with sleds."""
    made = tempfile.mkdtemp(dir=folder)
    program, calls, measure = (os.path.join(made, name) for name in ("patterns", "calls.o", "measure.o"))
    compile_with("gcc", *FLAGS, *instrumentation, "-c", source("calls.c"), "-o", calls)
    compile_with("gcc", *FLAGS, "-c", source("measure.c"), "-o", measure)
    compile_with("gcc", "-pthread", calls, measure, "-o", program)
    return program


def instructions(program, pattern, rounds, environment, folder):
    out = os.path.join(folder, "callgrind.out")
    run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, pattern, "rounds", str(rounds)],
        {**environment, "CALLSIG_OUTPUT": os.path.join(folder, f"callsig.out.{rounds}.{len(os.listdir(folder))}")}, folder)
    with open(out, encoding="utf-8") as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE).group(1))


def per_call(program, pattern, part, environment, folder):
    few, many = ROUNDS[pattern] // part, ROUNDS[pattern] // part * 3
    counts = [instructions(program, pattern, rounds, environment, folder) for rounds in (few, many)]
    return (counts[1] - counts[0]) / ((many - few) * CALLS[pattern])


def read_bounds(path):
    bounds = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fields = line.split("#", 1)[0].split()
            if not fields:
                continue
            if len(fields) != 3 or fields[0] not in CALLS or fields[1] not in MODES:
                raise SystemExit(f"{path}:{number}: want `PATTERN MODE INSTRUCTIONS`")
            bounds[fields[0], fields[1]] = float(fields[2])
    return bounds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--bound")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("hotpath_instructions: valgrind is not installed")
        return 77
    bounds = read_bounds(options.bound) if options.bound else {}
    wanted = list(bounds) or [(pattern, mode) for mode in MODES for pattern in CALLS]
    if options.quick:
        wanted = [(pattern, mode) for mode, pattern in {mode: pattern for pattern, mode in reversed(wanted)}.items()]
    callsig, plugins = Callsig(options.build), os.path.join(os.path.abspath(options.build), "instrument")
    above = 0
    try:
        callsig.require()
        with Folder() as folder:
            callsig.cache = folder
            programs, empty = {}, {}
            for pattern, mode in wanted:
                sleds, part = has_sleds(mode), 4 if options.quick and mode not in SETTLES else 1
                if sleds not in programs:
                    programs[sleds] = build_program(folder, sled_options("gcc", plugins) if sleds else ["-finstrument-functions"])
                    callsig.index(programs[sleds])
                if (pattern, sleds) not in empty:
                    empty[pattern, sleds] = per_call(programs[sleds], pattern, part, {}, folder)
                environment = {**callsig.environment(""), "LD_PRELOAD": callsig.library, **MODES[mode]}
                count = per_call(programs[sleds], pattern, part, environment, folder) - empty[pattern, sleds]
                bound = bounds.get((pattern, mode))
                verdict = "" if bound is None else f"  bound {bound:.1f}" + ("  ABOVE" if count > bound else "")
                above += bound is not None and count > bound
                print(f"{pattern:10} {mode:14} {count:7.1f} instructions an enter+exit pair{verdict}", flush=True)
    except NotRun as reason:
        raise SystemExit(f"hotpath_instructions: {reason}") from reason
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
