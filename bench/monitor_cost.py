#!/usr/bin/env python3
"""monitor_cost.py BUILD_DIR OUT.json [--rounds N] [--seconds N]

What the monitor of `callsig run --db --interval 1` uses of a core while a program runs: the CPU time of all threads of the
callsig process, by the scheduler's own count, from its first second on until shortly before its end."""

import argparse
import glob
import json
import os
import subprocess
import sys
import time

from runner import Folder, NotRun, compile_with, median
from tools import FLAGS, Callsig, source

SECONDS = 30
KINDS = [("stages", "two stages, four threads"), ("rows", "24,000 rows")]


def cpu_seconds(pid):
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path, encoding="utf-8") as file:
            total += int(file.read().split()[0])
    return total * 1e-9


def share(callsig, program, kind, folder, seconds):
    """The share of a core, and the bytes of the recording."""
    recording = os.path.join(folder, "recording")
    command = [callsig.command, "run", "-o", recording, "--db", os.path.join(folder, "runs.db"), "--interval", "1", program, kind, str(seconds)]
    environment = dict(os.environ, CALLSIG_CACHE_DIR=callsig.cache)
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as child:
        # Only what follows is the monitor's: indexes have been made, and the program has begun, by then.
        time.sleep(0.7)
        begun, used = time.perf_counter(), cpu_seconds(child.pid)
        time.sleep(seconds - 2)
        used = cpu_seconds(child.pid) - used
        elapsed = time.perf_counter() - begun
        message = child.stderr.read()
    if child.returncode != 0:
        raise NotRun(f"callsig run ended with {child.returncode}: {message.strip()}")
    return used / elapsed, os.path.getsize(recording)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    options = parser.parse_args()
    callsig = Callsig(options.build)
    rows = []
    for kind, label in KINDS:
        row = {"program": label}
        try:
            callsig.require()
            with Folder() as folder:
                program = os.path.join(folder, "monitored")
                include = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "include")
                libraries = os.path.dirname(callsig.library)
                compile_with("gcc", *FLAGS, f"-I{include}", "-finstrument-functions", source("monitored.c"), "-o", program,
                             f"-L{libraries}", "-lcallsig", f"-Wl,-rpath,{libraries}")
                shares = []
                for number in range(options.rounds):
                    round_folder = os.path.join(folder, str(number))
                    os.mkdir(round_folder)
                    used, row["bytes"] = share(callsig, program, kind, round_folder, options.seconds)
                    shares.append(used)
                row["share"] = median(shares)
        except NotRun as reason:
            row["not_run"] = str(reason)
        rows.append(row)
        print(f"monitor: {label}", file=sys.stderr, flush=True)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"rounds": options.rounds, "rows": rows}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
