#!/usr/bin/env python3
# ctest: name inject.faults
# ctest: real
# ctest: skips
# ctest: arguments --inject $<TARGET_FILE:inject>
# ctest: case - quick --samples 2
# ctest: case _full.lua full lua
# ctest: case _full.threads full threads
# ctest: case _full.run full run
# ctest: case _full.allocations full allocations
# ctest: case _full.stages full stages
# ctest: case _full.merge full merge
# ctest: case _full.serve full serve
# ctest: case _full.push full push
# ctest: case _full.attach full attach
# ctest: case _full.ctl full ctl
# ctest: case _full.mpi full mpi --samples 100
# ctest: case _full.killed full killed
# ctest: case _full.killed_run full killed_run
# ctest: case _full.killed_stages full killed_stages
# ctest: case _full.killed_merge full killed_merge
# ctest: case _full.killed_serve full killed_serve
# ctest: case _full.killed_push full killed_push
# ctest: case _full.killed_attach full killed_attach
# ctest: case _full.killed_attach_computing full killed_attach_computing
# ctest: case _full.killed_ctl full killed_ctl
"""One system call of callsig fails, or its process is killed at one: nothing crashes, hangs or is lost without a word.

    test_faults.py --sources FOLDER --out FOLDER --build FOLDER --inject PROGRAM [--samples N] [SCENARIO...]

A scenario is a command and whose calls in it fail (inject.c). It runs once to be counted, and then once for each call that takes
memory, opens, maps, reads, grows or writes a file, locks, or starts a thread or a process; that call fails as it does when the machine
has no more of it. SIGKILL comes at calls of all kinds. Of more than three calls, or allocations, that come from the same place by the same
way, three are tried, evenly spread, of the runtime's ten. The program with threads has times by samples, where hooks ask the kernel how
long a thread waited; Lua has all times, where none does. --samples takes so many of all, spread evenly. What has to hold:

 * the runtime: the program prints and returns what it does without callsig, and every call is recorded, counted as not recorded, or
   a line says what failed;
 * the command: it succeeds, or one line says what failed; inputs stay as they were and an output is whole or absent;
 * killed: a program that is looked at goes on, and ends as it would; recordings and databases are sound, hold no call that was not made,
   and `callsig stages --db` brings a database up to date.

Exit status 77: ptrace() is denied here.
"""

import argparse
import errno
import functools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

import build  # noqa: E402
import jobs  # noqa: E402
import live  # noqa: E402
from product import Product, plain_run  # noqa: E402
from scenario import ENDS, Failure, Scenario, check_end, check_said, expect, spread  # noqa: E402

TIMEOUT = 600
NOTHING = (0, "any", 0)


def names_of_calls():
    """{number: name} of this processor's system calls, as the C library's header has them."""
    text = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", os.devnull], stdout=subprocess.PIPE, text=True, check=True)
    return {int(number): name for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", text.stdout, re.M)}


class Ran:
    """One run of a command: `calls` that inject counted, as (number, system call, its name, arguments, way there), whether a fault was `injected`, and its
    end: 128 + N for a signal N."""

    def __init__(self, done, status, calls, injected):
        self.calls, self.injected, self.status = calls, injected, status
        self.output = done.stdout
        self.said = done.stderr.decode(errors="replace").splitlines()


class Bench:
    """The built callsig, the tool that injects, and the programs to run."""

    def __init__(self, options):
        self.product, self.out = Product(options.build, options.out), options.out
        self.inject = str(Path(options.inject).resolve())
        self.names = names_of_calls()
        self.builder = build.Builder(options.sources, options.out, self.product.libraries, self.product.plugins)
        self.threads = [str(Path(options.out).resolve() / "inject-threads")]
        self.failing_memory = str(Path(options.out).resolve() / "inject-fail.so")
        self.make(["cc", "-shared", "-fPIC", str(HERE.parent / "support" / "fail_allocation.c")], self.failing_memory)
        self.live = [str(Path(options.out).resolve() / "inject-live")]
        for program in (self.threads, self.live):
            source = HERE / f"{Path(program[0]).name.removeprefix('inject-')}.c"
            self.make([str(self.product.command.parent / "callsig-cc"), "-O1", str(source), "-pthread", "-ldl"], program[0],
                      env=self.product.environment(CALLSIG_CC="gcc"))

    @staticmethod
    def make(command, product, env=None):
        """Other scenarios make it at the same time, and run it: it is there at once, or as it was."""
        with tempfile.TemporaryDirectory(dir=Path(product).parent) as folder:
            made = str(Path(folder) / Path(product).name)
            subprocess.run([*command, "-o", made], check=True, env=env)
            os.replace(made, product)

    @functools.cached_property
    def lua(self):
        return [*self.builder.build("lua", "gcc-O2-sleds-fixed"), *self.builder.runs("lua", small=True)[0].args]

    def run_as_it_is(self, command, folder, **variables):
        """A run whose faults are none of inject's."""
        done = self.started([str(word) for word in command], folder, variables)
        return Ran(done, done.returncode if done.returncode >= 0 else 128 - done.returncode, [], True)

    def run(self, who, fault, command, folder, **variables):
        log = Path(folder) / "log"
        done = self.started([self.inject, str(log), who, *map(str, fault), *map(str, command)], folder, variables)
        if done.returncode == 77:
            print(done.stderr.decode().strip())
            sys.exit(77)
        lines = log.read_text().splitlines()
        calls = [(int(words[0]), int(words[1]), self.names[int(words[1])], [int(word) for word in words[2:4]], int(words[4]))
                 for words in map(str.split, lines) if words[0].isdigit()]
        return Ran(done, int(lines[-1].split()[1]), calls, any(line.startswith("injected") for line in lines))

    def started(self, command, folder, variables):
        return subprocess.run(command, cwd=folder, timeout=TIMEOUT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.product.environment(CALLSIG_COMMAND=str(self.product.command), **variables))

    def record(self, program, recording):
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL, env=self.product.environment(
            LD_PRELOAD=str(self.product.preload), CALLSIG_OUTPUT=str(recording), CALLSIG_COMMAND=str(self.product.command)))

    def callsig(self, *arguments):
        done = subprocess.run([str(self.product.command), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.product.environment())
        expect(done.returncode in (0, 1) and (done.returncode == 0) != bool(done.stderr),
               f"callsig {' '.join(map(str, arguments))}: status {done.returncode}, {done.stderr.strip()}")
        return done

    def recorded(self, recording):
        """(calls in the report, calls that it says are not recorded)."""
        report = json.loads(self.callsig("report", recording, "--by", "function", "--format", "json").stdout or '{"rows": [], "notes": []}')
        lost = [re.match(r"(\d+) calls? not recorded", note) for note in report["notes"]]
        return sum(row["ncalls"] for row in report["rows"]), sum(int(found[1]) for found in lost if found)


class Runtime(Scenario):
    """The runtime inside a program that it was preloaded into."""

    who = "library=libcallsig.so"
    # Where each call is a stop of the tracer's, a thread never has the processor for long, and asks the kernel again and again how long
    # it waited: the same few system calls.
    alike = 10

    def __init__(self, bench, program, **settings):
        super().__init__(bench, program)
        self.settings = settings

    def run(self, folder, fault=NOTHING):
        return self.bench.run(self.who, fault, ["env", f"LD_PRELOAD={self.bench.product.preload}", *self.program], folder,
                              CALLSIG_OUTPUT=str(folder / "recording"), **self.settings)

    def measure(self, folder):
        ran, plain = self.run(folder), plain_run(self.program)
        self.status, self.output = plain.returncode, plain.stdout
        self.calls, lost = self.bench.recorded(folder / "recording")
        expect((ran.status, ran.output) == (self.status, self.output) and not ran.said and self.calls > 100 and not lost,
               f"without a fault: status {ran.status}, {ran.said}, {self.calls} calls, {lost} lost")

    def judge(self, folder, ran):
        expect((ran.status, ran.output) == (self.status, self.output), f"the program's end: {ran.status} {ran.output!r}")
        recording = folder / "recording"
        calls, lost = self.bench.recorded(recording) if recording.exists() else (0, 0)
        expect(calls + lost <= self.calls, f"{calls} calls of {self.calls}, and {lost} lost")
        check_said(ran, told=calls + lost < self.calls)


class Killed(Runtime):
    """The program is killed, and what it recorded until then is read."""

    kills, alike = True, Scenario.alike

    def __init__(self, bench, program):
        super().__init__(bench, program)
        self.who = f"whole={Path(program[0]).name}"

    def judge(self, folder, ran):
        expect(ran.status == 128 + 9, f"status {ran.status}")
        recording = folder / "recording"
        calls, lost = self.bench.recorded(recording) if recording.exists() else (0, 0)
        expect(calls + lost <= self.calls, f"{calls} calls of {self.calls}, and {lost} lost")


class Command(Scenario):
    """`callsig run --db`: the command and its thread that reads along."""

    who = "program=callsig"

    def command(self, folder):
        return [self.bench.product.command, "run", "-o", folder / "recording", "--db", folder / "db", "--interval", "0.01", *self.program]

    def run(self, folder, fault=NOTHING):
        return self.bench.run(self.who, fault, self.command(folder), folder)

    def in_database(self, path):
        with sqlite3.connect(path) as database:
            expect(database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the database is damaged")
            return database.execute("SELECT TOTAL(ncalls) FROM function_stats").fetchone()[0]

    def measure(self, folder):
        ran = self.run(folder)
        self.output, (self.calls, lost) = ran.output, self.bench.recorded(folder / "recording")
        expect(ran.status == 0 and not ran.said and not lost and self.in_database(folder / "db") == self.calls,
               f"without a fault: status {ran.status}, {ran.said}, {self.calls} calls, {lost} lost")

    def judge(self, folder, ran):
        expect(ran.output in (b"", self.output), f"the program's output: {ran.output!r}")
        complete = ran.status == 0 and not ran.said
        check_end(ran)
        self.complete(folder, complete)

    def recording(self, folder):
        return folder / "recording"

    def complete(self, folder, complete):
        recording, database = self.recording(folder), folder / "db"
        expect(recording.exists() or not complete, "no recording")
        if recording.exists():
            calls, lost = self.bench.recorded(recording)
            expect(calls + lost <= self.calls, f"{calls} calls of {self.calls}, and {lost} lost")
            if complete:
                expect(calls == self.calls and self.in_database(database) == calls, "it succeeded, and not all is there")
            if self.bench.callsig("stages", "--db", database, recording).returncode == 0:
                expect(self.in_database(database) == calls, "the database does not get up to date")


class Allocations(Command):
    """One allocation of the command finds no memory."""

    def run(self, folder, fault=NOTHING):
        number = fault[0] or 10 ** 12
        return self.bench.run_as_it_is(self.command(folder), folder, LD_PRELOAD=self.bench.failing_memory, FAIL_ALLOCATION=str(number),
                                       FAIL_ALLOCATION_IN="callsig", FAIL_ALLOCATION_ONCE="1", FAIL_ALLOCATION_WAYS=str(folder / "ways"))

    def faults(self, folder):
        self.run(folder)
        allocations = [map(int, line.split()) for line in (folder / "ways").read_text().splitlines()]
        return self.of_each_place([(way, (number, "any", errno.ENOMEM, "an allocation")) for number, way in allocations])


class KilledCommand(Command):
    """The command is killed while the program runs, or its child that is to become the program."""

    who, kills = "whole=callsig", True

    def judge(self, folder, ran):
        expect(ran.status in (*ENDS, 128 + 9), f"status {ran.status}, {ran.said}")
        check_said(ran, told=ran.status != 128 + 9)
        self.complete(folder, False)


class Stages(Command):
    """`callsig stages --db`, of a run that nobody read along."""

    def recording(self, folder):
        return folder.parent / "unread"

    def run(self, folder, fault=NOTHING):
        return self.bench.run(self.who, fault, [self.bench.product.command, "stages", "--db", folder / "db", self.recording(folder)], folder)

    def measure(self, folder):
        recording = self.recording(folder)
        self.bench.record(self.program, recording)
        ran = self.run(folder)
        self.calls, lost = self.bench.recorded(recording)
        expect(ran.status == 0 and not ran.said and not lost and self.in_database(folder / "db") == self.calls,
               f"without a fault: status {ran.status}, {ran.said}, {self.calls} calls, {lost} lost")

    def judge(self, folder, ran):
        check_end(ran)
        self.complete(folder, ran.status == 0 and not ran.said)


class KilledStages(Stages):
    who, kills = "whole=callsig", True

    def judge(self, folder, ran):
        expect(ran.status == 128 + 9, f"status {ran.status}")
        self.complete(folder, False)


class Merge(Scenario):
    """`callsig merge`."""

    who = "program=callsig"

    def __init__(self, bench, program):
        super().__init__(bench, program)
        self.parts = []

    def prepare(self, folder):
        for name in ("one", "two"):
            path = folder / name
            self.bench.record(self.program, path)
            self.parts.append((path, path.read_bytes()))

    def run(self, folder, fault=NOTHING):
        return self.bench.run(self.who, fault, [self.bench.product.command, "merge", "-o", folder / "merged",
                                                *[path for path, _ in self.parts]], folder)

    def measure(self, folder):
        self.prepare(folder.parent)
        ran = self.run(folder)
        self.calls = sum(self.bench.recorded(path)[0] for path, _ in self.parts)
        expect(ran.status == 0 and not ran.said and self.bench.recorded(folder / "merged") == (self.calls, 0),
               f"without a fault: status {ran.status}, {ran.said}")

    def judge(self, folder, ran):
        check_end(ran)
        self.check_files(folder, ran.status == 0)
        left = {path.name for path in folder.iterdir()} - {"log", "merged"}
        expect(not left, f"it left {left}")

    def check_files(self, folder, complete):
        expect(all(path.read_bytes() == content for path, content in self.parts), "its input has changed")
        merged = folder / "merged"
        expect(merged.exists() or not complete, "nothing was merged")
        if merged.exists():
            expect(self.bench.recorded(merged) == (self.calls, 0), "what is merged is not whole")


class KilledMerge(Merge):
    """The same, over a file that is there. What is left beside it goes when it is merged again."""

    who, kills = "whole=callsig", True

    def run(self, folder, fault=NOTHING):
        (folder / "merged").write_bytes(self.parts[0][1])
        return super().run(folder, fault)

    def judge(self, folder, ran):
        expect(ran.status == 128 + 9, f"status {ran.status}")
        if (folder / "merged").read_bytes() != self.parts[0][1]:
            self.check_files(folder, True)
        ran = super().run(folder)
        super().judge(folder, ran)


SCENARIOS = {
    "lua": lambda bench: Runtime(bench, bench.lua, CALLSIG_TIMES="exact"),
    "threads": lambda bench: Runtime(bench, bench.threads),
    "run": lambda bench: Command(bench, bench.threads),
    "allocations": lambda bench: Allocations(bench, bench.threads),
    "stages": lambda bench: Stages(bench, bench.threads),
    "merge": lambda bench: Merge(bench, bench.threads),
    "serve": lambda bench: live.Serve(bench, bench.live),
    "push": lambda bench: live.Push(bench, bench.live),
    "attach": lambda bench: live.Attach(bench, bench.live),
    "ctl": lambda bench: live.Ctl(bench, bench.live),
    "mpi": lambda bench: jobs.Job(bench, jobs.compile_ranks(bench.product, bench.out)),
    "killed": lambda bench: Killed(bench, bench.threads),
    "killed_run": lambda bench: KilledCommand(bench, bench.threads),
    "killed_stages": lambda bench: KilledStages(bench, bench.threads),
    "killed_merge": lambda bench: KilledMerge(bench, bench.threads),
    "killed_serve": lambda bench: live.killed(live.Serve)(bench, bench.live),
    "killed_push": lambda bench: live.killed(live.Push)(bench, bench.live),
    "killed_attach": lambda bench: live.killed(live.Attach)(bench, bench.live),
    "killed_attach_computing": lambda bench: live.killed(live.Attach)(bench, [*bench.live, "compute"]),
    "killed_ctl": lambda bench: live.killed(live.Ctl)(bench, bench.live),
}


def sweep(name, scenario, samples, top):
    """Prints what does not hold; returns the number of faults that were injected and of findings."""
    folder = top / name / "first"
    folder.mkdir(parents=True)
    scenario.measure(folder)
    shutil.rmtree(folder)
    folder.mkdir()
    chosen = spread(scenario.faults(folder), samples)
    injected = wrong = 0
    for number, call, error, what in chosen:
        folder = top / name / str(number)
        folder.mkdir()
        try:
            ran = scenario.run(folder, (number, call, error))
            injected += ran.injected
            if ran.injected:
                scenario.judge(folder, ran)
        except (Failure, subprocess.TimeoutExpired) as failure:
            wrong += 1
            print(f"  {name}: {'killed at ' if scenario.kills else ''}{number}, {what}: {failure}", flush=True)
        shutil.rmtree(folder)
    print(f"{name:14} {injected:5} faults of {len(chosen)}, {wrong} findings", flush=True)
    return injected, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build.add_arguments(parser)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--inject", required=True, help="inject.c, compiled")
    parser.add_argument("--samples", type=int, help="how many faults of each scenario (default: all)")
    parser.add_argument("scenario", nargs="*", choices=[[], *SCENARIOS])
    options = parser.parse_args()
    bench = Bench(options)
    injected = wrong = 0
    with tempfile.TemporaryDirectory(prefix="callsig-inject-") as top:
        for name in options.scenario or SCENARIOS:
            lacks = jobs.lacks(options.build) if name == "mpi" else None
            if lacks:
                print(f"{name}: left out: {lacks}")
                continue
            counts = sweep(name, SCENARIOS[name](bench), options.samples, Path(top))
            injected, wrong = injected + counts[0], wrong + counts[1]
    print(f"{injected} faults injected, {wrong} findings")
    if options.scenario == ["mpi"] and jobs.lacks(options.build):
        return 77
    return wrong > 0 or injected == 0


if __name__ == "__main__":
    sys.exit(main())
