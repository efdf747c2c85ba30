#!/usr/bin/env python3
# ctest: arguments --tools $<TARGET_FILE_DIR:symbols_write_index>
# ctest: arguments --trace $<TARGET_FILE:symbols_trace_shared> --archive $<TARGET_FILE:symbols_trace_static>
# ctest: case - quick
# ctest: case _all full --all
"""Builds the sample in many ways and compares what the index lets a hook read with what the program says itself.

usage: test_matrix.py --tools DIR --trace LIBRARY --archive LIBRARY [--all] [--keep DIR]

Every call must be there, in its order; every argument must be what the program tells, or "?", and few may be "?".
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support", "symbols")

# name, flags of the sample, kind of program
CASES = [
    ("O0", ["-O0"], "program"),
    ("O1", ["-O1"], "program"),
    ("O2", ["-O2"], "program"),
    ("O3", ["-O3"], "program"),
    ("Os", ["-Os"], "program"),
    ("O2-dwarf4", ["-O2", "-gdwarf-4"], "program"),
    ("O0-dwarf4", ["-O0", "-gdwarf-4"], "program"),
    ("O2-no-pie", ["-O2", "-fno-pie", "-no-pie"], "program"),
    ("O0-no-pie", ["-O0", "-fno-pie", "-no-pie"], "program"),
    ("O2-lto", ["-O2", "-flto"], "program"),
    ("O2-no-plt", ["-O2", "-fno-plt"], "program"),
    ("O2-ibt", ["-O2", "-fcf-protection=full", "-Wl,-z,ibtplt"], "program"),
    ("O2-now", ["-O2", "-Wl,-z,now"], "program"),
    ("O2-frame", ["-O2", "-fno-omit-frame-pointer"], "program"),
    ("O2-realign", ["-O2", "-mstackrealign"], "program"),
    ("O2-sections", ["-O2", "-ffunction-sections", "-Wl,--gc-sections"], "program"),
    ("O2-gz", ["-O2", "-gz"], "program"),
    ("O2-split", ["-O2", "-gsplit-dwarf"], "program"),
    ("O2-no-build-id", ["-O2", "-Wl,--build-id=none"], "program"),
    ("O0-library", ["-O0", "-fPIC"], "library"),
    ("O2-library", ["-O2", "-fPIC"], "library"),
    ("O2-local-hook", ["-O2"], "local"),
    ("O2-debuglink", ["-O2"], "debuglink"),
    ("O2-no-debug", ["-O2", "-g0"], "names"),
]
# How many arguments of the run may be lost with optimisation; without it none.
MAY_LOSE = {"gcc": 4, "clang": 12}
# With a frame pointer, gcc describes the four parameters on the stack only up to the instruction that sets it.
MORE_WITH = {("gcc", "O2-frame"): 4}
QUICK = ["O0", "O2", "O2-dwarf4", "O2-no-pie", "O2-lto", "O2-no-plt", "O2-split", "O2-library", "O2-local-hook",
         "O2-debuglink", "O2-no-debug"]


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit("%s: exit status %d\n%s%s" % (" ".join(command), result.returncode, result.stdout, result.stderr))
    return result.stdout


def build(compiler, flags, kind, folder, tools):
    """Returns the command that runs the sample, the ELF file to index, and the module's name for the trace."""
    sample, main = os.path.join(PROGRAMS, "sample.c"), os.path.join(PROGRAMS, "sample_main.c")
    flags = ["-g", "-finstrument-functions", "-w"] + flags
    program, trace = os.path.join(folder, "sample"), tools.trace
    run([compiler, "-O1", "-c", main, "-o", os.path.join(folder, "main.o")] +
        ([] if kind == "library" else ["-DSAMPLE_LINKED"]) + (["-fno-pie"] if "-no-pie" in flags else []))
    if kind == "library":
        library = os.path.join(folder, "libsample.so")
        run([compiler] + flags + ["-shared", sample, "-o", library, trace])
        run([compiler, os.path.join(folder, "main.o"), "-o", program, "-ldl"])
        return [program, library], library, "libsample.so"
    hook = ["-Wl,--whole-archive", tools.archive, "-Wl,--no-whole-archive", "-lxxhash", "-ldl"]
    # clang leaves the .dwo file of a program that it compiles and links at once where it runs.
    run([compiler] + flags + [sample, os.path.join(folder, "main.o"), "-o", program] +
        (hook if kind == "local" else [trace]), cwd=folder)
    if kind == "debuglink":
        debug = os.path.join(folder, "sample.debug")
        run(["objcopy", "--only-keep-debug", program, debug])
        run(["objcopy", "--strip-all", "--add-gnu-debuglink=" + debug, program])
    return [program], program, None


def trace_run(command, elf, module, folder, tools):
    index, out = os.path.join(folder, "index"), os.path.join(folder, "trace")
    run([os.path.join(tools.tools, "symbols_write_index"), elf, index])
    environment = dict(os.environ, TRACE_INDEX=index, TRACE_OUT=out, LD_PRELOAD=tools.trace)
    if module:
        environment["TRACE_MODULE"] = module
    expected = run(command, env=environment)
    with open(out, encoding="utf-8") as lines:
        return expected.splitlines(), lines.read().splitlines()


def compare(expected, traced, names_only):
    """Returns (arguments lost, first difference or None)."""
    lost = 0
    for want, got in zip(expected, traced):
        want_words, got_words = want.split(" "), got.split(" ")
        if want_words[0] != got_words[0] or (not names_only and len(want_words) != len(got_words)):
            return lost, "expected '%s', traced '%s'" % (want, got)
        for value, read in zip(want_words[1:], got_words[1:]):
            lost += read == "?"
            if read not in ("?", value):
                return lost, "expected '%s', traced '%s'" % (want, got)
    if len(expected) != len(traced):
        return lost, "%d calls, %d traced" % (len(expected), len(traced))
    return lost, None


def check(compiler, case, tools, folder):
    name, flags, kind = case
    limit = 0 if "-O0" in flags else MAY_LOSE[compiler] + MORE_WITH.get((compiler, name), 0)
    os.makedirs(folder)
    command, elf, module = build(compiler, flags, kind, folder, tools)
    expected, traced = trace_run(command, elf, module, folder, tools)
    lost, difference = compare(expected, traced, kind == "names")
    if difference is None and lost > limit:
        difference = "%d arguments are lost, more than %d" % (lost, limit)
    print("%-6s %-16s %3d calls, %3d arguments lost%s" %
          (compiler, name, len(expected), lost, "" if difference is None else ": " + difference))
    return difference is None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="folder of symbols_write_index")
    parser.add_argument("--trace", required=True, help="the library with the hooks")
    parser.add_argument("--archive", required=True, help="the same as a static library")
    parser.add_argument("--all", action="store_true", help="every case, not only the quick ones")
    parser.add_argument("--keep", help="folder to build in, which is kept")
    tools = parser.parse_args()
    tools.tools, tools.trace, tools.archive = map(os.path.abspath, (tools.tools, tools.trace, tools.archive))
    top = os.path.abspath(tools.keep) if tools.keep else tempfile.mkdtemp(prefix="callsig-symbols-")
    good = True
    for compiler in ("gcc", "clang"):
        if not shutil.which(compiler):
            print("%s: not installed, left out" % compiler)
            continue
        for case in CASES:
            if tools.all or case[0] in QUICK:
                good &= check(compiler, case, tools, os.path.join(top, compiler + "-" + case[0]))
    if not tools.keep:
        shutil.rmtree(top)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
