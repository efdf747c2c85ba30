#!/usr/bin/env python3
# ctest: arguments $<TARGET_FILE:callsig_cli>
# ctest: case - quick --quick
# ctest: case _full full
"""elfutils and libdwarf agree on the fixtures however they are compiled; what could not be compared is printed.

    test_verify.py CALLSIG [--quick]
"""

import shutil
import struct
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
    return agree(callsig, out, f"{source} {compiler} {' '.join(flags)}")


def verify_program(callsig, folder, is_stripped):
    """A program that has its own code in .debug_frame, which may lie in another file, and that of the C library's start in .eh_frame."""
    out, debug = folder / "program", folder / "program.debug"
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    flags = ["-O2", "-g", "-w", "-finstrument-functions", "-fno-asynchronous-unwind-tables"]
    subprocess.run(["gcc", *flags, PROGRAMS / "plan_fixture.c", folder / "main.c", "-o", out], check=True)
    sections = subprocess.run(["readelf", "--debug-dump=frames", out], check=True, capture_output=True, text=True).stdout
    if sections.count(" FDE ") < 10 or ".eh_frame" not in sections or ".debug_frame" not in sections:
        return f"the program does not have both sections\n{sections}"
    if is_stripped:
        subprocess.run(["objcopy", "--only-keep-debug", out, debug], check=True)
        subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", out], check=True)
    return agree(callsig, out, f"a program with both sections{', stripped' * is_stripped}")


def agree(callsig, out, name):
    run = subprocess.run([callsig, "index", out, "--verify"], capture_output=True, text=True)
    summary = [line for line in run.stdout.splitlines() if ": sites " in line]
    if run.returncode != 0 or not summary or not summary[0].endswith("disagree 0"):
        return run.stdout + run.stderr
    print(f"{name}: {summary[0].split(': ', 1)[1]}")
    return None


# The canonical frame address as an expression that asks for itself: DW_OP_call_frame_cfa, and the entry value of rsp.
CIRCLES = ["0x0f, 1, 0x9c", "0x0f, 3, 0xa3, 1, 0x57"]


def survive(callsig, folder, rule):
    """A module whose call frame information goes round in a circle is read to its end, by a status and not by a signal."""
    assembly, out = folder / "circle.s", folder / "circle.so"
    flags = ["-g", "-O0", "-w", "-fPIC", "-finstrument-functions"]
    subprocess.run(["gcc", *flags, "-S", str(PROGRAMS / "verify_program.c"), "-o", assembly], check=True)
    text = assembly.read_text()
    if ".cfi_def_cfa_register 6" not in text:
        return "no rule to replace in what gcc made"
    assembly.write_text(text.replace(".cfi_def_cfa_register 6", f".cfi_escape {rule}"))
    subprocess.run(["gcc", "-shared", assembly, "-o", out], check=True)
    run = subprocess.run([callsig, "index", out, "--verify"], capture_output=True, text=True, timeout=600)
    return None if run.returncode in (0, 1) and ": sites " in run.stdout else f"status {run.returncode}\n{run.stdout}{run.stderr}"


# First words of sections that libdwarf then ends the process at: by intention, unless it is asked not to, or because it frees twice.
DAMAGE = [(".eh_frame", 0x7FFFFF00, True), (".eh_frame", 0xFFFFFFFF, True), (".debug_rnglists", 0x7FFFFF00, False)]


def survive_damage(callsig, folder, section, word, is_read):
    """A module with a damaged section is read as far as it can be, or told to be damaged."""
    out = folder / "damaged.so"
    flags = ["-g", "-w", "-O2", "-fPIC", "-shared", "-finstrument-functions"]
    subprocess.run(["gcc", *flags, str(PROGRAMS / "verify_program.c"), "-o", out], check=True)
    sections = subprocess.run(["readelf", "-SW", out], check=True, capture_output=True, text=True).stdout
    fields = next(line for line in sections.splitlines() if f" {section} " in line).split()
    place = int(fields[fields.index(section) + 3], 16)
    data = bytearray(out.read_bytes())
    data[place : place + 4] = struct.pack("<I", word)
    out.write_bytes(data)
    run = subprocess.run([callsig, "index", out, "--verify"], capture_output=True, text=True, timeout=600)
    is_told = ": sites " in run.stdout or (not is_read and f"callsig: index: {out}: " in run.stderr)
    return None if run.returncode in (0, 1) and is_told else f"status {run.returncode}\n{run.stdout}{run.stderr}"


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
        for is_stripped in (False, True):
            problem = verify_program(callsig, Path(folder), is_stripped)
            if problem:
                print(f"FAIL a program, stripped: {is_stripped}\n{problem}")
                failures += 1
        for rule in CIRCLES:
            problem = survive(callsig, Path(folder), rule)
            if problem:
                print(f"FAIL call frame information {rule}\n{problem}")
                failures += 1
        for damage in DAMAGE:
            problem = survive_damage(callsig, Path(folder), *damage)
            if problem:
                print(f"FAIL damage {damage}\n{problem}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
