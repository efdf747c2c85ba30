#!/usr/bin/env python3
"""stack_instructions.py BUILD [WAY...]

Instructions that a machine stack costs a program that has N of them alive at once (makecontext(), or code of its own), by callgrind:
what the second half of some takes is held against the second half of four times as many. The exit status is 1 when that is more than
a quarter more, so that what all of them take grows faster than their number. Exit status 77: valgrind is not installed."""

import argparse
import os
import platform
import sys

from counted import instructions, per_round, valgrind_is_missing
from runner import Folder, NotRun, compile_with
from tools import FLAGS, Callsig, source

WAYS = ["contexts", "own"] if platform.machine() == "x86_64" else ["contexts"]
FEW, TIMES, MORE = 300, 4, 1.25


def measure(callsig, program, way, folder):
    """What a stack takes where there are few, and where there are many."""

    def count(number):
        recording = os.path.join(folder, f"{way}.{number}")
        environment = {**callsig.environment(recording), "CALLSIG_TIMES": "exact", "LD_PRELOAD": callsig.library}
        taken = instructions([program, way, str(number)], environment, folder)
        calls = callsig.report(recording)["total_calls"]
        if calls < number:
            raise NotRun(f"{calls} calls were recorded on {number} stacks")
        return taken

    return [per_round(count, number // 2, number) for number in (FEW, FEW * TIMES)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("ways", nargs="*", default=WAYS)
    options = parser.parse_args()
    if valgrind_is_missing("stack_instructions"):
        return 77
    callsig, status = Callsig(options.build), 0
    callsig.require()
    with Folder() as folder:
        callsig.cache, program = folder, os.path.join(folder, "stacks")
        compile_with("gcc", *FLAGS, "-finstrument-functions", source("stacks.c"), "-o", program)
        callsig.index(program)
        for way in options.ways:
            few, many = measure(callsig, program, way, folder)
            is_above = many > few * MORE
            status |= is_above
            print(f"{way:8} {few:9.0f} of {FEW} {many:9.0f} of {FEW * TIMES}{'  ABOVE' if is_above else ''}")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
