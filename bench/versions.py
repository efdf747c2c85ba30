#!/usr/bin/env python3
"""versions.py OLD_BUILD NEW_BUILD [--rounds N] [--compilers NAME,...] [--rows N]

Two builds of callsig side by side, in one interleaved run: nanoseconds for an enter+exit pair on every call pattern, and what
reports and exports of one recording take. Prints the medians and the median of the new one's ratios to the old one's, with half the
distance between their quartiles: what lies within that of 1 is noise. Both must be built alike (CMAKE_BUILD_TYPE)."""

import argparse
import os
import sys
import time

import pairs
import tools
from runner import Folder, NotRun, interleave, median, run, spread

SUBJECTS = ("disabled", "no_signatures", "signatures")
READERS = (["report"], ["report", "--by", "function"], ["report", "--format", "json"], ["export", "--to", "pstats"],
           ["export", "--to", "folded"])


def pair_programs(builds, compilers, folder):
    """{(pattern, compiler, tool key): (tool, program) of each build}."""
    made = {}
    for number, build in enumerate(builds):
        for tool in tools.all_tools(build):
            for compiler in compilers if tool.key in SUBJECTS else ():
                place = os.path.join(folder, str(number), compiler)
                os.makedirs(place, exist_ok=True)
                program = tool.build(compiler, place)
                for pattern in pairs.PATTERNS:
                    made.setdefault((pattern, compiler, tool.key), []).append((tool, program))
    return made


def read_seconds(command, arguments, recording, folder):
    words = [command, *arguments, recording]
    if arguments[0] == "export":
        words += ["-o", os.path.join(folder, "out")]
    start = time.perf_counter()
    run(words, timeout=600)
    return time.perf_counter() - start


def show(title, old, new, unit):
    ratios = [after / before for before, after in zip(old, new)]
    print(f"{title:44} {median(old):10.3f} {median(new):10.3f} {unit:3} {median(ratios):7.3f} +- {spread(ratios):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("builds", nargs=2, metavar="BUILD")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--compilers", type=lambda text: text.split(","), default=["gcc", "clang"])
    parser.add_argument("--rows", type=int, default=300_000)
    options = parser.parse_args()
    builds = [os.path.abspath(build) for build in options.builds]
    make_rows = os.path.join(builds[1], "make_rows")
    if not os.path.exists(make_rows):
        raise NotRun(f"{make_rows} has not been built (its target is make_rows)")
    with Folder() as folder:
        programs = pair_programs(builds, options.compilers, folder)
        recording = os.path.join(folder, "recording")
        run([make_rows, str(options.rows), recording])
        subjects = [(kind, number) for kind in [*programs, *map(tuple, READERS)] for number in range(2)]

        def measure(subject):
            kind, number = subject
            if kind in programs:
                tool, program = programs[kind][number]
                return pairs.measure(tool, program, kind[0])["ns"]
            return read_seconds(os.path.join(builds[number], "cli", "callsig"), kind, recording, folder)

        values, failed = interleave(options.rounds, subjects, measure)
    for reason in failed.values():
        print(f"versions.py: {reason}", file=sys.stderr)
    print(f"{'':44} {'old':>10} {'new':>10}     new/old")
    for kind in [*programs, *map(tuple, READERS)]:
        if values[kind, 0] and values[kind, 1]:
            show(" ".join(kind), values[kind, 0], values[kind, 1], "ns" if kind in programs else "s")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NotRun as reason:
        sys.exit(f"versions.py: {reason}")
