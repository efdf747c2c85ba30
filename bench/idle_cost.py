#!/usr/bin/env python3
"""idle_cost.py BUILD_DIR PLAIN SLEDS [--rounds N]

What a Redis pays while nothing is recorded: the processor time of one with sleds, by itself and under `callsig run --off`, beside that of
one without, for the same requests, in turns. PLAIN and SLEDS are folders as steering.py has its own, the first built by the
compiler alone. It prints the median of the rounds' ratios, and the least and the largest."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

from runner import NotRun, median
from tools import Callsig

SETTLED = 3  # seconds: one that does not record is idle by then (docs/steering.md)
LOADS = {"one request at a time": ["-t", "set,get", "-n", "60000"],
         "16 at a time, with LPUSH and LRANGE": ["-t", "set,get,lpush,lrange_100", "-n", "80000", "-P", "16"]}


def ways(callsig, plain, sleds, folder):
    """{what it is called: the command's beginning}"""
    off = [callsig.command, "run", "--off", "-o", os.path.join(folder, "recording"), "--"]
    return {"plain": [os.path.join(plain, "redis-server")], "sleds that are off": [os.path.join(sleds, "redis-server")],
            "callsig run --off": [*off, os.path.join(sleds, "redis-server")]}


def seconds(command, programs, load, folder, cache):
    """Of a processor that the server takes for a load, as it tells itself."""
    where = os.path.join(folder, "socket")

    def ask(*words):
        return subprocess.run([os.path.join(programs, "redis-cli"), "-s", where, *words], stdout=subprocess.PIPE, text=True, check=True).stdout

    def used():
        return sum(map(float, re.findall(r"^used_cpu_(?:user|sys):([\d.]+)", ask("info", "cpu"), re.MULTILINE)))

    with subprocess.Popen([*command, "--port", "0", "--unixsocket", where, "--save", "", "--appendonly", "no"], cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=dict(os.environ, CALLSIG_CACHE_DIR=cache)) as process:
        while not os.path.exists(where):
            if process.poll() is not None:
                raise NotRun(f"{command[-1]} ended with status {process.returncode}")
            time.sleep(0.05)
        time.sleep(SETTLED)
        before = used()
        subprocess.run([os.path.join(programs, "redis-benchmark"), "-s", where, "-q", "-c", "20", *load], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        taken = used() - before
        ask("shutdown", "nosave")
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("build")
    parser.add_argument("plain")
    parser.add_argument("sleds")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    callsig, plain, sleds = Callsig(options.build), os.path.abspath(options.plain), os.path.abspath(options.sleds)
    try:
        callsig.require()
        with tempfile.TemporaryDirectory(prefix="callsig-idle-") as folder:
            commands = ways(callsig, plain, sleds, folder)
            for load, arguments in LOADS.items():
                rounds = [{way: seconds(command, plain, arguments, folder, callsig.cache)
                           for way, command in commands.items()} for _ in range(options.rounds)]
                for way in list(commands)[1:]:
                    ratios = [taken[way] / taken["plain"] for taken in rounds]
                    print(f"{load}: {way}, beside plain: {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)
    except (NotRun, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"idle_cost.py: {error}")


if __name__ == "__main__":
    main()
