#!/usr/bin/env python3
"""results.py PARTS_DIR OUT_DIR

Puts what the parts measured (price.json and so on in PARTS_DIR; a part that was not run is left as it stood in
OUT_DIR/results.json) into OUT_DIR/results.json, and writes OUT_DIR/results.md from that. The figures of each machine, told by its
processor, are kept beside those of the others."""

import json
import os
import sys

import machine
from pattern_tables import write_hooks, write_pairs
from program_tables import write_price, write_truth
from ranks_tables import write_ranks
from tables import size, table, write_not_run

SCHEMA = "callsig.bench/2"


def write_machine(facts, write):
    write("## Machine\n")
    rows = [[name, str(value) if value is not None else "not installed"] for name, value in facts.items()
            if value is not None or name != "virtualisation"]
    write("| | |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows) + "\n")


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


def write_mpi(part, write):
    write("## Calls of MPI, ns\n")
    write("What `callsig run --mpi --times exact` adds to calls that a rank makes with itself; medians of "
          f"{part['rounds']} runs, each run's figure the fastest of its repetitions.\n")
    lines = [[f"{row['mpi']}, {row['calls']}", f"{row['plain']:.0f}", f"{row['added']:.0f}"] for row in part["rows"] if "added" in row]
    if lines:
        write(table(["calls", "without callsig", "added"], lines) + "\n")
    write_not_run([(row["mpi"], row) for row in part["rows"]], write)


WRITERS = {"price": write_price, "hooks": write_hooks, "truth": write_truth, "pairs": write_pairs, "stages": write_stages,
           "index": write_index, "monitor": write_monitor, "rows": write_rows, "ranks": write_ranks, "mpi": write_mpi}


def load(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def own_figures(results, facts):
    """The figures of this machine among those of all, which are added when there are none."""
    for figures in results["machines"]:
        if all(figures["machine"].get(key) == facts[key] for key in machine.IDENTITY):
            figures["machine"] = facts
            return figures
    results["machines"].append({"machine": facts})
    return results["machines"][-1]


def write_figures(figures, write):
    """A chapter with the parts of one machine, each one level below it."""
    facts = figures["machine"]
    write(f"## {facts['cpu']}, {facts['cpus']} processors\n")

    def write_below(text):
        write("#" + text if text.startswith("#") else text)

    write_machine(facts, write_below)
    for part, writer in WRITERS.items():
        if part in figures:
            writer(figures[part], write_below)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    parts, out = sys.argv[1:]
    results = load(os.path.join(out, "results.json")) or {"schema": SCHEMA, "machines": []}
    if results["schema"] != SCHEMA:
        raise SystemExit(f"results.py: {out}/results.json is of the schema {results['schema']}, not {SCHEMA}: remove it")
    fresh = {part: load(os.path.join(parts, f"{part}.json")) for part in WRITERS}
    if any(fresh.values()):
        own_figures(results, machine.describe()).update({part: figures for part, figures in fresh.items() if figures})
    with open(os.path.join(out, "results.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    text = ["# What callsig costs\n", "Written by `make bench`; the same figures are in `results.json`. Each machine has a chapter; a part "
            "that is not in it has not been measured there.\n"]
    for figures in results["machines"]:
        write_figures(figures, text.append)
    with open(os.path.join(out, "results.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(text))


if __name__ == "__main__":
    main()
