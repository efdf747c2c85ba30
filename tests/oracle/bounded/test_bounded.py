#!/usr/bin/env python3
# ctest: arguments --build @PROJECT_BINARY_DIR@
# ctest: case - quick
# ctest: case _full full --full
"""Whatever a program calls, memory stays bounded, calls stay exact, and the report says what was widened and merged.

    test_bounded.py --build FOLDER [--full] [CASE...]

Memory is the size of the recording, and what the process's peak resident memory is above the same program's without callsig
(the recording, being mapped, is part of it).
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "real"))

from product import Product  # noqa: E402

MIB = 1 << 20


def thread_counts(n):
    return {"thread": n, "work": sum(1 + i % 5 for i in range(n))}


# case: (quick N, full N, bound of the recording, expected calls of N, whether arguments must have been widened)
CASES = {
    "values": (3_000_000, 100_000_000, 4 * MIB, lambda n: {"value": n}, True),
    "twenty": (200_000, 5_000_000, 8 * MIB, lambda n: {"twenty": n}, True),
    "pairs": (400, 2_000, 16 * MIB, lambda n: {"caller": n, "callee": n * n}, True),
    "threads": (3_000, 100_000, 24 * MIB, thread_counts, False),
    "together": (3_000, 100_000, 24 * MIB, thread_counts, False),
    "deep": (1_000_000, 1_000_000, 96 * MIB, lambda n: {"deep": n + 1, "deep_thread": 1}, True),
}


def peak(command, **options):
    """(status, standard error, peak resident bytes) of a command."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, **options)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return process.returncode, errors.read().decode(errors="replace"), usage.ru_maxrss * 1024


def check(product, program, plain, case, full):
    quick_n, full_n, bound, expected_of, widened = CASES[case]
    count = full_n if full else quick_n
    recording = program.parent / f"{case}.out"
    recording.unlink(missing_ok=True)
    _, _, before = peak([str(plain), case, str(count)])
    # Without `callsig run` in between, whose own memory wait4() would count: the runtime is preloaded as it does it.
    environment = product.environment(LD_PRELOAD=str(product.preload), CALLSIG_OUTPUT=str(recording), CALLSIG_COMMAND=str(product.command))
    status, errors, used = peak([str(program), case, str(count)], env=environment)
    problems = []
    if status:
        problems.append(f"status {status}: {errors.strip()[:200]}")
    size = recording.stat().st_blocks * 512 if recording.exists() else 0
    if size == 0:
        return [*problems, "left no recording"], ""
    if size > bound:
        problems.append(f"the recording has {size / MIB:.1f} MiB, the bound is {bound / MIB:.0f} MiB")
    if used - before > bound + 8 * MIB:
        problems.append(f"memory grew by {(used - before) / MIB:.1f} MiB, the bound is {bound / MIB + 8:.0f} MiB")
    for by in ("function", "signature"):
        rows = product.report(recording, "--by", by)["rows"]
        found = Counter()
        for row in rows:
            found[row["function"]] += row["ncalls"]
        for function, calls in expected_of(count).items():
            if found[function] != calls:
                problems.append(f"by {by}: {function} has {found[function]} calls, {calls} were made")
    told = product.call("report", recording)
    states = {argument["state"] for row in rows for argument in row["args"]}
    if widened and ("widened" not in states or "widened" not in told):
        problems.append(f"the report does not say that arguments were widened (states {sorted(states)})")
    if case == "deep" and max(row["ncalls"] for row in rows) > count + 1:
        problems.append("more calls than were made")
    summary = (f"N {count:11}  recording {size / MIB:6.2f} MiB (bound {bound / MIB:.0f})  peak memory +{(used - before) / MIB:6.2f} MiB"
               f"  rows {len(rows)}")
    notes = [line for line in told.splitlines() if "widened" in line or "merged" in line]
    return problems, summary + ("".join(f"\n    {line.strip()}" for line in notes[-4:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("case", nargs="*", default=list(CASES))
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        product = Product(options.build, folder)
        program, plain = Path(folder) / "bounded", Path(folder) / "bounded-plain"
        subprocess.run(["gcc", "-g", "-O2", "-pthread", "-finstrument-functions", str(HERE / "bounded.c"), "-o", str(program)], check=True)
        subprocess.run(["gcc", "-g", "-O2", "-pthread", str(HERE / "bounded.c"), "-o", str(plain)], check=True)
        product.call("index", "--cache", program)
        for case in options.case:
            problems, summary = check(product, program, plain, case, options.full)
            failures += bool(problems)
            print(f"{case:9} {'; '.join(problems) or 'bounded and exact'}  {summary}", flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
