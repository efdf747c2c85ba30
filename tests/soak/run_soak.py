#!/usr/bin/env python3
"""Runs tests/soak/soak.c for as long as it is told, reads its recording each second while it is written, and prints what it saw.

    run_soak.py --build BUILD_DIR [--seconds N] [--threads N] [--compiler NAME]

It fails where a count is not what the program counted itself, in the end or in any reading: calls of handlers that interrupt the profiler's
own slow path may be missing, where the recording counts as many as lost; where the program's memory or the recording grow after the first
quarter of the time, or its file is larger than what is in use of it allows; and where the live reader fails, hangs, takes more of a
processor than a reading is worth, or seldom comes to a result. How many readings there are depends on how busy the machine is: between
two, the recordings of children that have ended are read. Where the machine has no time for that, the program is stopped until it had, so
that the disk holds them.
"""

import argparse
import glob
import json
import os
import resource
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(TOP, "tests", "guest"))

from harness import Failure, Tools, compile_program, find_source, kernel_said  # noqa: E402
from matrix import LOST, PAGE, own_counts  # noqa: E402

PLUGINS = ("alpha", "beta", "gamma")
HAPPENED = ("threads", "modules", "children", "switches")  # what the program tells that are no calls
IN_SIGNALS = ("handler", "in_handler")
GROWTH = 1.02  # of memory and file after the first quarter of the time
ROOM = 1 << 20  # and so many bytes, which one reading may be off
HEADER_NEXT = 32  # where a recording's header says how many bytes are in use
PAUSE = 1  # seconds between two readings
HANGS = 300  # seconds after which a reading hangs, however busy the machine is
MOST_WORK = 10  # seconds of a processor that a reading may take
MOST_UNREAD = 1000  # recordings of children, a megabyte each, with which the program waits until half of them are read


def leave_cores():
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


class Soak:
    """One run."""

    def __init__(self, tools, options):
        self.tools, self.options = tools, options
        self.recording = tools.new_recording()
        self.counts = os.path.join(tools.scratch, "counts")
        self.children = {}  # calls in the recordings of children, which are removed once they are read
        self.lost_in_children = 0
        self.memory, self.sizes, self.readings, self.unsure = [], [], 0, 0
        self.unused = []  # bytes by which the file was larger than it may be
        self.is_held = False
        self.rounds = []  # seconds, from one reading to the next
        self.before = {}

    def build(self):
        """The program and its plugins; as written, so that every call is one."""
        compiler, hooks = self.tools.hooks_of(self.options.compiler)
        program = os.path.join(self.tools.scratch, "soak")
        compile_program(compiler, ["-g", "-O2", *hooks], [os.path.join(TOP, "tests", "soak", "soak.c")], program, self.tools.link_with("shared"))
        plugins = []
        for name in PLUGINS:
            plugins.append(os.path.join(self.tools.scratch, f"{name}.so"))
            compile_program(compiler, ["-g", "-O0", f"-DPLUGIN={name}", "-shared", "-fPIC", *hooks], [find_source("plugin.c")], plugins[-1])
        return [program, str(self.options.seconds), str(self.options.threads), *plugins]

    def run(self):
        command = self.build()
        with open(self.counts, "wb") as file:
            file.truncate(PAGE)
        environment = self.tools.environment(CALLSIG_OUTPUT=self.recording, HAZARD_COUNTS=self.counts)
        errors = os.path.join(self.tools.scratch, "errors")
        with open(errors, "wb") as output, subprocess.Popen(command, env=environment, cwd=self.tools.scratch, stderr=output,
                                                            preexec_fn=leave_cores) as process:
            ended = threading.Event()
            measuring = threading.Thread(target=self.measure, args=(process, ended))
            measuring.start()
            try:
                self.watch(process)
            finally:
                process.kill()
                ended.set()
                measuring.join()
        with open(errors, encoding="utf-8", errors="replace") as file:
            said = file.read()
        if process.returncode or said:
            raise Failure(f"exit status {process.returncode}: {said}{self.crash(command[0]) if process.returncode < 0 else ''}")

    def crash(self, program):
        """What is known of the end of a program that died by a signal, after an hour maybe: the kernel's words, and its core, which is kept."""
        kept = [shutil.move(core, tempfile.mkdtemp(prefix="callsig-soak-core-")) for core in glob.glob(os.path.join(self.tools.scratch, "core*"))]
        return kernel_said(program) + "".join("\nits core: " + core for core in kept)

    def measure(self, process, ended):
        """What the program and the recording take, each second, however long readings last."""
        while not ended.wait(1):
            self.hold(process)
            if os.path.exists(self.recording):
                used, held = in_use_and_held(self.recording)
                self.sizes.append(used)
                self.unused.append(held - most_held(used))
                self.memory.append(resident(process.pid))

    def hold(self, process):
        """Stops the program while too many recordings of children are unread, and lets it go on."""
        unread = len(self.left_by_children())
        hold = unread > (MOST_UNREAD // 2 if self.is_held else MOST_UNREAD)
        if hold != self.is_held:
            process.send_signal(signal.SIGSTOP if hold else signal.SIGCONT)
            self.is_held = hold

    def left_by_children(self):
        return glob.glob(glob.escape(self.recording) + ".*")

    def watch(self, process):
        latest = time.monotonic() + self.options.seconds * 2 + 60
        while process.poll() is None:
            if time.monotonic() > latest:
                raise Failure("the program hangs")
            began = time.monotonic()
            time.sleep(PAUSE)
            self.take_children()
            if os.path.exists(self.recording) and process.poll() is None:
                self.read_live()
                self.rounds.append(time.monotonic() - began)

    def report(self):
        """The rows of `callsig report`, and whether they are of a moment in which no thread ended; else a line tells so."""
        used = work_of_children()
        try:
            done = subprocess.run([self.tools.command, "report", self.recording, "--format", "json"], capture_output=True, text=True,
                                  env=self.tools.environment(), check=False, timeout=HANGS)
        except subprocess.TimeoutExpired:
            raise Failure(f"reading {self.readings} hangs: it has no result after {HANGS} s") from None
        used = work_of_children() - used
        if used > MOST_WORK:
            raise Failure(f"reading {self.readings} took {used:.0f} s of a processor")
        if done.returncode or done.stderr and "threads end all the time" not in done.stderr:
            raise Failure(f"reading {self.readings}: exit status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)["rows"], not done.stderr

    def read_live(self):
        """A reading of the recording while it is written: no count is above the program's own, and none goes down."""
        rows, sure = self.report()
        own = own_counts(self.counts)
        self.readings += 1
        self.unsure += not sure
        if not sure:
            return
        found = {}
        for row in rows:
            found[row["function"]] = found.get(row["function"], 0) + row["ncalls"]
        for name, calls in found.items():
            if name.startswith("0x"):
                continue  # of a module whose index is being made: it has its name in a later reading
            # A function counts itself once it was entered: each thread may be on its way between the two.
            if calls > own.get(name, 0) + self.options.threads * 2:
                raise Failure(f"reading {self.readings}: {name} was called {own.get(name, 0)} times, the report says {calls}")
        for name, calls in self.before.items():
            if found.get(name, 0) < calls and not name.startswith("0x"):
                raise Failure(f"reading {self.readings}: {name} had {calls} calls before, now {found.get(name, 0)}")
        self.before = found

    def take_children(self, ended=False):
        """Adds up and removes the recordings of children that are gone."""
        for path in self.left_by_children():
            if not ended and os.path.exists(f"/proc/{path[len(self.recording) + 1:].split('.')[0]}"):
                continue
            read = self.tools.read(path)
            for name, (calls, _primitive) in read.calls.items():
                self.children[name] = self.children.get(name, 0) + calls
            self.lost_in_children += sum(read.loss[name] for name in LOST)
            os.unlink(path)

    def compare(self):
        """Every count in the end; returns how many calls were made and how many of them are counted as lost."""
        self.take_children(ended=True)
        own, read = own_counts(self.counts), self.tools.read(self.recording)
        lost = sum(read.loss[name] for name in LOST) + self.lost_in_children
        missing = 0
        for name, calls in own.items():
            if name in HAPPENED:
                continue
            found = read.calls.get(name, [0])[0] + self.children.get(name, 0)
            if found > calls or found < calls and name not in IN_SIGNALS:
                raise Failure(f"{name} was called {calls} times, the recordings say {found}; losses {read.loss}, {self.lost_in_children} in children")
            missing += calls - found
        if missing > lost:
            raise Failure(f"{missing} calls of handlers are missing, {lost} counted as lost")
        if "while_off" in read.calls:
            raise Failure(f"{read.calls['while_off']} calls were recorded while recording was off")
        self.tools.expect_report(self.recording, read)
        return sum(calls for name, calls in own.items() if name not in HAPPENED), lost

    def check_readings(self):
        """There were as many as the machine had time for, and most came to a result."""
        least = least_readings(self.options.seconds, self.rounds)
        if self.readings - self.unsure < least:
            raise Failure(f"{self.readings} readings, {self.unsure} without a quiet moment: {least} with one are expected where they are "
                          f"{statistics.mean(self.rounds or [0]):.1f} s apart")

    def steady(self, what, values):
        """The first and the last of what must not grow: medians, after the first quarter of the time."""
        quarter = len(values) // 4
        if quarter == 0:
            raise Failure(f"{what} was looked at {len(values)} times: the run is too short to tell whether it grows")
        first, last = (statistics.median(part) for part in (values[quarter:quarter * 2], values[-quarter:]))
        if last > first * GROWTH + ROOM:
            raise Failure(f"{what} grew from {first:.0f} to {last:.0f} bytes after the first quarter of the time")
        return f"{what} {first / 1e6:.2f} MB, in the end {last / 1e6:.2f} MB"


def least_readings(seconds, rounds):
    """How many readings with a result there have to be in a run of so many seconds, where they were so far apart: one in twenty seconds, and
    where the machine had no time for that a quarter of those that it had time for."""
    possible = seconds / statistics.mean(rounds) if rounds else 4
    return max(1, round(min(max(4, seconds // 20), possible / 4)))


def work_of_children():
    """Seconds of a processor that all ended children have taken. The program itself runs on."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def resident(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0


def in_use_and_held(recording):
    """The bytes of a recording that blocks were made of (header.next, docs/recording-format.md), and those of its file."""
    with open(recording, "rb") as file:
        header = file.read(HEADER_NEXT + 8)
        held = os.fstat(file.fileno()).st_blocks * 512
    return struct.unpack("<Q", header[HEADER_NEXT:])[0] if len(header) == HEADER_NEXT + 8 else 0, held


def most_held(used):
    """How large the file may be: it grows by a quarter, or a megabyte, before that is used."""
    return max(used * 5 // 4, used + ROOM) + ROOM


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, help="the build folder of callsig")
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--compiler", default="gcc-sleds", choices=("gcc-sleds", "gcc", "clang-sleds", "clang"))
    options = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="callsig-soak-")
    try:
        tools = Tools(options.build, scratch)
        if tools.lacks(options.compiler):
            sys.exit(f"run_soak.py: {tools.lacks(options.compiler)}")
        soak = Soak(tools, options)
        began = time.monotonic()
        soak.run()
        took = time.monotonic() - began
        calls, lost = soak.compare()
        own = own_counts(soak.counts)
        print(f"{took:.0f} s: {own['threads']} threads, {own['modules']} modules, {own['children']} children, {own['handler']} signals, "
              f"{own['switches']} switches, {soak.readings} live readings, {soak.unsure} of them without a quiet moment, as they said")
        print(f"{calls} calls, all as the program counted them; {lost} of handlers' counted as lost")
        soak.check_readings()
        if not all(own.get(name) for name in HAPPENED + IN_SIGNALS):
            raise Failure(f"of what should happen: {own}")
        print(soak.steady("memory", [size for size in soak.memory if size]))
        print(soak.steady("recording", soak.sizes))
        if max(soak.unused) > 0:
            raise Failure(f"the recording's file was {max(soak.unused)} bytes larger than what was in use allows")
    except Failure as failure:
        print(f"FAIL {failure}")
        return 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
