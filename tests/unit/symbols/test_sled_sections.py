#!/usr/bin/env python3
# ctest: arguments --callsig $<TARGET_FILE:callsig_cli>
"""Lists of sleds that are right, wrong and wild: what the index takes of each, and what it says of the rest.

usage: test_sled_sections.py --callsig COMMAND

A library is written in assembly, with sleds and with a list of them of which one thing after the other is wrong.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

NOP5 = "  .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
JUMP11 = "  .byte 0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00\n"
RETURN11 = "  .byte 0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00\n"
RETURN6 = "  .byte 0xc3, 0x0f, 0x1f, 0x40, 0x00, 0xc3\n"

# Three functions: of gcc's plug-in, behind endbr64; with a cold part; of clang.
CODE = """
  .text
  .globl first, second, third
  .type first, @function
  .type second, @function
  .type third, @function
  .balign 16
first:
  .cfi_startproc
  endbr64
  .byte 0x0f, 0x1f, 0x40, 0x00
first_enter:
%(first_enter)s
  .balign 8
first_exit:
%(return6)s
  .cfi_endproc
  .size first, .-first
  .balign 16
cold:
  .balign 8
second_tail:
%(nop5)s
%(jump)s
  .balign 16
second:
  .cfi_startproc
second_enter:
%(nop5)s
  .balign 8
  ret
  .cfi_endproc
  .size second, .-second
  .balign 16
third:
third_start:
  .cfi_startproc
third_enter:
%(jump11)s
  .balign 2
third_exit:
%(return11)s
  .cfi_endproc
  .size third, .-third
  .balign 16
nothing:
  xor %%eax, %%eax
  ret
  .balign 16
  .section callsig_sleds, "a"
%(ours)s
  .section xray_instr_map, "a"
%(xray)s
  .section .note.GNU-stack, "", @progbits
"""

PATCHES = '  .section __patchable_function_entries, "aw"\n  .quad first\n'

ENTER, EXIT, TAIL, ENTER_ARGS, CUSTOM_EVENT = range(5)
OURS = [("first_enter", "first_enter", ENTER), ("first_exit", "first_enter", EXIT), ("second_tail", "second_enter", TAIL), ("second_enter", "second_enter", ENTER)]
XRAY = [("third_enter", "third_start", ENTER), ("third_exit", "third_start", EXIT)]
ALL = ["first", "second", "third"]
WRONG = "%d entries of its lists of sleds are not of this code and are left out"
OLD = "its sleds are listed in a way that is not known: compile it with clang 14 or newer"
SPLIT = "1 function is not profiled, where clang put a sled between a comparison and its jump"
DAMAGED = "its list of sleds is damaged"


def entry(address, function, kind, version=2):
    return f"  .quad {address} - .\n  .quad {function} - .\n  .byte {kind}, 0, {version}, 0\n  .long 7\n  .zero 8\n"


def table(entries):
    return "".join(entry(*one) for one in entries)


def case(ours=OURS, xray=XRAY, tail="", **code):
    parts = dict({"nop5": NOP5, "jump11": JUMP11, "return11": RETURN11, "return6": RETURN6, "first_enter": NOP5, "jump": "  jmp first\n"}, **code)
    return CODE % dict(parts, ours=table(ours) + tail, xray=table(xray))


# name: source, functions that have sleds, what is said
CASES = {
    "all": (case(), ALL, None),
    "no list": (case([], []), [], "has neither sleds nor calls"),
    "an entry whose code is none": (case(first_enter="  .byte 0x0f, 0x1f, 0x44, 0x00, 0x01\n"), ["second", "third"], WRONG % 2),
    "a jump of another width": (case(jump11=JUMP11.replace("0x09", "0x08")), ["first", "second"], WRONG % 2),
    "an entry that is not aligned": (case(first_enter="  .zero 4, 0x90\n" + NOP5, ours=[("first_enter + 4", "first_enter + 4", ENTER)] + OURS[2:]),
                                     ["second", "third"], WRONG % 1),
    "code that is no sled": (case(OURS + [("nothing", "nothing", ENTER)]), ALL, WRONG % 1),
    "an address beyond everything": (case(OURS + [("first + 0x7ffffff0", "first", EXIT)]), ALL, WRONG % 1),
    "an exit of a function without entry": (case(OURS[1:]), ["second", "third"], WRONG % 1),
    "room for patches in the place of an entry": (case(OURS[1:]) + PATCHES, ["second", "third"], "compile it without -fpatchable-function-entry"),
    "room for patches and no entry": (case(OURS[1:2], []) + PATCHES, [], "compile it without -fpatchable-function-entry"),
    "an exit of no function": (case(OURS + [("nothing", "first + 0x10000000", EXIT)]), ALL, WRONG % 1),
    "an entry of another function": (case([OURS[0], ("second_enter", "first_enter", ENTER)]), ["first", "third"], WRONG % 1),
    "an entry far behind its function": (case(OURS, [("third_enter", "first_enter - 8", ENTER)]), ["first", "second"], WRONG % 1),
    "a return that is an entry": (case(xray=[("third_exit", "third_exit", ENTER)]), ["first", "second"], WRONG % 1),
    "a return of gcc's that is an entry": (case(OURS + [("first_exit", "first_exit", ENTER)]), ALL, WRONG % 1),
    "a return of gcc's that ends otherwise": (case(return6=RETURN6.replace("0x00, 0xc3", "0x00, 0x90")), ALL, WRONG % 1),
    "an exit before a return": (case(return6=NOP5 + "  ret\n"), ALL, None),
    "a jump by a condition": (case(jump="  jne first\n"), ["first", "third"], SPLIT),
    "a short jump by a condition": (case(jump="  jne cold\n"), ["first", "third"], SPLIT),
    "a jump by a condition behind padding": (case(jump="  nop\n  nopw (%rax)\n  jne first\n"), ["first", "third"], SPLIT),
    "a jump by a condition alone": (case(jump="  jne first\n", ours=OURS[2:], xray=[]), [], SPLIT),
    "a jump through a register": (case(jump="  notrack jmp *%rax\n"), ALL, None),
    "a list of old": (case(xray=[one + (1,) for one in XRAY], ours=[]), [], OLD),
    "events": (case(xray=XRAY + [("nothing", "third_start", CUSTOM_EVENT)]), ALL, None),
    "an entry with arguments": (case(xray=[("third_enter", "third_start", ENTER_ARGS), XRAY[1]]), ALL, None),
    "folded functions": (case(OURS + OURS), ALL, None),
    "a list that ends in the middle": (case(tail="  .zero 24\n"), None, DAMAGED),
    "a list without bytes": (case().replace('callsig_sleds, "a"', 'callsig_sleds, "aw", @nobits').replace(table(OURS), "  .zero 128\n"), None, DAMAGED),
}


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def build(source, folder):
    with open(os.path.join(folder, "library.s"), "w", encoding="utf-8") as file:
        file.write(source)
    library = os.path.join(folder, "library.so")
    done = run(["gcc", "-shared", "-nostdlib", "-o", library, os.path.join(folder, "library.s")])
    if done.returncode:
        sys.exit(done.stderr)
    return library


def functions_of(text):
    """The names that --explain gives the sleds, by way of their addresses."""
    return [int(address, 16) for address in re.findall(r"^  sled (0x[0-9a-f]+)", text, re.MULTILINE)]


def check(name, source, expected, said, callsig, folder):
    library = build(source, folder)
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in run(["nm", library]).stdout.splitlines() if len(line.split()) == 3}
    done = run([callsig, "index", library, "--explain"])
    if expected is None:
        good = done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1
    else:
        found = [next((key for key in ALL if symbols[key] <= sled < symbols[key] + 16), None) for sled in functions_of(done.stdout)]
        message = done.stderr.strip()
        # Without debug information a second line says so.
        first = next((line for line in message.splitlines() if "debug information" not in line), "")
        good = done.returncode == 0 and sorted(found, key=str) == expected and (said in first if said else first == "")
    if not good:
        print(f"{name}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return good


def check_wild(callsig, folder, rounds):
    """Any bytes in a list: the index is made or refused by a line, and never anything else."""
    library = build(case(), folder)
    header = re.search(r"callsig_sleds +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", run(["readelf", "-SW", library]).stdout)
    offset, size = int(header[1], 16), int(header[2], 16)
    with open(library, "rb") as file:
        whole = file.read()
    chance = random.Random(5)
    for number in range(rounds):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            damaged[offset + chance.randrange(size)] = chance.randrange(256)
        with open(library, "wb") as file:
            file.write(damaged)
        done = run([callsig, "index", library])
        if done.returncode not in (0, 1) or len(done.stderr.splitlines()) > 3:
            print(f"wild list {number}: exit status {done.returncode}\n{done.stderr}")
            return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callsig", required=True)
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, expected, said) in CASES.items():
            good &= check(name, source, expected, said, options.callsig, folder)
        # Stripped of its symbols: a function is where the frame's description begins.
        library = build(case(), folder)
        run(["strip", library])
        stripped = run([options.callsig, "index", library, "--explain"])
        if len(functions_of(stripped.stdout)) != 3 or stripped.returncode:
            print(f"stripped: {stripped.stdout}{stripped.stderr}")
            good = False
        good &= check_wild(options.callsig, folder, 60)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
