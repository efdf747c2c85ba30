#!/usr/bin/env python3
"""rows_cost.py BUILD_DIR OUT.json [--rounds N]

What reading a recording costs, by its rows: `callsig report` to a file, its wall seconds and its peak memory, for recordings that
make_rows wrote, from 100,000 rows to 10,000,000; the same of `callsig export` to each format; the same rows as CPython's pstats
loads, sorts and prints them from `callsig export --to pstats`; and `uftrace report` beside `callsig report` on the same calls of one
program.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time

from runner import Folder, NotRun, compile_with, disk_bytes, last_line, median, need, run

ROWS = (100_000, 1_000_000, 10_000_000)
PSTATS_ROWS = 1_000_000
EXPORT_ROWS = 1_000_000
FORMATS = ("callgrind", "csv", "dot", "flamegraph", "folded", "html", "json", "otlp", "pprof", "pstats", "speedscope")
PSTATS = """
import pstats, resource, sys, time
start = time.perf_counter()
stats = pstats.Stats(sys.argv[1], stream=open(sys.argv[2], "w"))
loaded = time.perf_counter()
stats.sort_stats("cumulative")
ordered = time.perf_counter()
stats.print_stats()
printed = time.perf_counter()
print(loaded - start, ordered - loaded, printed - ordered, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""
# A program whose calls both tools record: as many of them as uftrace keeps in a few seconds.
CALLS = 2_000_000
PROGRAM = """
static __attribute__((noinline)) int leaf(int n) { return n + 1; }
static __attribute__((noinline)) int work(int n) { int sum = 0; for (int i = 0; i < 9; i++) sum += leaf(i + n); return sum; }
int main(void) { int sum = 0; for (int i = 0; i < %d; i++) sum += work(i %% 100); return sum == 42; }
"""


def measured(command, out):
    """Wall seconds, peak bytes and seconds of processor time of a command whose output goes to a file."""
    start = time.perf_counter()
    with open(out, "w") as file, subprocess.Popen(command, stdout=file, stderr=subprocess.PIPE, text=True) as child:
        message = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise NotRun(f"{os.path.basename(command[0])} ended with {child.returncode}: {last_line(message)}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def repeated(rounds, command, out):
    runs = [measured(command, out) for _ in range(rounds)]
    return {"seconds": median([seconds for seconds, _, _ in runs]), "memory": max(memory for _, memory, _ in runs)}


def room(folder):
    return os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize


def memory_available():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:"))


def report_rows(callsig, make_rows, rows, rounds, folder):
    recording, out = os.path.join(folder, "recording"), os.path.join(folder, "table")
    need_bytes = rows * 500
    if room(folder) < need_bytes or memory_available() < need_bytes:
        raise NotRun(f"{rows:,} rows take {need_bytes / 1e9:.0f} GB of disk and of memory")
    run([make_rows, str(rows), recording])
    return {"rows": rows, "bytes": disk_bytes(recording), **repeated(rounds, [callsig, "report", recording], out)}


def export_rows(callsig, make_rows, folder):
    """One run of each: what is of interest is the memory, which does not vary."""
    recording, out = os.path.join(folder, "recording"), os.path.join(folder, "export")
    run([make_rows, str(EXPORT_ROWS), recording])
    formats = {}
    for name in FORMATS:
        seconds, memory, _ = measured([callsig, "export", "--to", name, recording], out)
        formats[name] = {"seconds": seconds, "memory": memory, "row": memory / EXPORT_ROWS, "bytes": os.path.getsize(out)}
        print(name, formats[name], flush=True)
    return {"rows": EXPORT_ROWS, "formats": formats}


def python_pstats(callsig, make_rows, rounds, folder):
    recording, export = os.path.join(folder, "recording"), os.path.join(folder, "export")
    run([make_rows, str(PSTATS_ROWS), recording])
    run([callsig, "export", "--to", "pstats", "-o", export, recording])
    runs = [[float(value) for value in run([sys.executable, "-c", PSTATS, export, os.path.join(folder, "table")]).split()]
            for _ in range(rounds)]
    load, order, write, memory = (median([one[i] for one in runs]) for i in range(4))
    return {"rows": PSTATS_ROWS, "load": load, "sort": order, "print": write, "seconds": load + order + write, "memory": memory}


def same_calls(callsig, rounds, folder):
    """The reports of callsig and of uftrace on the same calls."""
    need("uftrace")
    source = os.path.join(folder, "calls.c")
    with open(source, "w") as file:
        file.write(PROGRAM % (CALLS // 10))
    flags = ["-O1", "-g", "-finstrument-functions", source]
    compile_with("gcc", *flags, "-o", os.path.join(folder, "calls"))
    program, recording, data = (os.path.join(folder, name) for name in ("calls", "recording", "uftrace.data"))
    run([callsig, "run", "-o", recording, "--", program])
    run(["uftrace", "record", "--no-libcall", "-d", data, program])
    ours = repeated(rounds, [callsig, "report", "--by", "function", recording], os.path.join(folder, "table"))
    theirs = repeated(rounds, ["uftrace", "report", "-d", data], os.path.join(folder, "table"))
    return {"calls": CALLS, "callsig": {**ours, "bytes": disk_bytes(recording)}, "uftrace": {**theirs, "bytes": disk_bytes(data)}}


def power(rows, key):
    """The exponent of a figure over the rows between the two largest recordings: 1 is linear."""
    points = [row for row in rows if key in row][-2:]
    if len(points) < 2:
        return None
    return math.log(points[1][key] / points[0][key]) / math.log(points[1]["rows"] / points[0]["rows"])


def attempt(what, *arguments):
    try:
        with Folder() as folder:
            return what(*arguments, folder)
    except NotRun as reason:
        return {"not_run": str(reason)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    run(["cmake", "--build", options.build, "--target", "make_rows"])
    callsig, make_rows = os.path.join(options.build, "cli", "callsig"), os.path.join(options.build, "make_rows")
    rows = []
    for count in ROWS:
        rounds = options.rounds if count < ROWS[-1] else min(options.rounds, 3)
        rows.append({"rows": count, **attempt(report_rows, callsig, make_rows, count, rounds)})
        print(rows[-1], flush=True)
    result = {"rounds": options.rounds, "rows": rows, "time_power": power(rows, "seconds"), "memory_power": power(rows, "memory"),
              "exports": attempt(export_rows, callsig, make_rows),
              "pstats": attempt(python_pstats, callsig, make_rows, options.rounds),
              "uftrace": attempt(same_calls, callsig, options.rounds)}
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
