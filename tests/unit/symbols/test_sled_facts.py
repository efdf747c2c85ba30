#!/usr/bin/env python3
# ctest: arguments --callsig $<TARGET_FILE:callsig_cli>
"""What the index says of functions with clang's sleds: which call nothing, as objdump shows, and which registers are nobody's.

usage: test_sled_facts.py --callsig COMMAND
"""
import argparse
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from test_sled_arguments import run

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
LEAF, FREE, SPARE = 1, 4, 8
SLEDS = ["-g", "-w", "-Xclang", "-fxray-instrument", "-Xclang", "-fxray-instruction-threshold=1"]
# A comment says what the function's flags have to be. What is static, and passes on what it is given, may be rebuilt.
SOURCE = r"""
struct big { long words[4]; };
struct pair { long a, b; };
volatile long sink;
long (*volatile pointer)(long);
#define OUT __attribute__((noinline))
OUT long four(long a, long b, long c, long d) { return sink += a + b + c + d; } // LEAF FREE SPARE
OUT long five(long a, long b, long c, long d, long e) { return sink += a + b + c + d + e; } // LEAF FREE
OUT long floats(double a, double b, double c, double d, double e, long f) { return sink += a + b + c + d + e + f; } // LEAF FREE SPARE
OUT long pairs(struct pair a, struct pair b) { return sink += a.a + b.b; } // LEAF FREE SPARE
OUT long three_pairs(struct pair a, struct pair b, struct pair c) { return sink += a.a + b.b + c.a; } // LEAF FREE
OUT struct big result(long a, long b, long c) { struct big big = {{a, b, c, sink}}; return big; } // LEAF FREE SPARE
OUT struct big result_four(long a, long b, long c, long d) { struct big big = {{a, b, c, d}}; return big; } // LEAF FREE
OUT long whole(struct big a, long b) { return sink += a.words[3] + b; } // LEAF FREE SPARE
static OUT long local(long a) { return sink += a; } // LEAF FREE
OUT long variadic(long a, ...) { return sink += a; } // LEAF
OUT long unprototyped(a) long a; { return sink += a; } // LEAF FREE SPARE
OUT long calls(long a) { sink++; return four(a, a, a, a) + 1; } // FREE SPARE
OUT long calls_by_pointer(long a) { return pointer(a) + 1; } // FREE SPARE
OUT long goes_on(long a) { sink++; return pointer(a); } // FREE SPARE
OUT long forks(long a) { __asm__ volatile("syscall" : "+a"(a) : : "rcx", "r11", "memory"); return a; } // FREE SPARE
OUT long calls_in_text(long a) { __asm__ volatile("call four" : "+D"(a) : : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory"); return a; } // FREE SPARE
OUT __attribute__((preserve_most)) void keeps_most(long a) { sink += a; } // LEAF
OUT __attribute__((preserve_all)) void keeps_all(long a) { sink += a; } // LEAF
OUT __attribute__((regcall)) long by_registers(long a, long b) { return sink += a + b; } // LEAF
OUT __attribute__((ms_abi)) long of_windows(long a) { return sink += a; } // LEAF
OUT long chooses(long a) { // LEAF FREE SPARE
  switch (a) {
  case 0: return sink; case 1: sink = 5; return 2; case 2: sink++; return 9; case 3: return sink * 3; case 4: sink--; break;
  case 5: sink ^= 8; return 1; case 6: sink = a; return 11; case 7: return 4; default: return sink + 77;
  }
  return 3;
}
int main(void)
{
  pointer = local;
  struct big big = result(1, 2, 3);
  struct pair one = {1, 2};
  keeps_most(1); keeps_all(2); by_registers(1, 2); of_windows(3); unprototyped(4);
  return (int)(calls(1) + calls_by_pointer(2) + goes_on(3) + five(1, 2, 3, 4, 5) + floats(1, 2, 3, 4, 5, 6) + pairs(one, one) + three_pairs(one, one, one) +
               result_four(1, 2, 3, 4).words[0] + whole(big, 1) + variadic(1, 2) + chooses(sink) + forks(39) + calls_in_text(3)) & 0;
}
"""


def sections_of(index):
    """The bytes of each section, as docs/index-format.md has them."""
    count = struct.unpack_from("<I", index, 88)[0]
    for number in range(count):
        offset, entries, size = struct.unpack_from("<QII", index, 96 + 16 * number)
        yield index[offset:offset + entries * size], size


def flags_of(tools, program, folder):
    """{address of a function: the flags of each of its sleds}."""
    cache = os.path.join(folder, "cache")
    run([tools.callsig, "index", "--cache", program], env=dict(os.environ, XDG_CACHE_HOME=cache))
    found = {}
    for path in glob.glob(os.path.join(cache, "callsig", "*.csi")):
        with open(path, "rb") as file:
            sleds, size = list(sections_of(file.read()))[-1]
        for at in range(0, len(sleds), size):
            function, flags = struct.unpack_from("<Q", sleds, at + 8)[0], sleds[at + 26]
            found.setdefault(function, set()).add(flags)
    shutil.rmtree(cache)
    return found


def functions_of(program):
    """{address: (name, its code as objdump writes it)}, local labels of inline assembly aside."""
    found = {}
    for line in run(["objdump", "-d", "--no-show-raw-insn", program]).splitlines():
        heading = re.match(r"([0-9a-f]+) <(.*)>:$", line)
        if heading:
            code = []
            found[int(heading.group(1), 16)] = (heading.group(2), code)
        elif re.match(r"\s*[0-9a-f]+:\t", line):
            code.append(line.split("\t", 1)[1])
    return found


def calls_nothing(name, code):
    return not any(re.match(r"(\S+ )*(call|syscall)", text) or re.search(r"\bj\w+ +[0-9a-f]+ <(?!%s[+>])" % re.escape(name), text) for text in code)


def check_source(compiler, options, tools, folder):
    """Each function of SOURCE has the flags that its comment says, where it is optimised: goes_on() ends with a tail call then."""
    path, program = os.path.join(folder, "facts.c"), os.path.join(folder, "facts")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    run([compiler, *SLEDS, *options, path, "-o", program])
    found, functions = flags_of(tools, program, folder), functions_of(program)
    wanted = {name: sum({"LEAF": LEAF, "FREE": FREE, "SPARE": SPARE}[flag] for flag in flags.split())
              for name, flags in re.findall(r"OUT .*?\b(\w+)\([^()]*\) (?:long a; )?\{.*// ([A-Z ]+)$", SOURCE, re.M)}
    problems = [f"{name}: flags {found.get(address)}, {wanted[name]} expected" for address, (name, _) in functions.items()
                if name in wanted and found.get(address) != {wanted[name]}]
    return problems + ([] if len(wanted) == SOURCE.count("OUT ") - 1 else [f"{len(wanted)} functions are looked at"])


def check_library(compiler, options, tools, folder):
    """Leaves of real code, our own, are those that objdump shows; nothing that calls is one."""
    library = os.path.join(folder, "library.so")
    sources = [path for room in ("format", "symbols/flow", "base") for path in sorted(glob.glob(os.path.join(ROOT, room, "*.c")))]
    run([compiler, *SLEDS, *options, "-D_GNU_SOURCE", "-I", ROOT, "-fPIC", "-shared", *sources, "-lxxhash", "-o", library])
    found, functions = flags_of(tools, library, folder), functions_of(library)
    leaves, problems = 0, []
    for address, flags in found.items():
        name, code = functions.get(address, ("", []))
        if not code:
            problems.append(f"{address:#x} is no function of objdump's")
        is_indirect = any(re.match(r"(notrack )?jmp +\*", text) for text in code)
        says, is_leaf = {flag & LEAF for flag in flags}, calls_nothing(name, code)
        leaves += is_leaf
        if says != {int(is_leaf)} and not (is_leaf and is_indirect):
            problems.append(f"{name}: is {'a' if is_leaf else 'no'} leaf, flags {flags}")
    return problems + ([] if leaves > 15 else [f"{leaves} leaves only"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callsig", required=True)
    tools = parser.parse_args()
    failed = ran = 0
    for compiler in ("clang", "clang-16", "clang-19"):
        for check, options in [(check_source, ["-O1"]), (check_source, ["-O2", "-gdwarf-4"]), (check_library, ["-O0"]), (check_library, ["-O2"])]:
            if not shutil.which(compiler):
                print(f"{compiler}: not installed: left out")
                break
            ran += 1
            with tempfile.TemporaryDirectory() as folder:
                problems = check(compiler, options, tools, folder)
            if problems:
                print(f"FAIL {compiler} {' '.join(options)} {check.__name__}:", *problems, sep="\n  ")
                failed += 1
    return 1 if failed else 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
