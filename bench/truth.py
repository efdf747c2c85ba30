#!/usr/bin/env python3
"""truth.py BUILD_DIR SOURCES OUT.json [--rounds N] [--programs NAME,...] [--compilers NAME,...]

Whether callsig's times, of programs with sleds, are those of the program without it: the sum of tottime beside the CPU time of the
plain program, the shares of its largest functions beside samples of the plain program's counter, and how a program's time is split
among arguments of which it is known what each costs."""

import json
import os
import re

import real
from price import as_it_is, base_hooks, callsig_run
from runner import Folder, NotRun, compile_with, interleave, median, median_ratio, run, spread
from tools import FLAGS, Callsig, build_sled_hooks, source

PROGRAMS = ["lua", "zstd", "sqlite3", *real.KNOWN]
# By the plain program, what each mode's options are. With sleds that are off its code lies elsewhere: --beside may be as far from the plain
# program as that is.
MODES = {"no_signatures": lambda plain: ["--no-signatures"], "signatures": lambda plain: [], "beside": lambda plain: ["--beside"],
         "beside_plain": lambda plain: [f"--beside={plain}"]}
LARGEST = 20
HERTZ = "2000"
CLONE = re.compile(r"\.(constprop|isra|part|lto_priv|cold|localalias)(\.\d+)?")


def plain_run(load, variant, wrap):
    with Folder() as folder:
        command, environment = wrap(load.command(variant), folder)
        wall, cpu = load.timed(command, environment, folder)
        return {"seconds": cpu, "wall": wall}


def profiled_run(callsig, load, variant, options):
    """The total without and with what the hooks took, the calls, how many times are negative, and each function's share of the
    total as the table has it."""
    with Folder() as folder:
        command, environment = callsig_run(callsig, "auto", options)(load.command(variant), folder)
        wall = load.timed(command, environment, folder)[0]
        recording = os.path.join(folder, "callsig.out")
        raw = callsig.report(recording, "--raw", "--by", "function")
        compensated = callsig.report(recording, "--compensate", "--by", "function")
        times = [row[key] for row in compensated["rows"] for key in ("tottime", "cumtime")]
        shares = {}
        for row in compensated["rows"]:
            shares[row["function"]] = shares.get(row["function"], 0) + row["tottime"] / compensated["total_time"]
        return {"seconds": compensated["total_time"], "uncertainty": compensated["total_uncertainty"], "raw": raw["total_time"],
                "wall": wall, "calls": raw["total_calls"], "negative": sum(time < 0 for time in times), "shares": shares}


def subjects_of(build, load, plain, variant):
    callsig = Callsig(build)
    empty = next(way for way in base_hooks(callsig.build, "sleds", variant) if way.tool == "empty")
    modes = {name: lambda options=options(load.command(plain)[0]): profiled_run(callsig, load, variant, options)
             for name, options in MODES.items()}
    return {"plain": lambda: plain_run(load, plain, as_it_is), "empty": lambda: plain_run(load, variant, empty.wrap), **modes,
            "samples": lambda: sample(callsig.build, load, plain)}


def build_sampler(build):
    program = os.path.join(build, "bench", "pc_samples")
    compile_with("gcc", *FLAGS, source("pc_samples.c"), "-o", program, "-ldw", "-lelf")


def sample(build, load, variant):
    """In which functions of the plain program the samples of its counter are: {"functions": {name: samples}}."""
    with Folder() as folder:
        out = os.path.join(folder, "samples")
        command = [os.path.join(build, "bench", "pc_samples"), out, HERTZ, *load.command(variant)]
        with open(load.stdin or os.devnull, "rb") as stdin:
            run(command, cwd=folder, stdin=stdin)
        with open(out, encoding="utf-8") as file:
            found = json.load(file)
    if found["lost"] or not found["functions"]:
        raise NotRun(f"{found['lost']} samples were lost of {found['samples']}")
    functions = {}
    for symbol, count in found["functions"].items():
        name = CLONE.sub("", symbol)
        functions[name] = functions.get(name, 0) + count
    return {"functions": functions}


def summarise(runs, plain):
    seconds = [run["seconds"] for run in runs]
    row = {"seconds": median(seconds), "spread": spread(seconds), "to_plain": median_ratio(seconds, [run["seconds"] for run in plain])}
    for key in ("raw", "wall", "calls", "uncertainty"):
        if key in runs[0]:
            row[key] = median([run[key] for run in runs])
    if "raw" in runs[0]:
        row["raw_to_plain"] = median_ratio([run["raw"] for run in runs], [run["seconds"] for run in plain])
        row["negative"] = max(run["negative"] for run in runs)
    return row


def compare_shares(runs, samples):
    """The largest functions by samples, each with its share of them and callsig's."""
    counts = {}
    for one in samples:
        for name, count in one["functions"].items():
            counts[name] = counts.get(name, 0) + count
    total = sum(counts.values())
    largest = sorted(counts, key=lambda name: -counts[name])[:LARGEST]
    functions = [{"function": name, "sampled": counts[name] / total, "callsig": median([run["shares"].get(name, 0) for run in runs])}
                 for name in largest]
    errors = [abs(one["callsig"] - one["sampled"]) for one in functions]
    return {"samples": total, "functions": functions, "mean": sum(errors) / len(errors), "worst": max(errors)}


def compare_programs(build, loads, rounds, compilers, say):
    """Rows of totals, and of shares."""
    rows, shares = [], []
    for compiler in compilers:
        for load in loads:
            subjects = subjects_of(build, load, f"{compiler}-O2-plain", f"{compiler}-O2-sleds")
            runs, reasons = interleave(rounds, list(subjects), lambda name: subjects[name](),
                                       lambda line: say(f"{load.name}, {compiler}: {line}"))
            where = {"program": load.name, "build": f"{compiler} -O2, sleds"}
            for name in ("plain", "empty", *MODES):
                made = runs[name] and runs["plain"]
                rows.append({**where, "what": name, **(summarise(runs[name], runs["plain"]) if made else
                                                       {"not_run": reasons.get(name) or reasons["plain"]})})
            for name in MODES:
                made = runs[name] and runs["samples"]
                shares.append({**where, "what": name, **(compare_shares(runs[name], runs["samples"]) if made else
                                                         {"not_run": reasons.get(name) or reasons["samples"]})})
    return rows, shares


def known_plain(load, variant):
    """What each argument costs by the program's own clock: {n: seconds}."""
    return {int(n): seconds for n, seconds in json.loads(run(load.command(variant))).items()}


def known_profiled(callsig, load, variant):
    with Folder() as folder:
        command, environment = callsig_run(callsig, "auto", [])(load.command(variant), folder)
        run(command, environment, folder)
        rows = callsig.report(os.path.join(folder, "callsig.out"))["rows"]
        found = {row["args"][0]["value"]: row["tottime"] for row in rows if row["function"] == "work"}
    if any(not isinstance(n, int) for n in found) or not found:
        raise NotRun("the arguments of work() are not all known")
    return found


def compare_known(build, load, rounds, compilers, say):
    """For each argument its share of the time of all, by the plain program's clock and by callsig."""
    callsig, rows = Callsig(build), []
    for compiler in compilers:
        plain, sleds = f"{compiler}-O2-plain", f"{compiler}-O2-sleds"
        subjects = {"plain": lambda: known_plain(load, plain), "callsig": lambda: known_profiled(callsig, load, sleds)}
        runs, reasons = interleave(rounds, list(subjects), lambda name: subjects[name](), lambda line: say(f"{load.name}, {compiler}: {line}"))
        if reasons:
            rows.append({"program": load.name, "build": f"{compiler} -O2, sleds", "not_run": next(iter(reasons.values()))})
            continue
        for n in runs["plain"][0]:
            share = {name: median([one.get(n, 0) / sum(one.values()) for one in runs[name]]) for name in subjects}
            rows.append({"program": load.name, "build": f"{compiler} -O2, sleds", "argument": n, "share": share["plain"],
                         "callsig": share["callsig"], "error": share["callsig"] / share["plain"] - 1,
                         "seconds": median([one[n] for one in runs["plain"]])})
    return rows


def collect(build, loads, rounds, compilers, say):
    build_sled_hooks(build)
    build_sampler(build)
    rows, shares = compare_programs(build, [load for load in loads if load.name not in real.KNOWN], rounds, compilers, say)
    known = [row for load in loads if load.name in real.KNOWN for row in compare_known(build, load, rounds, compilers, say)]
    return {"base": "CPU", "rows": rows, "shares": shares, "known": known}


if __name__ == "__main__":
    real.write("truth", __doc__.splitlines()[0], collect, 5, PROGRAMS)
