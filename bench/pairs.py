#!/usr/bin/env python3
"""pairs.py BUILD_DIR OUT.json [--rounds N] [--tools KEY,...] [--patterns NAME,...] [--compilers NAME,...]

Nanoseconds for one enter+exit pair: every tool on every call pattern, one after the other, then all again.
A run's figure is its fastest repetition of 4 ms: what the tool costs when nothing else has the CPU."""

import argparse
import json
import os
import sys

import tools
from runner import Folder, NotRun, interleave, median, median_ratio, spread

PATTERNS = ["fib", "chain", "two_args", "four_sigs", "table", "two_threads"]
MILLISECONDS, REPETITIONS = "4", "15"


def build_all(chosen, compilers, folder):
    """{(compiler, tool key): program} and {(compiler, tool key): why there is none}."""
    programs, reasons = {}, {}
    for compiler in compilers:
        place = os.path.join(folder, compiler)
        os.makedirs(place, exist_ok=True)
        for tool in chosen:
            key = compiler, tool.key
            try:
                if compiler not in tool.compilers:
                    raise NotRun(f"{compiler} has no such instrumentation")
                programs[key] = tool.build(compiler, place)
            except NotRun as reason:
                reasons[key] = str(reason)
    return programs, reasons


def measure(tool, program, pattern):
    """One run: {"ns": of a pair, "bytes": on disk for a call or None, "note"}."""
    with Folder() as folder:
        printed, note = tool.run(program, [pattern, MILLISECONDS, REPETITIONS], folder)
        result = json.loads(printed)
        stored = tools.data_bytes(folder) / result["calls"] if tool.stores else None
        return {"ns": min(result["ns"]), "bytes": stored, "note": note}


def summarise(runs, plain, bases):
    """`plain` and each of `bases`, {key: runs}, are what the same pattern took without instrumentation, and by another tool."""
    ns = [run["ns"] for run in runs]
    row = {"ns": median(ns), "spread": spread(ns), "runs": len(ns)}
    if plain:
        row["net_ns"] = median([value - other["ns"] for value, other in zip(ns, plain)])
    for key, others in bases.items():
        if others:
            row[f"to_{key}"] = median_ratio(ns, [other["ns"] for other in others])
            row[f"above_{key}"] = median([value - other["ns"] for value, other in zip(ns, others)])
    stored = [run["bytes"] for run in runs if run["bytes"] is not None]
    if stored:
        row["bytes"] = median(stored)
    notes = [run["note"] for run in runs if run["note"]]
    if notes:
        row["note"] = f"{len(notes)} of {len(runs)} runs: {notes[-1]}"
    return row


def collect(chosen, compilers, patterns, bases, rounds, folder, say):
    """Rows, each with its ratio to the tools whose keys are `bases`."""
    by_key = {tool.key: tool for tool in chosen}
    programs, reasons = build_all(chosen, compilers, folder)
    subjects = [(compiler, pattern, key) for compiler in compilers for pattern in patterns for key in by_key
                if (compiler, key) in programs]
    runs, failed = interleave(rounds, subjects, lambda s: measure(by_key[s[2]], programs[s[0], s[2]], s[1]), say)
    rows = []
    for compiler in compilers:
        for pattern in patterns:
            for tool in chosen:
                subject = compiler, pattern, tool.key
                row = {"compiler": compiler, "pattern": pattern, "tool": tool.key}
                if runs.get(subject):
                    others = {key: runs.get((compiler, pattern, key)) for key in ("plain", *bases)}
                    row.update(summarise(runs[subject], others.pop("plain"), others))
                else:
                    row["not_run"] = reasons.get((compiler, tool.key)) or failed.get(subject, "no run ended")
                rows.append(row)
    return rows


def write(name, description, all_tools, patterns, bases, rounds, place="", more=lambda *_: {}):
    """What a part that measures call patterns does: reads its arguments, measures programs that it builds in BUILD_DIR/bench/`place`,
    and writes the rows and what `more(folder of the programs, tools, compilers)` gives."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=rounds)
    for option in ("tools", "patterns", "compilers"):
        parser.add_argument(f"--{option}", type=lambda text: text.split(","))
    options = parser.parse_args()
    chosen = [tool for tool in all_tools(options.build) if not options.tools or tool.key in options.tools]
    compilers = options.compilers or ["gcc", "clang"]
    folder = os.path.join(os.path.abspath(options.build), "bench", place)

    def say(line):
        print(f"{name}: {line}", file=sys.stderr, flush=True)

    rows = collect(chosen, compilers, options.patterns or patterns, bases, options.rounds, folder, say)
    result = {"rounds": options.rounds, "tools": [{"key": t.key, "label": t.label, "what": t.what} for t in chosen],
              "rows": rows, **more(folder, chosen, compilers)}
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    write("pairs", __doc__.splitlines()[0], tools.all_tools, PATTERNS, ("floor", "empty", "signatures"), 7)
