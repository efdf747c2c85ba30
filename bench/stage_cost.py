#!/usr/bin/env python3
"""stage_cost.py BUILD_DIR OUT.json [--rounds N]

Nanoseconds for a pair of callsig's own calls (a task's begin and end, a queue's put and get) beside a pair of function hooks,
in one process, in turn. A run's figure is its fastest repetition."""

import os

import in_turns
import tools
from runner import compile_with, median, median_ratio, spread

MILLISECONDS, REPETITIONS = "4", "15"
PAIRS = ["function", "action", "task", "task_text", "queue", "event"]


def build(callsig, compiler):
    callsig.require()
    folder = os.path.join(callsig.build, "bench", compiler)
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "stage_pairs")
    compile_with(compiler, *tools.FLAGS, "-finstrument-functions", f"-I{tools.HERE}/../include",
                 tools.source("stage_pairs.c"), "-o", program, callsig.library,
                 f"-Wl,-rpath,{os.path.dirname(callsig.library)}")
    callsig.index(program)
    return program


def measure(callsig, program, _compiler, _subject):
    """One run: {pair: ns}."""
    return in_turns.fastest(lambda folder: [program, MILLISECONDS, REPETITIONS],
                            lambda folder: callsig.environment(os.path.join(folder, "out")))


def rows_of(runs):
    found = runs["all"]
    base = [values["function"] for values in found]
    for pair in PAIRS:
        ns = [values[pair] for values in found]
        yield {"pair": pair, "ns": median(ns), "spread": spread(ns), "to_function": median_ratio(ns, base)}


if __name__ == "__main__":
    in_turns.main(__doc__, "stages", ("compiler", ("gcc", "clang")), build, lambda compiler: ("all",), measure, rows_of)
