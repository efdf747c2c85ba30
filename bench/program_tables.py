"""The chapters of results.md on whole programs: price.py and truth.py."""

import statistics

from tables import size, table, unique, write_not_run

SHAPES = {None: "", "sleds": "sleds: ", "calls": "after inlining: ", "hooks": "before inlining: "}
# The programs that an aim's mean is taken of.
REAL = ["lua", "zstd", "sqlite3", "jsonnet"]
# What a whole program should cost: (name, shape, tool, what of its row, programs, mean or worst, aim).
AIMS = [
    ("sleds, auto: mean", "sleds", "auto", "cpu_slowdown", REAL, statistics.geometric_mean, 1.8),
    ("sleds, auto: worst", "sleds", "auto", "cpu_slowdown", REAL, max, 2.5),
    ("before inlining, auto: mean", "hooks", "auto", "cpu_slowdown", REAL, statistics.geometric_mean, 4.0),
    ("sleds off: worst", "sleds", "off", "cpu_slowdown", REAL, max, 1.02),
    ("tensor, sleds, auto", "sleds", "auto", "cpu_slowdown", ["tensor"], max, 1.2),
    ("tensor, after inlining, auto", "calls", "auto", "cpu_slowdown", ["tensor"], max, 1.2),
    ("tensor, before inlining, auto", "hooks", "auto", "cpu_slowdown", ["tensor"], max, 3.0),
]
for shape, title in (("sleds", "sleds"), ("calls", "after inlining"), ("hooks", "before inlining")):
    AIMS.append((f"{title}, exact without signatures, beside the floor: mean", shape, "exact_no_signatures", "cpu_to_floor", REAL,
                 statistics.geometric_mean, 1.15))
    AIMS.append((f"{title}, exact: what signatures add: mean", shape, "exact", "cpu_to_no_signatures", REAL, statistics.geometric_mean, 1.15))


def write_price(part, write):
    write("## Whole programs\n")
    write("How many times the CPU seconds of the program that is not instrumented, and in brackets its wall seconds; then the wall "
          "seconds, and the data left on disk. *Mean* is the geometric mean over the programs but tensor. "
          f"Medians of {part['rounds']} interleaved runs; a ratio is the median of the runs' ratios.\n")
    for build in unique(row["build"] for row in part["rows"]):
        rows = [row for row in part["rows"] if row["build"] == build]
        programs = unique(row["program"] for row in rows)
        write(f"### {build}\n")
        lines = [price_line(rows, shape, tool, programs) for shape, tool in unique((row["shape"], row["tool"]) for row in rows)]
        write(table([build, *programs, "mean"], lines) + "\n")
        write_not_run([(f"{SHAPES[row['shape']]}{row['label']}, {row['program']}", row) for row in rows], write)
    write_price_aims(part["rows"], write)


def price_line(rows, shape, tool, programs):
    cells = {row["program"]: row for row in rows if row["shape"] == shape and row["tool"] == tool}
    line = [SHAPES[shape] + next(iter(cells.values()))["label"]]
    for program in programs:
        row = cells.get(program, {})
        if "slowdown" not in row:
            line.append("not run")
            continue
        stored = f", {size(row['bytes'])}" if "bytes" in row else ""
        line.append(f"{row['cpu_slowdown']:.2f}x ({row['slowdown']:.2f}x), {row['seconds']:.3f} s{stored}")
    ratios = [cells[program]["cpu_slowdown"] for program in REAL if "cpu_slowdown" in cells.get(program, {})]
    complete = ratios and len(ratios) == len([program for program in programs if program in REAL])
    return line + [f"{statistics.geometric_mean(ratios):.2f}x" if complete else "-"]


def write_price_aims(rows, write):
    write("### Against the aims\n")
    lines = []
    for name, shape, tool, what, programs, combine, aim in AIMS:
        line = [name, f"{aim:.2f}"]
        for compiler in ("gcc", "clang"):
            found = [row[what] for row in rows if row["build"].startswith(compiler) and row["shape"] == shape and row["tool"] == tool
                     and row["program"] in programs and what in row]
            value = combine(found) if len(found) == len(programs) else None
            line.append("not run" if value is None else f"{value:.2f} {'met' if round(value, 2) <= aim else 'missed'}")
        lines.append(line)
    write(table(["CPU seconds", "aim", "gcc", "clang"], lines) + "\n")


TRUTH_MODES = {"no_signatures": "no signatures", "signatures": "signatures", "beside": "`--beside`",
               "beside_plain": "`--beside=PLAIN`"}
# How far from the plain program's time each may be.
TRUTH_AIMS = {"no_signatures": 0.10, "signatures": 0.10, "beside": 0.03, "beside_plain": 0.03}


def write_truth(part, write):
    write("## Truth\n")
    write(f"The sum of tottime with `--raw`, and as it is printed (compensated), beside the {part.get('base', 'wall')} time of the same program "
          f"uninstrumented; each *ratio* is the median over {part['rounds']} interleaved pairs of runs, its aim 0.90 to 1.10, and 0.97 to 1.03 "
          "with `--beside`. *Share* is how much of the total is the program's own time: an error of 1 % in what the hooks cost is one of "
          "(100 - share) / share % in the ratio.\n")
    titles = ["program", "build", "calls", "uninstrumented", "empty hooks", "mode", "total", "ratio", "compensated", "ratio", "share",
              "may be off by", "is", "negative times"]
    cells = {(row["program"], row["build"], row["what"]): row for row in part["rows"]}
    lines, missing = [], []
    for program, build in unique((row["program"], row["build"]) for row in part["rows"]):
        plain, empty = cells[program, build, "plain"], cells[program, build, "empty"]
        for mode, label in TRUTH_MODES.items():
            row = cells.get((program, build, mode))
            if row is None:
                continue
            if "not_run" in row or "not_run" in plain:
                missing.append((f"{program}, {build}, {label}", row if "not_run" in row else plain))
                continue
            lines.append([program, build, f"{row['calls']:,.0f}", f"{plain['seconds']:.3f} s",
                          f"{empty['seconds']:.3f} s" if "seconds" in empty else "not run", label, f"{row['raw']:.3f} s",
                          ratio_text(row.get("raw_to_plain"), mode), f"{row['seconds']:.3f} s", ratio_text(row["to_plain"], mode),
                          f"{100 * plain['seconds'] / row['raw']:.0f} %", *off(row, plain), str(row["negative"])])
    if lines:
        write(table(titles, lines) + "\n")
    write_not_run(missing, write)
    if "shares" in part:
        write_shares(part["shares"], write)
    if "known" in part:
        write_known(part, write)


def ratio_text(ratio, mode):
    if ratio is None:
        return "-"
    return f"{ratio:.2f} {'met' if abs(round(ratio, 2) - 1) <= TRUTH_AIMS[mode] + 1e-9 else 'missed'}"


def write_shares(rows, write):
    write("### Own time of the largest functions\n")
    write("The share of the total of each of the 20 functions that the most samples of the plain program's counter are in, by those samples "
          "and by callsig, in points: the mean of the differences, its aim at most 2, and the largest, its aim at most 5.\n")
    lines = []
    for row in rows:
        if "functions" not in row:
            continue
        worst = max(row["functions"], key=lambda one: abs(one["callsig"] - one["sampled"]))
        lines.append([row["program"], row["build"], TRUTH_MODES[row["what"]], f"{row['samples']:,}",
                      f"{100 * row['mean']:.1f} {'met' if round(100 * row['mean'], 1) <= 2 else 'missed'}",
                      f"{100 * row['worst']:.1f} {'met' if round(100 * row['worst'], 1) <= 5 else 'missed'}",
                      f"{worst['function']}: {100 * worst['sampled']:.1f} %, callsig {100 * worst['callsig']:.1f} %"])
    if lines:
        write(table(["program", "build", "mode", "samples", "mean", "largest", "of"], lines) + "\n")
    write_not_run([(f"{row['program']}, {row['build']}, {TRUTH_MODES[row['what']]}", row) for row in rows], write)


def write_known(part, write):
    write("### Known work\n")
    write("How the time of one function is split among its arguments (bench/workloads/known*.c), by the plain program's own clock and by "
          f"callsig; the aim is within 5 %. Medians of {part['rounds']} runs.\n")
    lines = [[row.get("program", "known"), row["build"], str(row["argument"]), f"{row['seconds']:.3f} s",
              f"{100 * row['share']:.2f} %", f"{100 * row['callsig']:.2f} %",
              f"{100 * row['error']:+.1f} % {'met' if abs(round(row['error'], 3)) <= 0.05 else 'missed'}"]
             for row in part["known"] if "argument" in row]
    if lines:
        write(table(["program", "build", "argument", "its calls took", "share", "by callsig", "error"], lines) + "\n")
    write_not_run([(f"{row.get('program', 'known')}, {row['build']}", row) for row in part["known"]], write)


def off(row, plain):
    """What the report says of its error, and the error."""
    if "uncertainty" not in row:
        return "not told", "-"
    error = row["seconds"] - plain["seconds"]
    return f"{row['uncertainty']:.3f} s", f"{error:+.3f} s {'within' if abs(error) <= row['uncertainty'] else 'beyond'}"


