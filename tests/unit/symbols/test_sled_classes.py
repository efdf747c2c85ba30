#!/usr/bin/env python3
# ctest: arguments --tools $<TARGET_FILE_DIR:symbols_write_index> --trace $<TARGET_FILE:symbols_trace_shared>
"""Arguments of C++ at sleds: what sled_sample.cc tells of its calls is what the index lets a hook read there.

usage: test_sled_classes.py --tools DIR --trace LIBRARY [--keep DIR]
"""
import argparse
import os
import re
import shutil
import sys
import tempfile

from test_sled_arguments import run, sled_flags

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support", "symbols", "sled_sample.cc")
CASES = {"g++": [["-O0"], ["-O2"], ["-O0", "-gdwarf-4"]], "clang++": [["-O0"], ["-O2"]]}
# Where the class is only declared, clang's debug information does not say how it is passed, nor how what follows is.
MAY_LOSE = {"g++": 0, "clang++": 1}


def lines_of(text):
    """The calls of the sample's own functions, in no order: constructors tell of themselves after those of their bases."""
    return sorted(re.sub(r"<[^>]*>", "", line) for line in text.splitlines() if line.startswith("shapes::") and "~" not in line)


def check(compiler, flags, sleds, tools, folder):
    os.makedirs(folder)
    path = {name: os.path.join(folder, name) for name in ("sample.o", "sample", "index", "trace")}
    run([compiler, "-g", "-w"] + flags + sleds + ["-c", SOURCE, "-o", path["sample.o"]])
    run([compiler, path["sample.o"], "-o", path["sample"]])
    run([os.path.join(tools.tools, "symbols_write_index"), path["sample"], path["index"]])
    told = lines_of(run([path["sample"]], env=dict(os.environ, TRACE_INDEX=path["index"], TRACE_OUT=path["trace"], LD_PRELOAD=tools.trace)))
    with open(path["trace"], encoding="utf-8") as file:
        traced = lines_of(file.read())
    lost, differences = 0, [] if len(told) == len(traced) and told else [f"{len(told)} calls, {len(traced)} traced"]
    for want, got in zip(told, traced):
        words, read = want.split(" "), got.split(" ")
        lost += read.count("?")
        if len(words) != len(read) or any(one not in ("?", word) for word, one in zip(words, read)):
            differences.append(f"told '{want}', traced '{got}'")
    if lost > MAY_LOSE[compiler]:
        differences.append(f"{lost} values are lost")
    print(f"{compiler:8} {' '.join(flags):16} {len(told):3} calls, {lost} values lost", *differences, sep="\n    ")
    return not differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="folder of symbols_write_index")
    parser.add_argument("--trace", required=True, help="the library that stops at sleds")
    parser.add_argument("--keep", help="folder to build in, which is kept")
    tools = parser.parse_args()
    top = tools.keep or tempfile.mkdtemp(prefix="callsig-sleds-")
    good, any_built = True, False
    for compiler, cases in CASES.items():
        sleds = sled_flags(compiler, tools) if shutil.which(compiler) else None
        if sleds is None:
            print(f"{compiler}: not installed, or without sleds: left out")
            continue
        for flags in cases:
            any_built = True
            good &= check(compiler, flags, sleds, tools, os.path.join(top, compiler + "".join(flags)))
    if not tools.keep:
        shutil.rmtree(top)
    return (0 if good else 1) if any_built else 77


if __name__ == "__main__":
    sys.exit(main())
