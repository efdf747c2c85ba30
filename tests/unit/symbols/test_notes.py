#!/usr/bin/env python3
# ctest: arguments $<TARGET_FILE:print_plan> @PROJECT_SOURCE_DIR@/include
"""Rules that CALLSIG_* macros put into a program reach its index however it is compiled and linked.

    test_notes.py PRINT_PLAN INCLUDE
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "support" / "symbols" / "notes_program.c"

EXPECTED = """\
open_file(path: string char* 64)
resize(width: range int; cookie: ignored long int)
total(values: nullness int*[many]; many: value int)
handle(t: group tensor '' {: nullness tensor*; dtype: value int; shape: span int64_t[4]}; t->ne[0]: value int64_t)
"""

GC = ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]
VARIANTS = [
    ["-O0"],
    ["-O2"],
    ["-O2", "-flto"],
    ["-O2", *GC],
    ["-O2", "-flto", *GC],
    ["-O2", "-fPIC", "-shared"],
    ["-O2", "-fno-pie", "-no-pie"],
    ["-O2", "-gdwarf-4"],
]


def compile_program(compiler, flags, include, out):
    command = [compiler, "-g", "-finstrument-functions", f"-I{include}", *flags, str(SOURCE), "-o", str(out)]
    return subprocess.run(command, capture_output=True, text=True)


def normal(text):
    """The two compilers call one type differently."""
    return text.replace(" long\n", " long int\n").replace("ignored long)", "ignored long int)")


def main():
    tool, include = sys.argv[1:3]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "program"
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for flags in VARIANTS:
                made = compile_program(compiler, flags, include, out)
                if made.returncode != 0 and "-flto" in flags and compiler == "clang":
                    continue  # clang's -flto needs lld or the gold plugin
                plan = subprocess.run([tool, out, "open_file", "resize", "total", "handle"], capture_output=True, text=True)
                if made.returncode != 0 or normal(plan.stdout) != EXPECTED or plan.stderr:
                    print(f"FAIL {compiler} {' '.join(flags)}\n{made.stderr}{plan.stdout}{plan.stderr}")
                    failures += 1
        compile_program("gcc", ["-O2", "-DWRONG"], include, out)
        plan = subprocess.run([tool, out, "resize"], capture_output=True, text=True)
        message = (f"{out}: rule 7 of its .note.callsig: function resize: no parameter 'cookies'; "
                   "the nearest name is 'cookie'\n")
        if plan.returncode != 1 or plan.stderr != message:
            print(f"FAIL a wrong note\n{plan.stderr}")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
