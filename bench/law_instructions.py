#!/usr/bin/env python3
"""law_instructions.py BUILD

Instructions that the search for a function's law takes for each of its signatures, by callgrind: of made-up times of 88 sizes, with noise,
a step or without a law. The exit status is 1 when they are above the bound. Exit status 77: valgrind is not installed."""

import argparse
import math
import os
import random
import re
import subprocess
import sys

from counted import valgrind_is_missing

SIZES, BOUND = 88, 600000
FORMS = {"n": lambda n: n, "n log n": lambda n: n * math.log2(n), "n^2": lambda n: n * n, "step": lambda n: n * (2 if n > 40 else 1),
         "root": lambda n: n ** 1.5, "none": lambda n: 1000 * (n * 7919 % 13 + 1)}


def times(growth, source):
    """A line for each size: it, the mean, and the shortest call."""
    lines = [f"{SIZES} 1"]
    for n in range(1, SIZES + 1):
        least = 1e-8 * (100 + growth(n)) * math.exp(source.gauss(0, 0.02))
        lines.append(f"{n} {least * math.exp(abs(source.gauss(0, 0.05)))!r} {least!r}")
    return "\n".join(lines) + "\n"


def instructions(program, points):
    """What callgrind counts of the program that reads these points."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "shortest"], input=points, text=True, check=True,
                          timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return int(re.search(r"refs: +([0-9,]+)", done.stderr).group(1).replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options = parser.parse_args()
    if valgrind_is_missing("law_instructions"):
        return 77
    source, status, program = random.Random(1), 0, os.path.join(options.build, "tests", "fit_points")
    for name, growth in FORMS.items():
        count = instructions(program, times(growth, source)) / SIZES
        status |= count > BOUND
        print(f"{name:8} {count:9.0f} a signature, bound {BOUND}{'  ABOVE' if count > BOUND else ''}")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
