#!/usr/bin/env python3
"""truth.py BUILD_DIR SOURCES OUT.json [--rounds N] [--programs NAME,...]

The sum of tottime that `callsig report --compensate` prints for an instrumented run, beside the wall time of the same
program uninstrumented: one run of each, then again."""

import os

import real
from runner import Folder, interleave, median, median_ratio, spread
from tools import Callsig
from price import SHAPES, Way, base_hooks


def timed_run(load, variant, environment):
    with Folder() as folder:
        return {"seconds": load.timed(load.command(variant), environment, folder)[0]}


def profiled_run(callsig, load, variant, options):
    """The total with and without --compensate, the calls, and the smallest tottime and cumtime of any row."""
    with Folder() as folder:
        recording = os.path.join(folder, "callsig.out")
        command = [callsig.command, "run", "-o", recording, *options, "--", *load.command(variant)]
        wall = load.timed(command, {"CALLSIG_CACHE_DIR": callsig.cache}, folder)[0]
        raw = callsig.report(recording)
        compensated = callsig.report(recording, "--compensate")
        times = [row[key] for row in compensated["rows"] for key in ("tottime", "cumtime")]
        return {"seconds": compensated["total_time"], "uncertainty": compensated["total_uncertainty"], "raw": raw["total_time"], "wall": wall, "calls": raw["total_calls"],
                "negative": sum(time < 0 for time in times)}


def subjects_of(build, load, plain, variant):
    callsig = Callsig(build)
    empty = os.path.join(callsig.build, "bench", "libempty.so")
    return {
        "plain": lambda: timed_run(load, plain, {}),
        "empty": lambda: timed_run(load, variant, {"LD_PRELOAD": empty}),
        "no_signatures": lambda: profiled_run(callsig, load, variant, ["--no-signatures"]),
        "signatures": lambda: profiled_run(callsig, load, variant, []),
    }


def summarise(runs, plain):
    seconds = [run["seconds"] for run in runs]
    row = {"seconds": median(seconds), "spread": spread(seconds),
           "to_plain": median_ratio(seconds, [run["seconds"] for run in plain])}
    for key in ("raw", "wall", "calls", "uncertainty"):
        if key in runs[0]:
            row[key] = median([run[key] for run in runs])
    if "negative" in runs[0]:
        row["negative"] = max(run["negative"] for run in runs)
    return row


def collect(build, loads, rounds, say):
    build_hooks(build)
    rows = []
    for key, (label, variant, _) in BUILDS.items():
        for load in loads:
            chosen = subjects_of(build, load, f"{key.split('_')[0]}-O2-plain", variant)
            runs, reasons = interleave(rounds, list(chosen), lambda name: chosen[name](),
                                       lambda line: say(f"{load.name}, {label}: {line}"))
            for name in chosen:
                row = {"program": load.name, "build": label, "what": name}
                row.update(summarise(runs[name], runs["plain"]) if runs[name] and runs["plain"] else {"not_run": reasons[name]})
                rows.append(row)
    return rows


if __name__ == "__main__":
    real.write("truth", __doc__.splitlines()[0], collect, 5)
