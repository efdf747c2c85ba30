#!/usr/bin/env python3
"""Builds the libFuzzer programs with clang, and runs each for a while from the corpora of the repository and of the build.

    run_guided.py --source TREE --build FOLDER [--seconds 600] [--target NAME]...

A finding fails; the input lies in FOLDER then. 77 where there is no clang.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

# What each begins with: folders and files below tests/fuzz, and inputs that the build makes.
MADE = ["seed", "fuzz_pipeline.seed", "fuzz_merged.seed", "fuzz_rank_0.seed", "fuzz_joined.seed", "fuzz_folded.seed"]
SEEDS = {
    "recording": ["recordings", *MADE],
    "pipeline": MADE,
    "merge": ["recordings", *MADE],
    "served": MADE,
    "index": ["index"],
    "elf": ["programs", "fuzz_elf_O0.seed", "fuzz_elf_O2.seed"],
    "rules": ["rules"],
    "expression": ["expressions"],
}
LONGEST = {"rules": 400, "expression": 400}


def make_corpus(folder, source, made, names):
    os.makedirs(folder, exist_ok=True)
    for name in names:
        for place in (os.path.join(source, "tests", "fuzz", name), os.path.join(made, name)):
            for file in [os.path.join(place, entry) for entry in os.listdir(place)] if os.path.isdir(place) else [place]:
                if os.path.isfile(file):
                    shutil.copy(file, os.path.join(folder, f"{name}-{os.path.basename(file)}"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--target", action="append", choices=SEEDS)
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)  # where the fuzzers run, too
    if not shutil.which("clang"):
        print("skipped: clang, which has libFuzzer, is not there")
        return 77
    subprocess.run(["cmake", "-S", arguments.source, "-B", arguments.build, "-DBUILD_TESTING=ON", "-DCMAKE_C_COMPILER=clang"], check=True,
                   stdout=subprocess.DEVNULL)
    targets = arguments.target or list(SEEDS)
    subprocess.run(["cmake", "--build", arguments.build, "-j", str(os.cpu_count()), "--target", "fuzzers",
                    *("fuzz_" + name for name in targets)], check=True, stdout=subprocess.DEVNULL)
    made = os.path.join(arguments.build, "tests")
    subprocess.run([os.path.join(made, "write_seed"), os.path.join(made, "seed")], check=True)
    failed = False
    for name in targets:
        corpus = os.path.join(arguments.build, "corpus", name)
        make_corpus(corpus, arguments.source, made, SEEDS[name])
        done = subprocess.run([os.path.join(made, "fuzz_" + name), f"-max_total_time={arguments.seconds}",
                               f"-max_len={LONGEST.get(name, 131072)}", "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1", corpus],
                              cwd=arguments.build, capture_output=True, text=True, errors="replace", check=False)
        runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        print(f"fuzz_{name}: {runs.group(1) if runs else '?'} executions, {'a finding' if done.returncode else 'no finding'}", flush=True)
        if done.returncode:
            failed = True
            print(done.stderr[-8000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
