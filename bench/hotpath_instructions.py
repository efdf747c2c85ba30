#!/usr/bin/env python3
"""hotpath_instructions.py BUILD_DIR [--bound FILE] [--quick]

Instructions that callsig executes for one enter+exit pair, counted by callgrind: the difference of two runs of different
length, divided by the calls in between, less the same for glibc's empty hooks; in modes with "sleds", less the same
for sleds that are off, gcc's or, in those that begin with "clang", clang's. Counting needs no quiet machine, so this guards the hot path in the tests. With --bound, a line of FILE
is `PATTERN MODE INSTRUCTIONS`, and the exit status is 1 when a count is above its bound. --quick takes one pattern of each mode,
the first in FILE, and fewer calls where each takes as long. A mode that records has to have recorded the calls: a runtime that
does not takes few instructions. Exit status 77: valgrind is not installed."""

import argparse
import os
import sys
import tempfile

from counted import instructions, per_round, read_bounds, valgrind_is_missing, verdict
from hooks import RULES, sled_options
from runner import Folder, NotRun, compile_with
from tools import FLAGS, Callsig, source

CALLS = {"chain": 3, "two_args": 3, "four_sigs": 3, "table": 200, "fib": 21891, "nulls": 1, "pointer": 1, "string": 1}
ROUNDS = {"chain": 20000, "two_args": 20000, "four_sigs": 20000, "table": 400, "fib": 5, "nulls": 60000, "pointer": 60000, "string": 60000}
COUNTED = {"CALLSIG_TIMES": "auto", "CALLSIG_OVERHEAD": "1.001"}
# Every call is timed, or as few as may be: which ones are else depends on how long they take, which under valgrind is another
# matter.
MODES = {mode: {"CALLSIG_TIMES": "exact", **variables} for mode, variables in {
    "no_signatures": {"CALLSIG_NO_SIGNATURES": "1"}, "signatures": {}, "disabled": {"CALLSIG_DISABLED": "1"},
    "timeline": {"CALLSIG_TIMELINE": "1s"}, "percentiles": {"CALLSIG_PERCENTILES": "1"}, "sleds_timed": {},
    "sleds_off": {"CALLSIG_WINDOW": "0-0"},
    **dict.fromkeys(("sleds_counted", "clang_sleds_counted"), COUNTED), "sleds_rules": {**COUNTED, "CALLSIG_RULES": RULES}}.items()}


# What is timed of these settles over many calls.
SETTLES = {"sleds_counted", "clang_sleds_counted", "sleds_rules"}
# Nothing is recorded in these, and no arguments in that; the other modes have them of the patterns that have any.
NOT_RECORDED, NO_SIGNATURES = {"disabled", "sleds_off"}, {"no_signatures"}
WITH_ARGUMENTS = {"two_args", "four_sigs", "fib", "nulls", "pointer", "string"}


def instrumentation_of(mode, plugins):
    """The compiler, and its options."""
    compiler = "clang" if mode.startswith("clang") else "gcc"
    return compiler, sled_options(compiler, plugins) if "sleds" in mode else ["-finstrument-functions"]


def build_program(folder, compiler, instrumentation):
    """The call patterns, with hooks and without a library for them: glibc's own hooks return at once. Or with sleds."""
    made = tempfile.mkdtemp(dir=folder)
    program, calls, measure = (os.path.join(made, name) for name in ("patterns", "calls.o", "measure.o"))
    compile_with(compiler, *FLAGS, *instrumentation, "-c", source("calls.c"), "-o", calls)
    compile_with("gcc", *FLAGS, "-c", source("measure.c"), "-o", measure)
    compile_with("gcc", "-pthread", calls, measure, "-o", program)
    return program


def check_recorded(callsig, recording, pattern, mode, rounds):
    """What was counted is the recording of so many calls, with their arguments, and not of a runtime that gave up."""
    callsig.check_calls(rounds * CALLS[pattern], recording, mode)
    if mode in NO_SIGNATURES or pattern not in WITH_ARGUMENTS:
        return
    rows = callsig.report(recording)["rows"]
    if not any(arg["state"] == "read" for row in rows if not row["function"].startswith("run_") for arg in row["args"] or ()):
        raise NotRun(f"{mode} read no argument of {pattern}")


def per_call(program, pattern, part, environment, folder, check=None):
    """`check` is given the recording and the number of rounds of each run."""
    few = ROUNDS[pattern] // part

    def count(rounds):
        output = os.path.join(folder, f"callsig.out.{rounds}.{len(os.listdir(folder))}")
        taken = instructions([program, pattern, "rounds", str(rounds)], {**environment, "CALLSIG_OUTPUT": output}, folder, collect=None)
        if check:
            check(output, rounds)
        return taken

    return per_round(count, few, few * 3) / CALLS[pattern]


def measure(callsig, program, pattern, mode, part, folder):
    """Instructions of a pair in one mode, what they are without callsig included."""
    environment = {**callsig.environment(""), "LD_PRELOAD": callsig.library, **MODES[mode]}
    check = None if mode in NOT_RECORDED else lambda recording, rounds: check_recorded(callsig, recording, pattern, mode, rounds)
    return per_call(program, pattern, part, environment, folder, check)


def least(count, bound):
    """What count() gives, or the least of three where that is above the bound: whatever is open when another process takes the processor
    is a long call, which is looked at, so that a busy machine only adds instructions."""
    found = count()
    for _ in range(2 if bound and found > bound else 0):
        found = min(found, count())
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--bound")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if valgrind_is_missing("hotpath_instructions"):
        return 77
    bounds = read_bounds(options.bound, CALLS, MODES)
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
                compiler, instrumentation = instrumentation_of(mode, plugins)
                kind, part = (compiler, "sleds" in mode), 4 if options.quick and mode not in SETTLES else 1
                if kind not in programs:
                    programs[kind] = build_program(folder, compiler, instrumentation)
                    callsig.index(programs[kind])
                if (pattern, kind) not in empty:
                    empty[pattern, kind] = per_call(programs[kind], pattern, part, {}, folder)
                bound = bounds.get((pattern, mode))
                count = least(lambda: measure(callsig, programs[kind], pattern, mode, part, folder) - empty[pattern, kind], bound)
                said, is_above = verdict(count, bound)
                above += is_above
                print(f"{pattern:10} {mode:19} {count:7.1f} instructions an enter+exit pair{said}", flush=True)
    except NotRun as reason:
        raise SystemExit(f"hotpath_instructions: {reason}") from reason
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
