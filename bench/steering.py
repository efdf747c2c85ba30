#!/usr/bin/env python3
"""steering.py BUILD_DIR REDIS_FOLDER [--looks N] [--interval S] [--switches N] [--periods N]

`callsig top` and `callsig ctl` on a Redis under load, held against Redis's own counters.

REDIS_FOLDER holds redis-server, redis-benchmark and redis-cli, the server with sleds:

    scripts/get-sources.sh FOLDER redis && make -C FOLDER/redis CC=callsig-cc MALLOC=libc

It prints what top shows in a terminal (tmux) beside INFO commandstats (between the moments at which Redis had served the calls that top
shows in all, so that nothing depends on how soon a screen is read), how long the program takes to acknowledge a request, and the
calls of setCommand() that were recorded beside those that Redis served while it was recorded. Its status is 1 where a rate is more than
2 % off, an acknowledgement takes more than 10 ms in the median, or one call is missing."""

import argparse
import mmap
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from runner import NotRun, median, need, run
from tools import Callsig

COMMAND, FUNCTION = "set", "setCommand"
REQUEST, TAKEN, ON, OFF = 416, 424, 1, 2  # docs/recording-format.md, the header
# calls/s, self s/s, % now, % all, calls
ROW = re.compile(r"^\s*([\d.]+)\s+\S+\s+\S+\s+\S+\s+(\d+)\s.*\(" + FUNCTION + r"\)", re.MULTILINE)
MOST_OFF, MOST_MS = 0.02, 10.0


class Server:
    """A Redis that is recorded, and what it counts."""

    def __init__(self, callsig, programs, folder):
        self.programs, self.folder = programs, folder
        self.socket, self.recording = os.path.join(folder, "socket"), os.path.join(folder, "recording")
        self.process = subprocess.Popen([callsig.command, "run", "-o", self.recording, self.tool("redis-server"), "--port", "0", "--unixsocket",
                                         self.socket, "--save", "", "--appendonly", "no"], cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, CALLSIG_CACHE_DIR=callsig.cache))
        while not os.path.exists(self.socket):
            if self.process.poll() is not None:
                raise NotRun("redis-server ended: " + self.process.stderr.read().strip())
            time.sleep(0.05)
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(self.socket)
        self.answers = self.connection.makefile("rb")

    def tool(self, name):
        return os.path.join(self.programs, name)

    def load(self, count, **options):
        return subprocess.Popen([self.tool("redis-benchmark"), "-s", self.socket, "-t", COMMAND, "-n", str(count), "-c", "20", "-q"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)

    def served(self):
        """How often it did the command, and when it said so: half way of the question."""
        before = time.monotonic()
        self.connection.sendall(b"INFO commandstats\r\n")
        size = int(self.answers.readline()[1:])
        text = self.answers.read(size + 2).decode()
        found = re.search(rf"cmdstat_{COMMAND}:calls=(\d+)", text)
        return int(found[1]) if found else 0, (before + time.monotonic()) / 2

    def end(self):
        self.connection.close()
        run([self.tool("redis-cli"), "-s", self.socket, "shutdown", "nosave"])
        self.process.stderr.close()
        self.process.wait()


class Screen:
    """`callsig top` in a terminal of its own."""

    def __init__(self, callsig, server, interval):
        need("tmux")
        self.tmux = ["tmux", "-L", f"callsig-{os.getpid()}", "-f", "/dev/null"]
        run([*self.tmux, "new-session", "-d", "-x", "160", "-y", "40",
             f"exec '{callsig.command}' top --by function -s calls --filter {FUNCTION} --interval {interval} '{server.recording}'"])

    def shown(self):
        """The rate and the calls that it shows now; None before it does."""
        found = ROW.search(run([*self.tmux, "capture-pane", "-p"]))
        return (float(found[1]), int(found[2])) if found else None

    def end(self):
        run([*self.tmux, "kill-session"])


def moment_of(counts, calls):
    """When Redis had served so many, between two of its answers; None before the first of them."""
    for (served, moment), (next_served, next_moment) in zip(counts, counts[1:]):
        if served <= calls <= next_served and next_served > served:
            return moment + (calls - served) * (next_moment - moment) / (next_served - served)
    return None


def watch(callsig, server, looks, interval):
    """What top showed, and what Redis counted meanwhile."""
    counts, shown, is_over = [], [], threading.Event()

    def count():
        while not is_over.wait(0.01):
            counts.append(server.served())
    counting, screen, load = threading.Thread(target=count), Screen(callsig, server, interval), server.load(10 ** 9)
    counting.start()
    try:
        while len(shown) < looks:
            now = screen.shown()
            if now and now not in shown:
                shown.append(now)
            time.sleep(interval / 20)
        time.sleep(0.5)
    finally:
        is_over.set()
        counting.join()
        screen.end()
        load.send_signal(signal.SIGTERM)
        load.wait()
    return shown, counts


def compare_rates(callsig, server, looks, interval):
    """(shown, served) a second, by look; the first looks may have begun before the load did."""
    shown, counts = watch(callsig, server, looks + 2, interval)
    rates = []
    for (_, before), (rate, calls) in zip(shown[1:], shown[2:]):
        since, until = moment_of(counts, before), moment_of(counts, calls)
        if since is None or until is None:
            raise NotRun(f"Redis never had served the {calls} calls that top shows")
        rates.append((rate, (calls - before) / (until - since)))
    return rates


def acknowledgements(server, count):
    """Milliseconds from a request to its acknowledgement, under load."""
    times = []
    load = server.load(10 ** 9)
    time.sleep(0.5)
    with open(server.recording, "r+b") as file, mmap.mmap(file.fileno(), 4096) as header:
        for number in range(count):
            request = ((struct.unpack_from("<Q", header, REQUEST)[0] >> 8) + 1) << 8 | (ON if number % 2 else OFF)
            begun = time.perf_counter()
            struct.pack_into("<Q", header, REQUEST, request)
            while struct.unpack_from("<Q", header, TAKEN)[0] != request:
                time.sleep(0)
            times.append((time.perf_counter() - begun) * 1e3)
    load.send_signal(signal.SIGTERM)
    load.wait()
    return sorted(times)


def switch(callsig, server, word):
    """Asks, while Redis has something to do, so that it calls functions."""
    asking = subprocess.Popen([callsig.command, "ctl", "--wait", "60s", server.recording, word], stdin=subprocess.DEVNULL)
    while asking.poll() is None:
        run([server.tool("redis-cli"), "-s", server.socket, "ping"])
    if asking.returncode != 0:
        raise NotRun(f"callsig ctl {word} failed")


def recorded_calls(callsig, server, output):
    run([callsig.command, "ctl", server.recording, "snapshot", output])
    return sum(row["ncalls"] for row in callsig.report(output, "--by", "function")["rows"] if row["function"] == FUNCTION)


def count_periods(callsig, server, periods):
    """(recorded, served) calls while recording was on, and those served while it was off."""
    output, wanted, unseen = os.path.join(server.folder, "snapshot"), 0, 0
    before = recorded_calls(callsig, server, output)
    for number in range(2 * periods):
        is_on = number % 2 == 1
        switch(callsig, server, "on" if is_on else "off")
        served, _ = server.served()
        server.load(1000 + number).wait()
        served = server.served()[0] - served
        wanted, unseen = wanted + is_on * served, unseen + (not is_on) * served
    return recorded_calls(callsig, server, output) - before, wanted, unseen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("build")
    parser.add_argument("redis")
    parser.add_argument("--looks", type=int, default=6)
    parser.add_argument("--interval", type=float, default=10)
    parser.add_argument("--switches", type=int, default=2000)
    parser.add_argument("--periods", type=int, default=20)
    options = parser.parse_args()
    callsig = Callsig(options.build)
    try:
        callsig.require()
        callsig.index(os.path.join(options.redis, "redis-server"))
        with tempfile.TemporaryDirectory(prefix="callsig-redis-") as folder:
            server = Server(callsig, os.path.abspath(options.redis), folder)
            try:
                rates = compare_rates(callsig, server, options.looks, options.interval)
                times = acknowledgements(server, 2 * (options.switches // 2))
                recorded, wanted, unseen = count_periods(callsig, server, options.periods)
            finally:
                server.end()
    except NotRun as error:
        sys.exit(f"steering.py: {error}")
    for shown, served in rates:
        print(f"{FUNCTION}: top {shown:.1f}/s, Redis {served:.1f}/s, {100 * (shown / served - 1):+.2f} %")
    print(f"{len(times)} requests: acknowledged after {median(times):.3f} ms in the median, 99 % within {times[len(times) * 99 // 100]:.3f} ms, "
          f"the last {times[-1]:.3f} ms")
    print(f"{FUNCTION}: {recorded} calls recorded in {options.periods} periods, {wanted} served; {unseen} served in others")
    return any(abs(shown / served - 1) > MOST_OFF for shown, served in rates) or median(times) > MOST_MS or recorded != wanted


if __name__ == "__main__":
    sys.exit(main())
