#!/usr/bin/env python3
# ctest: arguments --tools $<TARGET_FILE_DIR:symbols_tell_hook_calls>
"""Which instructions call hooks: those that objdump shows to do so, and the sleds that the compiler listed.

usage: test_hook_calls.py --tools DIR
"""
import argparse
import bisect
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from test_sled_arguments import run, sled_flags

PROGRAM = """
#include <stdio.h>
static volatile int sink;
__attribute__((noinline)) int leaf(int n) { return n > 2 ? n * sink : 7; }
__attribute__((noinline)) int twice(int n) { return leaf(n) + leaf(n + 1); }
__attribute__((noinline)) int tail(int n) { sink = n; return twice(n); }
int main(void) { printf("%d\\n", tail(3)); return 0; }
"""
HOOK = r"__cyg_profile_func_(?:enter|exit)"
# (compiler, whether it makes sleds, options): stubs that are bound late, at once, behind endbr64, and none at all.
CASES = [("gcc", True, ["-O2"]), ("clang", True, ["-O2"])]
CASES += [(compiler, False, options) for compiler in ("gcc", "clang")
          for options in (["-O2"], ["-O2", "-Wl,-z,now"], ["-O2", "-fcf-protection"], ["-O2", "-fno-plt"], ["-O0", "-no-pie"])]


def instructions(program):
    """Of each its address and its text, with the name of the symbol or stub that it stands in."""
    name, found = "", []
    for line in run(["objdump", "-d", "--no-show-raw-insn", program]).splitlines():
        heading = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        code = re.match(r"\s*([0-9a-f]+):\s+(.*)$", line)
        if heading:
            name = heading.group(1)
        elif code:
            found.append((int(code.group(1), 16), code.group(2), name))
    return found


def calls_of_hooks(code):
    """Calls of a hook by its stub or its slot; and stubs, but for what leads to the resolver."""
    found = set()
    for address, text, name in code:
        in_stub = re.fullmatch(HOOK + "@plt", name) and not re.match(r"push|jmp\s+[0-9a-f]+ <(?!%s)|nop" % HOOK, text.replace("bnd ", ""))
        if in_stub or re.match(r"(addr32 )?call.*<%s(@|>)" % HOOK, text):
            found.add(address)
    return found


def sleds(program, code):
    """The instructions that the program lists as sleds, by addresses relative to the fields that hold them. Prefixes may stand before."""
    found = set()
    for name, address, offset, size in re.findall(r"(callsig_sleds|xray_instr_map)\s+PROGBITS\s+(\w+) (\w+) (\w+)", run(["readelf", "-SW", program])):
        with open(program, "rb") as file:
            file.seek(int(offset, 16))
            section = file.read(int(size, 16))
        found |= {int(address, 16) + at + struct.unpack_from("<q", section, at)[0] for at in range(0, len(section), 32)}
    starts = [address for address, *_ in code]
    return {starts[bisect.bisect_right(starts, address) - 1] for address in found}


def check(compiler, flags, tools, folder):
    program, source = os.path.join(folder, "program"), os.path.join(folder, "program.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    run([compiler, "-g", *flags, source, "-o", program])
    code = instructions(program)
    wanted = calls_of_hooks(code) | sleds(program, code)
    # What a call returns to tells of it by the byte before.
    starts = [address for address, *_ in code]
    calls = [address for address, text, _ in code if re.match(r"(addr32 )?call", text)]
    last = {address: starts[bisect.bisect_right(starts, address)] - 1 for address in calls}
    wanted |= {last[address] for address in calls if address in wanted}
    asked = sorted({*starts, *last.values()})
    told = subprocess.run([os.path.join(tools.tools, "symbols_tell_hook_calls"), program], check=True, text=True, stdout=subprocess.PIPE,
                          input="".join(f"{address:x}\n" for address in asked)).stdout
    found = {int(line, 16) for line in told.split()}
    lines = {address: f"{address:x} {text} in {name}" for address, text, name in code}
    lines |= {end: f"the end of {lines[address]}" for address, end in last.items() if end not in lines}
    if len(wanted) < 6:
        return f"objdump shows {len(wanted)} calls of hooks"
    return "".join([f"\n  missing {lines[one]}" for one in sorted(wanted - found)] + [f"\n  wrong {lines[one]}" for one in sorted(found - wanted)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="folder of symbols_tell_hook_calls")
    tools = parser.parse_args()
    failed = ran = 0
    for compiler, has_sleds, options in CASES:
        flags = (sled_flags(compiler, tools) if has_sleds else ["-finstrument-functions"]) if shutil.which(compiler) else None
        if flags is None:
            print(f"{compiler}: not installed, or without sleds: left out")
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as folder:
            problem = check(compiler, [*flags, *options], tools, folder)
        if problem:
            print(f"FAIL {compiler} {' '.join([*flags, *options])}: {problem}")
            failed += 1
    return 1 if failed else 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
