#!/usr/bin/env python3
# ctest: arguments --build @PROJECT_BINARY_DIR@
# ctest: case - quick
# ctest: case _full full --full
"""Recursion: ncalls total/primitive, tottime, cumtime and callers, by function and by signature, equal cProfile's exactly.

    test_recursion.py --build FOLDER [--full]

recursion.c and reference.py make the same calls under the same clock, whose ticks are milliseconds, so that the three decimals
of both tables are exact.
"""

import argparse
import io
import os
import pstats
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import reference  # noqa: E402
from product import Product  # noqa: E402

INCLUDE = HERE.parents[2] / "include"
NAME = re.compile(r"^.*?:\d+\((.*)\)$")


def bare(name):
    """`fact(n=5)` of `recursion.c:12(fact(n=5))`: files and lines differ between the two languages."""
    match = NAME.match(name.strip())
    return match[1] if match else name.strip()


def expected_rows(profiler):
    """{name: (ncalls, pcalls, tottime, cumtime)} in ticks."""
    return {key[2]: (nc, cc, round(tt * 1000), round(ct * 1000)) for key, (cc, nc, tt, ct, _) in pstats.Stats(profiler).stats.items()}


def printed_pairs(text):
    """{(callee, caller): (ncalls, pcalls, tottime, cumtime)} of a table of callers."""
    pairs, callee = {}, None
    for line in text.splitlines():
        before, arrow, after = line.partition(" <- ") if " <- " in line else ("", "", line)
        if line.rstrip().endswith("<-"):
            callee = bare(line.rstrip()[:-2])
            continue
        if arrow:
            callee = bare(before)
        match = re.match(r"\s*(\d+)(?:/(\d+))?\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(.*)$", after)
        if match and callee:
            pairs[callee, bare(match[5])] = (int(match[1]), int(match[2] or match[1]), round(float(match[3]) * 1000),
                                             round(float(match[4]) * 1000))
    return pairs


def expected_pairs(profiler):
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).print_callers()
    return printed_pairs(text.getvalue())


def found_rows(report, by_signature):
    rows = {}
    for row in report["rows"]:
        name = row["function"]
        if by_signature:
            signature = row["signature"]
            name = signature if signature.startswith(name) else name + signature
        rows[bare(name)] = (row["ncalls"], row["pcalls"], round(row["tottime"] * 1000), round(row["cumtime"] * 1000))
    return rows


def differences(what, expected, found):
    return [f"{what} {key}: cProfile {expected.get(key)}, callsig {found.get(key)}"
            for key in sorted(expected.keys() | found.keys(), key=str) if expected.get(key) != found.get(key)]


def check(product, program, folder, which, seed, may_lose):
    """Runs one scenario and returns the differences, one line each."""
    recording = Path(folder) / "recording"
    recording.unlink(missing_ok=True)
    environment = product.environment(CALLSIG_OUTPUT=str(recording), CALLSIG_COMMAND=str(product.command))
    done = subprocess.run([program, reference.SCENARIOS[which], str(seed)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment)
    problems = [f"says {done.stderr.strip()}"] if done.returncode or done.stderr else []
    if not recording.exists():
        return [*problems, "left no recording"]
    for by in ("function", "signature"):
        result, ticks, profiler = reference.profile(which, seed, by == "signature")
        if done.stdout.split() != [str(result), str(ticks)]:
            problems.append(f"the program printed {done.stdout.split()}, the reference {[result, ticks]}")
        report = product.report(recording, "--by", by)
        if may_lose and any(argument["state"] == "lost" for row in report["rows"] for argument in row["args"] or []):
            continue  # -O3 leaves some copies of a function without their argument: such calls are a row of their own
        rows = expected_rows(profiler)
        found = found_rows(report, by == "signature")
        problems += differences(f"by {by}", rows, found)
        problems += differences(f"callers by {by}", expected_pairs(profiler),
                                printed_pairs(product.call("report", "--by", by, "--callers", recording)))
        if round(report["total_time"] * 1000) != ticks or sum(row[2] for row in found.values()) != ticks:
            problems.append(f"by {by}: the total is {report['total_time']}, the sum of tottime "
                            f"{sum(row[2] for row in found.values())}, the program took {ticks} ticks")
        if any(row[3] > ticks for row in found.values()):
            problems.append(f"by {by}: a cumtime exceeds the time of its thread")
        if (report["total_calls"], report["primitive_calls"]) != (sum(r[0] for r in rows.values()), sum(r[1] for r in rows.values())):
            problems.append(f"by {by}: {report['total_calls']} calls ({report['primitive_calls']} primitive)")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    builds = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O2")]
    if options.full:
        builds += [("gcc", "-O3"), ("clang", "-O0"), ("clang", "-O3")]
    failures = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        product = Product(options.build, folder)
        for compiler, level in builds:
            program = Path(folder) / f"recursion{level}-{compiler}"
            subprocess.run([compiler, "-g", level, "-finstrument-functions", f"-I{INCLUDE}", str(HERE / "recursion.c"), "-o", str(program),
                            f"-L{product.libraries}", "-lcallsig", f"-Wl,-rpath,{product.libraries}"], check=True)
            for which, name in enumerate(reference.SCENARIOS):
                for seed in range(1, (40 if options.full else 6) if name == "random" else 3):
                    problems = check(product, program, folder, which, seed, level == "-O3")
                    compared += 1
                    failures += bool(problems)
                    if problems:
                        print(f"{compiler} {level} {name} {seed}:", *problems[:8], sep="\n    ")
    print(f"{compared} profiles compared with cProfile's, {failures} differ")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
