#!/usr/bin/env python3
"""index_cost.py BUILD_DIR SOURCES OUT.json [--rounds N]

What making a signature index costs: seconds and peak memory with an empty cache, seconds when the cache has it, and the
index's size, beside the bytes of DWARF that were read. Among the programs are 2, 4 and 8 copies of SQLite in one executable:
the same code, so that whatever grows faster than the DWARF shows."""

import argparse
import json
import math
import os
import subprocess
import sys
import time

import real
from runner import Folder, NotRun, compile_with, median, run
from tools import FLAGS, Callsig, source

COPIES = [1, 2, 4, 8]


def dwarf_bytes(program):
    """The sum of the sizes of the .debug_* sections, as they are in the file."""
    total = 0
    for line in run(["readelf", "-SW", program]).splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 5 and fields[1].startswith(".debug_"):
            total += int(fields[5], 16)
    return total


def sqlite_copies(builder, count, folder):
    """An executable that holds the SQLite amalgamation `count` times, each behind one function of its own."""
    generated = builder.generated(builder.program("sqlite3"))
    whole, objects = os.path.join(folder, "sqlite.o"), []
    if not os.path.exists(whole):
        compile_with("gcc", "-O2", "-g", "-w", "-finstrument-functions", "-fPIE", "-c", str(generated / "sqlite3.c"), "-o", whole)
    main = os.path.join(folder, f"main-{count}.c")
    for number in range(count):
        path = os.path.join(folder, f"sqlite-{number}.o")
        run(["objcopy", f"--keep-global-symbol=open_{number}", f"--redefine-sym=sqlite3_open=open_{number}", whole, path])
        objects.append(path)
    with open(main, "w", encoding="utf-8") as file:
        for number in range(count):
            file.write(f"int open_{number}(const char *, void **);\n")
        opens = "".join(f" + open_{number}(\":memory:\", &base)" for number in range(count))
        file.write(f"int main(void)\n{{\n  void *base;\n  return 0{opens};\n}}\n")
    program = os.path.join(folder, f"sqlite-x{count}")
    compile_with("gcc", "-g", "-pthread", main, *objects, "-o", program, "-lm", "-ldl")
    return program


def programs(sources, out):
    """[(name, function that builds it and gives its path)]"""
    builder = real.Builder(sources, out)
    copies = os.path.join(out, "copies")
    os.makedirs(copies, exist_ok=True)

    def patterns():
        path = os.path.join(out, "patterns")
        compile_with("gcc", *FLAGS, "-finstrument-functions", source("calls.c"), source("measure.c"), "-o", path)
        return path

    listed = [("call patterns", patterns)]
    for name in ("lua", "zstd", "sqlite3", "jsonnet"):
        for variant in ("gcc-O2", "clang-O2"):
            listed.append((f"{name}, {variant.replace('-', ' -')}", real.Load(name, builder, []).program, variant))
    bound = [(entry[0], lambda entry=entry: entry[1](*entry[2:])) for entry in listed]
    for count in COPIES:
        bound.append((f"SQLite library x{count}", lambda count=count: sqlite_copies(builder, count, copies)))
    return bound


def timed_index(callsig, program, cache):
    """Seconds and peak resident bytes of one `callsig index --cache`."""
    environment = dict(os.environ, CALLSIG_CACHE_DIR=cache)
    start = time.perf_counter()
    with subprocess.Popen([callsig.command, "index", "--cache", program], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as child:
        message = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise NotRun(f"callsig index ended with {child.returncode}: {message.strip()}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def measure(callsig, program, rounds):
    cold, cached, memory = [], [], 0
    for _ in range(rounds):
        with Folder() as cache:
            seconds, peak = timed_index(callsig, program, cache)
            cold.append(seconds)
            memory = max(memory, peak)
            cached.append(timed_index(callsig, program, cache)[0])
            size = sum(os.path.getsize(os.path.join(cache, name)) for name in os.listdir(cache))
    return {"dwarf": dwarf_bytes(program), "cold": median(cold), "cached": median(cached), "memory": memory, "size": size,
            "file": os.path.getsize(program)}


def growth(rows):
    """The exponent of time over DWARF bytes, by least squares over the copies of SQLite: 1 is linear."""
    points = [(math.log(row["dwarf"]), math.log(row["cold"])) for row in rows if "copies" in row and "cold" in row]
    if len(points) < 2:
        return None
    x = sum(point[0] for point in points) / len(points)
    y = sum(point[1] for point in points) / len(points)
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("sources")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    callsig = Callsig(options.build)
    sources = os.path.abspath(options.sources)
    run([os.path.join(real.HERE, "..", "scripts", "get-sources.sh"), sources, *real.PACKAGES])
    rows = []
    for name, make in programs(sources, os.path.join(callsig.build, "bench", "real")):
        row = {"program": name}
        if name.startswith("SQLite library x"):
            row["copies"] = int(name.rsplit("x", 1)[1])
        try:
            callsig.require()
            row.update(measure(callsig, make(), options.rounds))
        except NotRun as reason:
            row["not_run"] = str(reason)
        rows.append(row)
        print(f"index: {name}", file=sys.stderr, flush=True)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"rounds": options.rounds, "growth": growth(rows), "rows": rows}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
