#!/usr/bin/env python3
"""stage_cost.py BUILD_DIR OUT.json [--rounds N]

Nanoseconds for a pair of callsig's own calls (a task's begin and end, a queue's put and get) beside a pair of function hooks,
in one process, in turn. A run's figure is its fastest repetition."""

import argparse
import json
import os
import sys

import tools
from runner import Folder, NotRun, compile_with, interleave, median, median_ratio, run, spread

MILLISECONDS, REPETITIONS = "4", "15"
PAIRS = ["function", "action", "task", "task_text", "queue", "event"]


def build(callsig, compiler, folder):
    callsig.require()
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "stage_pairs")
    compile_with(compiler, *tools.FLAGS, "-finstrument-functions", f"-I{tools.HERE}/../include",
                 tools.source("stage_pairs.c"), "-o", program, callsig.library,
                 f"-Wl,-rpath,{os.path.dirname(callsig.library)}")
    callsig.index(program)
    return program


def measure(callsig, program):
    """One run: {pair: ns}."""
    with Folder() as folder:
        printed = run([program, MILLISECONDS, REPETITIONS], callsig.environment(os.path.join(folder, "out")), cwd=folder)
        return {pair: min(ns) for pair, ns in json.loads(printed).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    callsig = tools.Callsig(options.build)
    programs, reasons = {}, {}
    for compiler in ("gcc", "clang"):
        try:
            programs[compiler] = build(callsig, compiler, os.path.join(callsig.build, "bench", compiler))
        except NotRun as reason:
            reasons[compiler] = str(reason)
    runs, failed = interleave(options.rounds, list(programs), lambda compiler: measure(callsig, programs[compiler]),
                              lambda line: print(f"stages: {line}", file=sys.stderr, flush=True))
    rows = []
    for compiler in ("gcc", "clang"):
        found = runs.get(compiler)
        if not found:
            rows.append({"compiler": compiler, "not_run": reasons.get(compiler) or failed.get(compiler, "no run ended")})
            continue
        base = [values["function"] for values in found]
        for pair in PAIRS:
            ns = [values[pair] for values in found]
            rows.append({"compiler": compiler, "pair": pair, "ns": median(ns), "spread": spread(ns),
                         "to_function": median_ratio(ns, base)})
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"rounds": options.rounds, "rows": rows}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
