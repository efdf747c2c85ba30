#!/usr/bin/env python3
# ctest: arguments --build @PROJECT_BINARY_DIR@
# ctest: skips
# ctest: case - quick --quick
# ctest: case _full.gcc full --full gcc
# ctest: case _full.clang full --full clang
# ctest: case _full.aarch64 full --full aarch64
"""Every argument that callsig prints of programs made by chance is one that was passed there, or `?`.

    test_passed_arguments.py --build FOLDER [--callsig FILE] (--quick | --full FAMILY | CONFIGURATION...) [--seeds FIRST COUNT]

A configuration is one word of the shell: a compiler and its options, those with two hyphens being callsig-cc's. What is passed stands in
the program's text (random_calls.py). So that nothing passes by being left out, of each configuration so many arguments have to be read a
program, and so many of all. A program with another argument is kept, below the build folder, and the command that makes it again is
printed. A compiler that is not here is named and left out; exit status 77: there is none.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "aarch64"))

import random_calls  # noqa: E402
import test_aarch64  # noqa: E402
from one_program import OneProgram  # noqa: E402

FUNCTIONS = 24
QUICK_SEEDS, FULL_SEEDS = [10, 11, 12, 100, 101, 105, 110, 116], range(100, 140)
ENOUGH = 3  # programs, for what is read of them to be told
AARCH64 = "aarch64-linux-gnu-gcc"
COMPILERS = {"gcc": ["gcc-11", "gcc-12"], "clang": ["clang-14", "clang-16", "clang-19"], "aarch64": [AARCH64]}
SLEDS = ["-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -flto"]
HOOKS = ["--calls -O0", "--calls -O1", "--calls -O2", "--calls -O3", "--before-inlining -O1", "--before-inlining -O2", "--before-inlining -O3"]
WAYS = {"gcc": SLEDS + HOOKS, "clang": SLEDS + HOOKS, "aarch64": ["-O0", "-O2", "-O3"]}
QUICK = [f"{compiler} {way}" for compiler in ("gcc", "clang") for way in ("-O2", "--before-inlining -O2")]
# How many arguments have to be read of a program, and which part of all, by the beginning of a configuration without the compiler's number:
# the longest that fits holds. About three quarters of what is read.
FLOORS = {
    "gcc": (85, .45), "gcc -O0": (210, .98), "gcc -O1": (180, .9), "gcc -O2 -flto": (45, .25), "gcc --calls -O0": (210, .98),
    "gcc --before-inlining": (140, .45), "clang": (35, .25), "clang -O0": (200, .85), "clang --calls -O0": (170, .75),
    "clang --before-inlining": (65, .3), "aarch64": (110, .45), "aarch64 -O0": (210, .98),
}
# (seed, function, parameter) of gcc's -O3 with hooks before inlining, x86-64 and aarch64: what is shown wrong since gcc tells it wrong.
COPIED = "gcc describes it by a register that holds what another function was passed (docs/index-format.md)"
WRONG_BY_COMPILER = {(110, "f23", "p5"): COPIED}
TOLD_WRONG = [f"{compiler} --before-inlining -O3" for compiler in COMPILERS["gcc"]] + [f"{AARCH64} -O3"]


class Tally:
    def __init__(self):
        self.read = self.lost = 0
        self.wrong, self.expected, self.failures = [], set(), []


def is_passed(value, kind, passed):
    if kind.name == "pointer":
        return (None if value is None else random_calls.NOT_NULL) in passed
    if kind.name in ("float", "double"):
        return isinstance(value, (int, float)) and value in passed
    return (value if kind.name == "bool" else str(value)) in passed


def judge_row(row, function, tally):
    """Arguments are named p3, p3.b and p3.a[2]."""
    for argument in row["args"]:
        parameter = next(one for one in function.parameters if one.name == argument["name"].split(".")[0])
        path = argument["name"][len(parameter.name) + 1:]
        kind = random_calls.parts(parameter.type).get(path)
        if kind is None or kind is random_calls.OPAQUE:
            continue
        if argument["state"] == "lost":
            tally.lost += 1
        elif argument["state"] == "read":
            tally.read += 1
            if not is_passed(argument["value"], kind, parameter.passed[path]):
                yield parameter.name, (f"{row['signature']}: {argument['name']} is {argument['value']}, and "
                                       f"{', '.join(sorted(map(str, parameter.passed[path])))} were passed")


class Judge:
    def __init__(self, options):
        self.callsig = options.callsig or os.path.join(options.build, "cli", "callsig")
        self.wrapper = os.path.join(options.build, "cli", "callsig-cc")
        self.folder = os.path.join(os.path.realpath(options.build), "tests", "oracle", "passed")
        self.runtime = None

    def record(self, one, compiler, options):
        """Compiles the program and runs it; returns the recording's rows, or what went wrong."""
        recording = one.path("recording")
        if compiler == AARCH64:
            library = os.path.join(self.runtime, "profiler", "libcallsig.so")
            steps = [lambda: one.call(compiler, "-g", "-w", "-finstrument-functions", *options, one.source, "-o", one.program),
                     lambda: one.call(one.command, "index", "--cache", one.program, CALLSIG_RULES=one.rules),
                     lambda: one.call(*test_aarch64.EMULATOR, "-E", "LD_PRELOAD=" + library, one.program, CALLSIG_OUTPUT=recording,
                                      CALLSIG_TIMES="exact", CALLSIG_RULES=one.rules)]
        else:
            steps = [lambda: one.compile(compiler, options, self.wrapper), lambda: one.run("-o", recording)]
        for step in steps:
            done = step()
            if done.returncode:
                return None, f"{done.args[0]}: status {done.returncode}: {done.stderr[-500:]}"
        return one.rows(recording), ""

    def judge_seed(self, configuration, seed, tally):
        folder = os.path.join(self.folder, configuration.replace(" ", ""), str(seed))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder, mode=0o700)
        made = random_calls.make(seed, FUNCTIONS)
        compiler, *options = configuration.split()
        rows, failure = self.record(OneProgram(self.callsig, folder, made.source, made.rules), compiler, options)
        wrong = []
        for row in rows or ():
            if row["function"] in made.functions:
                for parameter, text in judge_row(row, made.functions[row["function"]], tally):
                    key = (seed, row["function"], parameter)
                    if configuration in TOLD_WRONG and key in WRONG_BY_COMPILER:
                        tally.expected.add(key)
                    else:
                        wrong.append(text)
        tally.wrong += wrong
        if not wrong and not failure:
            shutil.rmtree(folder)
            return
        again = f"{Path(__file__).resolve()} --build {os.path.dirname(os.path.dirname(self.wrapper))} --callsig {self.callsig}"
        tally.failures.append(f"seed {seed}: the program is kept in {folder}; again by: python3 {again} --seeds {seed} 1 '{configuration}'")
        tally.failures += ["  " + text for text in ([failure] if failure else wrong[:4])]

    def judge(self, configuration, seeds):
        """Prints the configuration's outcome; returns whether all is well."""
        tally = Tally()
        count = len(seeds)
        for seed in seeds:
            self.judge_seed(configuration, seed, tally)
        wanted = floor(configuration)
        share = tally.read / max(tally.read + tally.lost, 1)
        if count >= ENOUGH and (tally.read < wanted[0] * count or share < wanted[1]):
            tally.failures.append(f"too little is read: {wanted[0]} a program and {wanted[1]:.0%} are expected")
        print(f"{configuration:32} {tally.read / count:6.0f} read a program, {share:4.0%} of all, {len(tally.wrong)} wrong", flush=True)
        for key in sorted(tally.expected):
            print(f"    expected: seed {key[0]}, {key[1]}, {key[2]}: {WRONG_BY_COMPILER[key]}")
        print("".join(f"    {text}\n" for text in tally.failures), end="", flush=True)
        return not tally.failures


def floor(configuration):
    compiler, *options = configuration.split()
    name = " ".join(["aarch64" if compiler == AARCH64 else compiler.split("-")[0], *options])
    return FLOORS[max((key for key in FLOORS if name.startswith(key)), key=len)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.environ.get("CALLSIG_BUILD", "build"), help="folder of a build, else that of CALLSIG_BUILD")
    parser.add_argument("--callsig", help="the command, else that of the build")
    parser.add_argument("--quick", action="store_true", help="a few programs")
    parser.add_argument("--full", choices=sorted(COMPILERS), help="many programs, by all compilers of a family")
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "COUNT"), help="which programs")
    parser.add_argument("configurations", nargs="*", help="such as 'gcc-12 --calls -O2'")
    options = parser.parse_args()
    chosen = QUICK if options.quick else options.configurations
    if options.full:
        chosen = [f"{compiler} {way}" for compiler in COMPILERS[options.full] for way in WAYS[options.full]]
    seeds = range(options.seeds[0], sum(options.seeds)) if options.seeds else FULL_SEEDS if options.full else QUICK_SEEDS
    missing = sorted({one.split()[0] for one in chosen if not shutil.which(one.split()[0])})
    for compiler in missing:
        print(f"skipped: {compiler} is not installed")
    here = [one for one in chosen if one.split()[0] not in missing]
    if not here:
        return 77
    judge = Judge(options)
    if any(one.split()[0] == AARCH64 for one in here):
        test_aarch64.need()
        judge.runtime = test_aarch64.build_runtime(os.path.join(judge.folder, "aarch64"))
    outcomes = [judge.judge(configuration, seeds) for configuration in here]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
