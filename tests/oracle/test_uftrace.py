#!/usr/bin/env python3
# ctest: skips
# ctest: arguments --build @PROJECT_BINARY_DIR@
# ctest: case - full
"""The programs that uftrace is tested with: their output and status are what they are without callsig, and no function has fewer calls
than uftrace counts.

    test_uftrace.py --build FOLDER [--uftrace FOLDER] [NAME...]

FOLDER has uftrace's sources (github.com/namhyung/uftrace), of which tests/s-NAME.c and s-NAME.cpp are built at -O0 and -O2 as it builds
them; without the option the variable CALLSIG_UFTRACE names it. Exit status 77: neither does, or uftrace or a compiler is not installed.
uftrace may count less: it drops what runs at exit and in destructors of thread-specific data.
"""

import argparse
import collections
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 120  # seconds of a run
LEVELS = ("-O0", "-O2")
OPTIONS = ["-g", "-finstrument-functions", "-fno-inline", "-fno-builtin", "-fno-ipa-cp", "-fno-omit-frame-pointer", "-D_FORTIFY_SOURCE=0", "-w"]
# The libraries that some programs are linked with or load, and which those are.
LIBRARIES = {"abc_test_lib": "lib.c", "foo": "libfoo.cpp", "bar": "libbar.cpp", "baz": "libbaz.cpp", "dyn1": "libdyn1.c", "dyn2": "libdyn2.c",
             "except": "libexcept.cpp"}
LINKED = {"nest-libcall": ["-labc_test_lib", "-lfoo"], "libmain": ["-labc_test_lib"], "libexcept-main": ["-lexcept"],
          "dynmain": ["-ldyn1", "-ldyn2"]}
EXECUTED = ("abc", "sleep", "openclose", "fibonacci", "hello")  # by others
# What callsig tells of programs that start others, of which some go on when it has ended.
TOLD = re.compile(r"callsig: (this was \d+ processes|\d+ (process(es)?|more recordings? of processes) that the program started)")
# Programs of which uftrace counts more, and why.
EXPECTED = {"posix_spawn": "what it starts gets an environment of its own, in which nothing asks for a recording; uftrace adds to that"}


class Finding(Exception):
    """What does not hold."""


class Ended:
    """A run: status, and what it wrote to files, since a pipe that a child keeps open would have to be waited for."""

    def __init__(self, command, folder, **variables):
        environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), **variables)
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            with subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                  env=environment, start_new_session=True) as process:
                try:
                    self.status = process.wait(LIMIT)
                except subprocess.TimeoutExpired as late:
                    os.killpg(process.pid, signal.SIGKILL)
                    raise Finding(f"{' '.join(map(str, command))} does not end in {LIMIT} s") from late
            output.seek(0)
            errors.seek(0)
            self.output, self.errors = output.read(), errors.read()


def compiler_of(source):
    return "g++" if source.suffix == ".cpp" else "gcc"


class Program:
    """A program of uftrace's, built at a level in a folder of its own, with all that it may load or execute."""

    def __init__(self, source, level, folder):
        self.source, self.level, self.folder = source, level, folder
        self.name = source.stem[2:]
        folder.mkdir()
        for library, name in LIBRARIES.items():
            self.compile(source.parent / f"s-{name}", f"lib{library}.so", "-shared", "-fPIC")
        for name in EXECUTED:
            self.compile(source.parent / f"s-{name}.c", f"t-{name}")
        built = self.compile(source, f"t-{self.name}", "-L.", *LINKED.get(self.name, []), "-pthread", "-ldl", "-lm", "-lrt")
        self.unbuilt = built.stderr.strip().splitlines()[:1] if built.returncode else None

    def compile(self, source, output, *options):
        return subprocess.run([compiler_of(source), self.level, *OPTIONS, "-o", output, source, *options], cwd=self.folder, capture_output=True,
                              text=True, check=False)

    def run(self, *before, **variables):
        return Ended([*before, f"./t-{self.name}"], self.folder, **variables)


def short(name):
    """A function's name without its parameters, arguments of templates and scopes, as far as both tools have it so."""
    if name.startswith("_Z"):
        name = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()
    name = re.sub(r"\[.*?\]|@.*|\.\d+$", "", name.replace("{anonymous}", "").replace("(anonymous namespace)", ""))
    if "operator" not in name:
        while re.search(r"<[^<>]*>", name):
            name = re.sub(r"<[^<>]*>", "", name)
        name = re.sub(r"\(.*", "", name).strip()
    return name.split("::")[-1].split(" ")[-1]


def by_uftrace(program):
    """name -> calls."""
    kept = program.folder / "uftrace.data"
    program.run("uftrace", "record", "--no-libcall", "--no-sched", "--no-event", "-d", kept)
    done = Ended(["uftrace", "report", "-d", kept, "--demangle=no", "-f", "call", "--no-event"], program.folder)
    counts = collections.Counter()
    for calls, name in re.findall(r"^\s+(\d+)\s+(\S.*?)\s*$", done.output.decode("latin1"), re.M):
        if not name.startswith("linux:"):
            counts[short(name)] += int(calls)
    return counts


def await_end(path):
    """Its process has the lock of a recording until it ends."""
    deadline = time.monotonic() + LIMIT
    with open(path, "rb") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError as held:
                if time.monotonic() > deadline:
                    raise Finding(f"{path.name}: its process does not end") from held
                time.sleep(0.01)


def recordings(path, going_on):
    """The recording, and those of processes that outlive it."""
    deadline = time.monotonic() + LIMIT
    while len(found := sorted(path.parent.glob(path.name + ".*[0-9]"))) < going_on and time.monotonic() < deadline:
        time.sleep(0.01)
    return [path, *found] if path.exists() else found


def by_callsig(program, command, errors):
    """name -> calls, of all processes. What was open at a fork goes on in the child without being called there; for uftrace it is."""
    going_on = re.search(r"(\d+) process(?:es)? that the program started go", errors)
    counts = collections.Counter()
    for path in recordings(program.folder / "recording", int(going_on[1]) if going_on else 0):
        await_end(path)
        done = Ended([command, "report", "--by", "function,process", "--format", "json", path], program.folder)
        if done.status:
            raise Finding(f"no report: {done.errors.decode('latin1').strip()}")
        for row in json.loads(done.output)["rows"]:
            counts[short(row["function"])] += row["ncalls"] or 1
    return counts


def scrub(output):
    """Addresses, numbers of processes and times differ from run to run."""
    return re.sub(rb"0x[0-9a-f]{6,}|\b\d{3,}\b", b"N", output)


def check(program, command, cache):
    """How many calls callsig and uftrace count, once all holds."""
    plain = program.run()
    done = program.run(command, "run", "-o", "recording", CALLSIG_CACHE_DIR=str(cache))
    errors = done.errors.decode("latin1")
    if done.status != (plain.status if plain.status >= 0 else 128 - plain.status):
        raise Finding(f"status {plain.status}, with callsig {done.status}: {errors}")
    if scrub(plain.output) != scrub(done.output):
        raise Finding(f"it prints {plain.output!r}, with callsig {done.output!r}")
    others = [line for line in errors.splitlines() if not TOLD.match(line)]
    if [scrub(line.encode("latin1")) for line in others] != [scrub(line) for line in plain.errors.splitlines()]:
        raise Finding(f"stderr: {others}, without callsig {plain.errors!r}")
    if (program.folder / "callsig.out").exists():
        raise Finding("there is a recording where none was asked for")
    mine, theirs = by_callsig(program, command, errors), by_uftrace(program)
    fewer = {name: (mine[name], calls) for name, calls in theirs.items() if mine[name] < calls}
    # Of templates and operators the tools have other names.
    others = sum(calls for name, calls in mine.items() if name not in theirs)
    if sum(calls - found for found, calls in fewer.values()) > others and program.name not in EXPECTED:
        raise Finding(f"fewer calls (callsig, uftrace): {fewer}; of all {sum(mine.values())}, {sum(theirs.values())}")
    return sum(mine.values()), sum(theirs.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--uftrace", type=Path, default=os.environ.get("CALLSIG_UFTRACE"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    lacking = [name for name in ("uftrace", "gcc", "g++", "c++filt") if not shutil.which(name)]
    if not options.uftrace or lacking:
        print(f"skipped: {' and '.join(lacking)} not there" if lacking else "skipped: CALLSIG_UFTRACE, the folder of uftrace's sources, is not set")
        return 77
    command = (options.build / "cli" / "callsig").resolve()
    sources = sorted(path for path in Path(options.uftrace).resolve().glob("tests/s-*.c*") if path.name[2:] not in LIBRARIES.values())
    wrong, ran, unbuilt = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="callsig-uftrace-") as top:
        for source in sources:
            if options.names and source.stem[2:] not in options.names:
                continue
            for level in LEVELS:
                program = Program(source, level, Path(top) / f"{source.stem}{source.suffix}{level}")
                try:
                    if program.unbuilt is not None:
                        unbuilt += 1
                        print(f"     {program.name} {level}: not built: {program.unbuilt}", flush=True)
                        continue
                    ran += 1
                    mine, theirs = check(program, command, Path(top) / "cache")
                    print(f"ok   {program.name} {level}: {mine} calls, uftrace {theirs}", flush=True)
                except Finding as finding:
                    wrong += 1
                    print(f"FAIL {program.name} {level}: {finding}", flush=True)
                finally:
                    shutil.rmtree(program.folder)
    print(f"{ran} programs ran, {unbuilt} were not built, {wrong} findings")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
