"""The chapters of results.md on call patterns: pairs.py and hooks.py."""

from tables import table, unique, write_not_run

PATTERN_TITLES = {"fib": "fib", "chain": "chain of 3", "two_args": "two arguments", "four_sigs": "four signatures",
                  "table": "table of 200", "two_threads": "two threads", "random_16": "16 signatures at random",
                  "random_256": "256 signatures at random", "frame": "a call with a frame", "leaf": "a leaf", "pointer": "a pointer",
                  "string": "a string"}
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
# The same with sleds; the times are exact ones.
SLED_AIMS = [
    ("chain of 3", "exact", "chain", "floor", 1.15),
    ("fib", "exact", "fib", "floor", 1.25),
    ("table of 200", "exact", "table", "floor", 1.25),
    ("two arguments", "exact", "two_args", "floor", 1.25),
    ("four signatures in turn", "exact", "four_sigs", "floor", 1.25),
    ("16 signatures at random", "exact", "random_16", "floor", 1.50),
    ("256 signatures at random", "exact", "random_256", "floor", 2.00),
]
# By how many nanoseconds a call may take longer: (name, tool, pattern, base, aim).
SLED_DIFFERENCES = [
    ("counted, with a frame", "auto", "frame", "empty", 4),
    ("counted, a leaf", "auto", "leaf", "empty", 2),
    ("a pointer that is followed", "exact_rules", "pointer", "exact", 15),
    ("a string", "exact_rules", "string", "exact", 15),
    ("counted, a pointer that is followed", "auto_rules", "pointer", "auto", 15),
    ("counted, a string", "auto_rules", "string", "auto", 15),
    ("filtered, chain of 3", "filtered", "chain", "plain", 1),
    ("disabled, chain of 3", "disabled", "chain", "plain", 1),
]
BASES = {"floor": "floor", "empty": "empty hooks", "signatures": "callsig", "plain": "not instrumented", "exact": "without rules",
         "auto": "without rules"}


def stored_text(rows):
    stored = [row["bytes"] for row in rows if "bytes" in row]
    if not stored:
        return "-"
    low, high = f"{min(stored):.0f}", f"{max(stored):.0f}"
    return f"{low} B" if low == high else f"{low}-{high} B"


def write_tables(part, write):
    """A table for each compiler, and what was run. Returns the rows by compiler, pattern and tool."""
    labels = {tool["key"]: tool["label"] for tool in part["tools"]}
    cells = {(row["compiler"], row["pattern"], row["tool"]): row for row in part["rows"]}
    patterns = unique(row["pattern"] for row in part["rows"])
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
    write("What was run:\n")
    write("\n".join(f"- {tool['label']}: {tool['what']}" for tool in part["tools"]) + "\n")
    return cells


def write_ratios(cells, aims, write):
    """`aims`: how many times as much as another tool a call may take."""
    write("Absolute times; a ratio is the median of the ratios of runs that were made one after the other.\n")
    rows = []
    for name, tool, pattern, base, aim in aims:
        row = [name, f"{aim:.2f} x {BASES[base]}"]
        for compiler in ("gcc", "clang"):
            ratio = cells.get((compiler, pattern, tool), {}).get(f"to_{base}")
            row.append("not run" if ratio is None else f"{ratio:.2f} {'met' if round(ratio, 2) <= aim else 'missed'}")
        rows.append(row)
    write(table(["", "aim", "gcc", "clang"], rows) + "\n")


def write_differences(cells, aims, write):
    """`aims`: by how many nanoseconds a call may take longer than with another tool."""
    rows = []
    for name, tool, pattern, base, aim in aims:
        row = [name, f"{BASES[base]} + {aim:.0f} ns"]
        for compiler in ("gcc", "clang"):
            above = cells.get((compiler, pattern, tool), {}).get("net_ns" if base == "plain" else f"above_{base}")
            row.append("not run" if above is None else f"{above:+.1f} ns {'met' if round(above, 1) <= aim else 'missed'}")
        rows.append(row)
    write(table(["", "aim", "gcc", "clang"], rows) + "\n")


def write_steady(rows, labels, write):
    write("### System calls of a steady run\n")
    write("Of ten times as many calls beyond those of the shorter run, by `perf stat -e raw_syscalls:sys_enter`; the aim is none but where the kernel took the processor away.\n")
    lines = []
    for tool in unique(row["tool"] for row in rows):
        line = [labels[tool]]
        for compiler in ("gcc", "clang"):
            found = [row for row in rows if row["tool"] == tool and row["compiler"] == compiler]
            more = [f"{PATTERN_TITLES[row['pattern']]} {row['more']}" for row in found if row.get("more", 0) != 0]
            line.append("not run" if not any("more" in row for row in found) else "; ".join(more) + " missed" if more else "0 met")
        lines.append(line)
    write(table(["", "gcc", "clang"], lines) + "\n")
    write_not_run([(f"{labels[row['tool']]}, {row['compiler']}", row) for row in rows], write)


def write_pairs(part, write):
    write("## One enter+exit pair, ns\n")
    cells = write_tables(part, write)
    write("### Against the aims\n")
    write_ratios(cells, AIMS, write)


def write_hooks(part, write):
    write("## One call of a function with sleds, ns\n")
    cells = write_tables(part, write)
    write("### Against the aims\n")
    write_ratios(cells, SLED_AIMS, write)
    write_differences(cells, SLED_DIFFERENCES, write)
    write_steady(part["steady"], {tool["key"]: tool["label"] for tool in part["tools"]}, write)
