#!/usr/bin/env python3
# ctest: arguments $<TARGET_FILE:callsig_cli>
# ctest: case - quick --quick
# ctest: case _full full
"""elfutils and libdwarf agree on the fixtures however they are compiled; what could not be compared is printed.

    test_verify.py CALLSIG [--quick]
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "support" / "symbols"
SOURCES = [("plan_fixture.c", "gcc", "clang"), ("plan_fixture_cxx.cc", "g++", "clang++"), ("verify_program.c", "gcc", "clang")]

QUICK = [["-O2"], ["-O0"], ["-O2", "-gdwarf-4"], ["-O2", "-gsplit-dwarf"]]
FULL = QUICK + [
    ["-O1"],
    ["-O3"],
    ["-Os"],
    ["-O2", "-gz"],
    ["-O2", "-gdwarf-4", "-gsplit-dwarf"],
    ["-O2", "-fdebug-types-section"],
    ["-O2", "-fdebug-types-section", "-gdwarf-4"],
    ["-O2", "-mavx2"],
    ["-O2", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables"],
    ["-O2", "-fno-omit-frame-pointer"],
    ["-O2", "-mno-red-zone", "-mstackrealign"],
]


def verify(callsig, folder, source, compiler, flags):
    out = folder / "module.so"
    command = [compiler, "-g", "-w", "-fPIC", "-shared", "-finstrument-functions", *flags, str(PROGRAMS / source), "-o", out]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if made.returncode != 0:
        return f"not compiled: {made.stderr}"
    run = subprocess.run([callsig, "index", out, "--verify"], capture_output=True, text=True)
    summary = [line for line in run.stdout.splitlines() if ": sites " in line]
    if run.returncode != 0 or not summary or not summary[0].endswith("disagree 0"):
        return run.stdout + run.stderr
    print(f"{source} {compiler} {' '.join(flags)}: {summary[0].split(': ', 1)[1]}")
    return None


def main():
    callsig = Path(sys.argv[1]).resolve()
    variants = QUICK if "--quick" in sys.argv[2:] else FULL
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for source, *compilers in SOURCES:
            for compiler in filter(shutil.which, compilers):
                for flags in variants:
                    problem = verify(callsig, Path(folder), source, compiler, flags)
                    if problem:
                        print(f"FAIL {source} {compiler} {' '.join(flags)}\n{problem}")
                        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
