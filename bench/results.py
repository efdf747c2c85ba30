#!/usr/bin/env python3
"""results.py PARTS_DIR OUT_DIR

Puts what the parts measured (pairs.json, stages.json, whole.json, truth.json, index.json in PARTS_DIR; a part that was not run is left
as it stood in OUT_DIR/results.json) into OUT_DIR/results.json, and writes OUT_DIR/results.md from that."""

import json
import os
import sys

import machine

PARTS = ["pairs", "stages", "whole", "truth", "index", "monitor", "rows"]
PATTERN_TITLES = {"fib": "fib", "chain": "chain of 3", "two_args": "two arguments", "four_sigs": "four signatures",
                  "table": "table of 200", "two_threads": "two threads"}
# What a call should cost, as a share of another tool's absolute time for the same pattern: (name, tool, pattern, base, aim).
AIMS = [
    ("no signatures, chain of 3", "no_signatures", "chain", "floor", 1.15),
    ("no signatures, two arguments", "no_signatures", "two_args", "floor", 1.15),
    ("no signatures, fib", "no_signatures", "fib", "floor", 1.15),
    ("no signatures, table of 200", "no_signatures", "table", "floor", 1.15),
    ("no signatures, two threads", "no_signatures", "two_threads", "floor", 1.15),
    ("two scalar arguments", "signatures", "two_args", "floor", 1.25),
    ("two scalar arguments, two threads", "signatures", "two_threads", "floor", 1.25),
    ("four signatures in turn", "signatures", "four_sigs", "floor", 1.35),
    ("timeline, all calls below it, chain of 3", "timeline", "chain", "signatures", 1.20),
    ("timeline, all calls below it, two arguments", "timeline", "two_args", "signatures", 1.20),
    ("timeline, all calls below it, fib", "timeline", "fib", "signatures", 1.20),
    ("timeline, all calls below it, table of 200", "timeline", "table", "signatures", 1.20),
    ("disabled, chain of 3", "disabled", "chain", "empty", 1.00),
    ("disabled, fib", "disabled", "fib", "empty", 1.00),
    ("disabled, table of 200", "disabled", "table", "empty", 1.00),
]
BASES = {"floor": "floor", "empty": "empty hooks", "signatures": "callsig"}


def table(titles, rows):
    """A Markdown table; the first column is text, the others numbers."""
    lines = ["| " + " | ".join(titles) + " |", "|---|" + "---:|" * (len(titles) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def size(count):
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count:.0f} B"


def unique(values):
    return list(dict.fromkeys(values))


def write_machine(facts, write):
    write("## Machine\n")
    rows = [[name, str(value) if value is not None else "not installed"] for name, value in facts.items()
            if value is not None or name != "virtualisation"]
    write("| | |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows) + "\n")


def stored_text(rows):
    stored = [row["bytes"] for row in rows if "bytes" in row]
    if not stored:
        return "-"
    low, high = f"{min(stored):.0f}", f"{max(stored):.0f}"
    return f"{low} B" if low == high else f"{low}-{high} B"


def write_not_run(rows, write):
    """One line for each reason, with what it kept from running."""
    reasons = {}
    for where, row in rows:
        if "not_run" in row:
            reasons.setdefault((where, row["not_run"]), None)
    if reasons:
        write("\n".join(f"- {where}: not run: {reason}" for where, reason in reasons) + "\n")


def write_pairs(part, write):
    labels = {tool["key"]: tool["label"] for tool in part["tools"]}
    cells = {(row["compiler"], row["pattern"], row["tool"]): row for row in part["rows"]}
    patterns = unique(row["pattern"] for row in part["rows"])
    write("## One enter+exit pair, ns\n")
    write(f"The time of one call, absolute, and in brackets what it costs beyond the call that is not instrumented. "
          f"Medians of {part['rounds']} interleaved runs, each run's figure the fastest of its repetitions; -O2.\n")
    for compiler in unique(row["compiler"] for row in part["rows"]):
        write(f"### {compiler}\n")
        rows = []
        for key, label in labels.items():
            found = [cells[compiler, pattern, key] for pattern in patterns]
            if all("not_run" in row for row in found):
                continue
            rows.append([label] + [f"{row['ns']:.1f} ({row['net_ns']:.1f})" if "ns" in row else "not run" for row in found]
                        + [stored_text(found)])
        write(table([compiler] + [PATTERN_TITLES[p] for p in patterns] + ["data a call"], rows) + "\n")
        write_not_run([(labels[row["tool"]], row) for row in part["rows"] if row["compiler"] == compiler], write)
        notes = unique(f"- {labels[row['tool']]}, {PATTERN_TITLES[row['pattern']]}: {row['note']}" for row in part["rows"]
                       if row["compiler"] == compiler and "note" in row)
        if notes:
            write("\n".join(notes) + "\n")
    write_aims(cells, write)
    write("What was run:\n")
    write("\n".join(f"- {tool['label']}: {tool['what']}" for tool in part["tools"]) + "\n")


def write_aims(cells, write):
    write("### Against the aims\n")
    write("Absolute times; a ratio is the median of the ratios of runs that were made one after the other.\n")
    rows = []
    for name, tool, pattern, base, aim in AIMS:
        row = [name, f"{aim:.2f} x {BASES[base]}"]
        for compiler in ("gcc", "clang"):
            ratio = cells.get((compiler, pattern, tool), {}).get(f"to_{base}")
            row.append("not run" if ratio is None else f"{ratio:.2f} {'met' if round(ratio, 2) <= aim else 'missed'}")
        rows.append(row)
    write(table(["", "aim", "gcc", "clang"], rows) + "\n")


def write_whole(part, write):
    write("## Whole programs\n")
    write("Wall seconds, how many times slower than not instrumented, and the data left on disk. "
          f"Medians of {part['rounds']} interleaved runs.\n")
    for build in unique(row["build"] for row in part["rows"]):
        rows = [row for row in part["rows"] if row["build"] == build]
        programs = unique(row["program"] for row in rows)
        cells = {(row["program"], row["tool"]): row for row in rows}
        lines = []
        for tool in unique(row["tool"] for row in rows):
            line = [next(row["label"] for row in rows if row["tool"] == tool)]
            for program in programs:
                row = cells[program, tool]
                if "not_run" in row:
                    line.append("not run")
                    continue
                stored = f", {size(row['bytes'])}" if "bytes" in row else ""
                line.append(f"{row['seconds']:.3f} s, {row['slowdown']:.1f}x{stored}")
            lines.append(line)
        write(f"### {build}\n")
        write(table([build] + programs, lines) + "\n")
        write_not_run([(f"{row['label']}, {row['program']}", row) for row in rows], write)


def write_truth(part, write):
    write("## Truth\n")
    write("The sum of tottime with `--compensate`, beside the wall time of the same program uninstrumented. *Ratio* is the "
          f"median over {part['rounds']} interleaved pairs of runs, its aim 0.90 to 1.10. *Share* is how much of the "
          "uncompensated total is the program's own time: an error of 1 % in what the hooks cost is one of (100 - share) / "
          "share % in the ratio. What is subtracted for a call on the fast path is a constant, measured at the start and the end of each "
          "process; how much of the clock's latency hides behind a program's own work differs from program to program.\n")
    titles = ["program", "build", "calls", "uninstrumented", "empty hooks", "mode", "total", "compensated", "ratio", "share",
              "may be off by", "is", "negative times"]
    cells = {(row["program"], row["build"], row["what"]): row for row in part["rows"]}
    lines, missing = [], []
    for program, build in unique((row["program"], row["build"]) for row in part["rows"]):
        plain, empty = cells[program, build, "plain"], cells[program, build, "empty"]
        for mode, label in (("no_signatures", "no signatures"), ("signatures", "signatures")):
            row = cells[program, build, mode]
            if "not_run" in row or "not_run" in plain:
                missing.append((f"{program}, {build}, {label}", row if "not_run" in row else plain))
                continue
            ratio = round(row["to_plain"], 2)
            lines.append([program, build, f"{row['calls']:,.0f}", f"{plain['seconds']:.3f} s",
                          f"{empty['seconds']:.3f} s" if "seconds" in empty else "not run", label, f"{row['raw']:.3f} s",
                          f"{row['seconds']:.3f} s", f"{ratio:.2f} {'met' if 0.9 <= ratio <= 1.1 else 'missed'}",
                          f"{100 * plain['seconds'] / row['raw']:.0f} %", *off(row, plain), str(row["negative"])])
    if lines:
        write(table(titles, lines) + "\n")
    write_not_run(missing, write)


def off(row, plain):
    """What the report says of its error, and the error."""
    if "uncertainty" not in row:
        return "not told", "-"
    error = row["seconds"] - plain["seconds"]
    return f"{row['uncertainty']:.3f} s", f"{error:+.3f} s {'within' if abs(error) <= row['uncertainty'] else 'beyond'}"


def write_index(part, write):
    write("## Signature index\n")
    growth = part.get("growth")
    write(f"`callsig index --cache PROGRAM` with an empty cache and when the cache has it; medians of {part['rounds']} runs.\n")
    lines = [[row["program"], size(row["dwarf"]), f"{row['cold'] * 1e3:.0f} ms", f"{row['cold'] / row['dwarf'] * 1e9:.0f} ms",
              f"{row['cached'] * 1e3:.1f} ms", size(row["size"]), size(row["memory"])] for row in part["rows"] if "cold" in row]
    if lines:
        write(table(["program", "DWARF", "cold", "cold, for a MB", "cached", "index", "peak memory"], lines) + "\n")
    if growth is not None:
        write(f"Over the copies of SQLite, time grows with the power {growth:.2f} of the DWARF read (1 is linear).\n")
    write_not_run([(row["program"], row) for row in part["rows"]], write)


STAGE_PAIRS = {"function": ("a function's hooks", None), "action": ("an action's begin and end", None),
               "task": ("a task's begin and end", 3.0), "task_text": ("the same with a text of 34 bytes", None),
               "queue": ("a put and a get of a queue, four hooks", 3.0), "event": ("an event", None)}


def write_stages(part, write):
    write("## Stages, ns\n")
    write("Pairs of callsig's own calls beside a pair of function hooks, in one process, in turn. Medians of "
          f"{part['rounds']} runs, each run's figure the fastest of its repetitions; a ratio is the median of the runs'.\n")
    lines = []
    for row in part["rows"]:
        if "ns" in row:
            label, aim = STAGE_PAIRS[row["pair"]]
            verdict = "" if aim is None else f"{aim:.2f} {'met' if row['to_function'] <= aim else 'missed'}"
            lines.append([f"{row['compiler']}, {label}", f"{row['ns']:.1f}", f"{row['to_function']:.2f}", verdict])
    if lines:
        write(table(["pair", "ns", "to a function's", "aim"], lines) + "\n")
    write_not_run([(row["compiler"], row) for row in part["rows"]], write)


def write_monitor(part, write):
    write("## Monitor\n")
    write("The CPU time of the callsig process while it reads a recording every second and writes an SQLite database "
          f"(`callsig run --db --interval 1`), as a share of a core, its aim below 1 %; medians of {part['rounds']} runs.\n")
    lines = [[row["program"], size(row["bytes"]), f"{100 * row['share']:.2f} % {'met' if row['share'] < 0.01 else 'missed'}"]
             for row in part["rows"] if "share" in row]
    if lines:
        write(table(["program", "recording", "share of a core"], lines) + "\n")
    write_not_run([(row["program"], row) for row in part["rows"]], write)


def write_rows(part, write):
    write("## Reports\n")
    write("`callsig report` of a recording with so many rows, to a file: the whole command, and its peak memory. Aims for 1,000,000 "
          f"rows: below 1 s and 500 MB. Medians of {part['rounds']} runs, of 3 for the largest.\n")
    lines = []
    for row in part["rows"]:
        if "seconds" not in row:
            continue
        aim = ""
        if row["rows"] == 1_000_000:
            aim = f"{'met' if row['seconds'] < 1 else 'missed'}, {'met' if row['memory'] < 500e6 else 'missed'}"
        lines.append([f"{row['rows']:,}", size(row["bytes"]), f"{row['seconds']:.2f} s", size(row["memory"]), aim])
    if lines:
        write(table(["rows", "recording", "time", "peak memory", "aims"], lines) + "\n")
    if part.get("time_power") is not None:
        write(f"Between the two largest, time grows with the power {part['time_power']:.2f} of the rows, and memory with the power "
              f"{part['memory_power']:.2f} (1 is linear).\n")
    pstats, uftrace, exports = part["pstats"], part["uftrace"], part.get("exports", {})
    if "formats" in exports:
        write(f"`callsig export` of {exports['rows']:,} rows, once each:\n")
        write(table(["format", "time", "peak memory", "bytes a row", "file"],
                    [[name, f"{one['seconds']:.2f} s", size(one["memory"]), f"{one['row']:.0f}", size(one["bytes"])]
                     for name, one in exports["formats"].items()]) + "\n")
    if "seconds" in pstats:
        write(f"CPython's pstats takes {pstats['seconds']:.2f} s for {pstats['rows']:,} rows of `callsig export --to pstats`: {pstats['load']:.2f} s "
              f"to load, {pstats['sort']:.2f} s to sort and {pstats['print']:.2f} s to print them, with {size(pstats['memory'])} of memory.\n")
    if "calls" in uftrace:
        ours, theirs = uftrace["callsig"], uftrace["uftrace"]
        write(f"Of the same {uftrace['calls']:,} calls, `callsig report --by function` takes {ours['seconds']:.3f} s and {size(ours['memory'])} of memory "
              f"for a recording of {size(ours['bytes'])}, and `uftrace report` {theirs['seconds']:.3f} s and {size(theirs['memory'])} for {size(theirs['bytes'])}.\n")
    write_not_run([(f"{row['rows']:,} rows", row) for row in part["rows"]] + [("export", exports), ("pstats", pstats), ("uftrace", uftrace)], write)


WRITERS = {"pairs": write_pairs, "stages": write_stages, "whole": write_whole, "truth": write_truth, "index": write_index,
           "monitor": write_monitor, "rows": write_rows}


def load(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    parts, out = sys.argv[1:]
    results = load(os.path.join(out, "results.json"))
    for part in PARTS:
        fresh = load(os.path.join(parts, f"{part}.json"))
        if fresh:
            results[part] = fresh
    results = {"schema": "callsig.bench/1", "machine": machine.describe(), **{p: results[p] for p in PARTS if p in results}}
    with open(os.path.join(out, "results.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    text = ["# What callsig costs\n", "Written by `make bench`; the same figures are in `results.json`.\n"]
    write_machine(results["machine"], text.append)
    for part in PARTS:
        if part in results:
            WRITERS[part](results[part], text.append)
    with open(os.path.join(out, "results.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(text))


if __name__ == "__main__":
    main()
