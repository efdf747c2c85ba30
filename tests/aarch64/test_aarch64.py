"""The runtime on aarch64, under qemu-user: its counts and arguments are those of the same program on this machine.

Each program is compiled for both, with -finstrument-functions. Here `callsig run` records it; there the runtime is preloaded, by
indexes that the command of this machine has made before. What the program prints has to be what it prints without the runtime.
"""

import argparse
import collections
import glob
import json
import os
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PREFIX = "aarch64-linux-gnu-"
ROOT = "/usr/aarch64-linux-gnu"
EMULATOR = ["qemu-aarch64", "-L", ROOT]
FLAGS = ["-g", "-finstrument-functions", "-pthread"]
PROGRAMS = ("arguments", "recursion", "threads", "signals", "control", "forks", "contexts")


def need():
    """Skips where this machine lacks the compiler, its C library or the emulator."""
    for program in (PREFIX + "gcc", EMULATOR[0]):
        if not shutil.which(program):
            print(f"skipped: {program} is not installed")
            sys.exit(77)
    if not os.path.exists(f"{ROOT}/lib/libc.so.6"):
        print(f"skipped: no C library in {ROOT}")
        sys.exit(77)


def run(*command, status=0, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **more)
    if status is not None and done.returncode != status:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def expect(condition, text):
    if not condition:
        sys.exit(text)


def build_runtime(work):
    """The runtime's build folder, which all tests below `work` share."""
    folder = os.path.join(work, "runtime")
    os.makedirs(folder, exist_ok=True)
    run("cmake", "-S", TOP, "-B", folder, f"-DCMAKE_TOOLCHAIN_FILE={TOP}/cmake/aarch64-linux-gnu.cmake",
        "-DCALLSIG_RUNTIME_ONLY=ON", "-DCALLSIG_WERROR=ON")
    run("cmake", "--build", folder, "-j", "2")
    return folder


class Case:
    def __init__(self, given):
        self.callsig, self.runtime = given.callsig, build_runtime(given.work)
        self.folder = os.path.join(given.work, given.case)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder, mode=0o700)
        self.cache = self.path("cache")
        os.mkdir(self.cache, mode=0o700)
        os.environ["CALLSIG_CACHE_DIR"] = self.cache
        self.library = os.path.join(self.runtime, "profiler", "libcallsig.so")
        self.archive = os.path.join(self.runtime, "profiler", "libcallsig.a")

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, compiler, program, name, *flags):
        built = self.path(name)
        run(compiler, *FLAGS, os.path.join(TOP, "tests", "aarch64", "programs", program + ".c"), "-o", built, *flags)
        return built

    def rows(self, recordings, by):
        """How often each row was called, by the names of functions, or by those and their signatures."""
        counts = collections.Counter()
        for row in self.report(recordings, "--by", by)["rows"]:
            counts[row["function"] if by == "function" else row["signature"]] += row["ncalls"]
        return counts

    def here(self, program, by):
        """The program's counts on this machine, at -O0."""
        built, out = self.compile("gcc", program, "here", "-O0"), self.path("here.callsig")
        for before in glob.glob(out + "*"):  # a forked child's has another name each time
            os.remove(before)
        run(self.callsig, "run", "--times", "exact", "-o", out, built)
        return self.rows(glob.glob(out + "*"), by)

    def report(self, recordings, *options):
        return json.loads(run(self.callsig, "report", "--format", "json", *options, *recordings).stdout)

    def there(self, built, name, *emulator, index=True, times="exact"):
        """What the program says under the emulator, and its recordings."""
        if index:
            run(self.callsig, "index", "--cache", built)
        out = self.path(name + ".callsig")
        done = run(*EMULATOR, *emulator, built, env=dict(os.environ, CALLSIG_OUTPUT=out, CALLSIG_TIMES=times))
        return done, glob.glob(out + "*")

    def compare(self, program, built, name, *emulator):
        plain = run(*EMULATOR, built)
        done, recordings = self.there(built, name, *emulator)
        expect((done.stdout, done.stderr) == (plain.stdout, ""), f"{name}: {done.stdout}{done.stderr}, not {plain.stdout}")
        optimised = "-O2" in name or "-O3" in name
        for by in ("function", "signature"):
            found, wanted = self.rows(recordings, by), self.here(program, by)
            if optimised and by == "signature":  # some arguments are lost, none is another
                found = {row: count for row, count in found.items() if "=?" not in row}
                expect(found, f"{name}: no argument is read")
                other = {row: count for row, count in found.items() if count > wanted[row]}
                expect(not other, f"{name} by {by}: {other}, not {dict(wanted)}")
            else:
                expect(found == wanted, f"{name} by {by}: {dict(found - wanted)} too often, {dict(wanted - found)} missing")


def program(case, name):
    """Counts and arguments at -O0, counts at -O2 and -O3."""
    for level in ("-O0", "-O2", "-O3"):
        built = case.compile(PREFIX + "gcc", name, name + level, level)
        case.compare(name, built, name + level, "-E", "LD_PRELOAD=" + case.library)


def linked(case, _):
    """The library linked, and the whole program static, makecontext() included."""
    for name in ("recursion", "threads", "contexts"):
        folder = os.path.dirname(case.library)
        shared = case.compile(PREFIX + "gcc", name, name + "-shared", "-O0", "-Wl,--no-as-needed", "-L" + folder, "-lcallsig",
                              "-Wl,-rpath," + folder)
        case.compare(name, shared, name + "-shared")
        static = case.compile(PREFIX + "gcc", name, name + "-static", "-O0", "-static", "-Wl,--whole-archive", case.archive,
                              "-Wl,--no-whole-archive")
        expect("statically" in run("file", static).stdout if shutil.which("file") else True, static)
        plain = case.compile(PREFIX + "gcc", name, name + "-plain", "-O0")
        expect(run(*EMULATOR, plain).stdout == run(*EMULATOR, static, env=dict(os.environ, CALLSIG_OUTPUT=case.path("plain"))).stdout,
               name)
        done, recordings = case.there(static, name + "-static")
        found, wanted = case.rows(recordings, "signature"), case.here(name, "signature")
        expect(done.stderr == "" and found == wanted, f"{name}: {done.stderr} {dict(found - wanted)}, {dict(wanted - found)}")


def sampled(case, name):
    """Where not each call is timed, the others count with what those that are took, and not with times of day."""
    built = case.compile(PREFIX + "gcc", name, name, "-O0")
    done, recordings = case.there(built, name, "-E", "LD_PRELOAD=" + case.library, times="auto")
    expect(done.stderr == "", done.stderr)
    report = case.report(recordings, "--raw", "--by", "function")
    leaf = next(row for row in report["rows"] if row["function"] == "leaf")
    expect(leaf["ncalls"] == 100000 and 32 <= leaf["timed_calls"] < 50000, leaf)
    # The emulator is preempted too, which nobody tells it: that is seconds of an error. An hour a call is of the clock's own reading.
    expect(0 < leaf["tottime"] < report["total_time"] and 0 < leaf["tottime_error"] < 10000, leaf)


def asked(case, _):
    """What is asked of a program whose calls are short is taken soon, whether each of them is timed or some are. Without signatures they take
    the fast path."""
    built = case.path("asks")
    run(PREFIX + "gcc", *FLAGS, "-O1", os.path.join(TOP, "tests", "support", "asks.c"), "-o", built)
    run(case.callsig, "index", "--cache", built)
    for times in ("exact", "auto"):
        out = case.path(times + ".callsig")
        done = run(*EMULATOR, "-E", "LD_PRELOAD=" + case.library, built, "1", out, "20",
                   env=dict(os.environ, CALLSIG_OUTPUT=out, CALLSIG_TIMES=times, CALLSIG_NO_SIGNATURES="1"))
        took = [int(line.split()[2]) for line in done.stdout.splitlines()]
        # The emulator translates what is new to it in the midst of this.
        expect(len(took) == 20 and sorted(took)[10] < 1000000, f"{times}: {done.stdout}{done.stderr}")


def sleds(case, _):
    """A program with sleds is told in one line that they stay off, and runs as it would."""
    built = case.compile(PREFIX + "gcc", "recursion", "sleds", "-O0", "-DSLEDS")
    plain = run(*EMULATOR, built)
    done, _ = case.there(built, "sleds", "-E", "LD_PRELOAD=" + case.library)
    expect(done.stdout == plain.stdout, done.stdout)
    expect(done.stderr == f"callsig: {built}: its sleds stay off, since callsig has none on this processor: build it with "
           "-finstrument-functions\n", done.stderr)


def compilers(case, _):
    """What instruments chooses calls of the hooks where there are no sleds."""
    cross = shutil.which(PREFIX + "gcc")
    flags = run(case.callsig, "flags", "--cflags", "--cc", cross)
    expect("-finstrument-functions" in flags.stdout.split() and "no sleds on its processor" in flags.stderr, flags.stderr)
    wrapper = os.path.join(os.path.dirname(case.callsig), "callsig-cc")
    built = case.path("wrapped")
    run(wrapper, os.path.join(TOP, "tests", "aarch64", "programs", "recursion.c"), "-o", built, env=dict(os.environ, CALLSIG_CC=cross))
    done, recordings = case.there(built, "wrapped", "-E", "LD_PRELOAD=" + case.library)
    expect(done.stderr == "" and case.rows(recordings, "signature") == case.here("recursion", "signature"), done.stderr)


def other_index(case, _):
    """Without an index calls are counted all the same, and the one line says what is missing; --verify refuses the machine."""
    built = case.compile(PREFIX + "gcc", "recursion", "bare", "-O0")
    plain = run(*EMULATOR, built)
    done, recordings = case.there(built, "bare", "-E", "LD_PRELOAD=" + case.library, index=False)
    expect(done.stdout == plain.stdout and done.stderr.count("\n") == 1 and "no signature index" in done.stderr, done.stderr)
    expect(sum(case.rows(recordings, "function").values()) == sum(case.here("recursion", "function").values()), "calls")
    refused = run(case.callsig, "index", "--verify", built, status=1)
    expect(refused.stderr == f"callsig: {built}: --verify knows programs of x86-64 alone\n", refused.stderr)


def interrupted(case, _):
    """A handler in the middle of hooks that recurses, jumps out and switches recording: the signal frames on the stack are known.

    It is the unit test of that name, linked with the runtime's objects.
    """
    objects = glob.glob(os.path.join(case.runtime, "profiler", "CMakeFiles", "callsig_runtime.dir", "**", "*.o"), recursive=True)
    expect(objects, f"no objects of the runtime below {case.runtime}")
    source = os.path.join(TOP, "tests", "unit", "profiler", "test_interrupted.c")
    for level in ("-O0", "-O2"):
        built = case.path("interrupted" + level)
        run(PREFIX + "gcc", *FLAGS, level, "-D_GNU_SOURCE", "-I", TOP, "-I", os.path.join(TOP, "include"), source, *objects, "-o", built)
        for words in (("plain",), ("stack",), ("jump",), ("plain", "switch"), ("stack", "switch"), ("jump", "switch"), ("plain", "cut")):
            run(*EMULATOR, built, *words, env=dict(os.environ, CALLSIG_OUTPUT=case.path("recording")))


CASES = {**{name: program for name in PROGRAMS}, "linked": linked, "sampled": sampled, "asked": asked, "sleds": sleds, "compilers": compilers, "other_index": other_index,
         "interrupted": interrupted}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--callsig", required=True, help="the command")
    parser.add_argument("--work", required=True, help="folder for what is built")
    parser.add_argument("case", choices=CASES)
    given = parser.parse_args()
    need()
    CASES[given.case](Case(given), given.case)
    return 0


if __name__ == "__main__":
    sys.exit(main())
