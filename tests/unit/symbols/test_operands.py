#!/usr/bin/env python3
# ctest: arguments --tools $<TARGET_FILE_DIR:symbols_tell_operands> --command $<TARGET_FILE:callsig_cli>
"""What instructions read and write, beside Capstone, a disassembler that we did not write, on code that compilers did: libc, libstdc++
and the command. What is said to be read is read, and what is written is said to be; of memory no byte more than there is.

usage: test_operands.py --tools DIR --command COMMAND
"""
import argparse
import collections
import os
import re
import subprocess
import sys

DEBIAN = "/usr/bin/python3"  # has Debian's packages where another python3 comes first
try:
    import capstone
except ImportError:
    if os.path.exists(DEBIAN) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    print("python3-capstone is not installed")
    sys.exit(77)

# By DWARF number.
GENERAL = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", *("r%d" % i for i in range(8, 16))]
PARTS = {"rax": "eax ax al ah", "rdx": "edx dx dl dh", "rcx": "ecx cx cl ch", "rbx": "ebx bx bl bh", "rsi": "esi si sil", "rdi": "edi di dil",
         "rbp": "ebp bp bpl", "rsp": "esp sp spl", **{"r%d" % i: "r%dd r%dw r%db" % (i, i, i) for i in range(8, 16)}}
NUMBERS = {name: number for number, name in enumerate(GENERAL)}
NUMBERS.update({part: NUMBERS[name] for name, parts in PARTS.items() for part in parts.split()})
NUMBERS.update({"%smm%d" % (kind, i): 17 + i for kind in "xyz" for i in range(16)})
STACK = 1 << NUMBERS["rsp"]
EVEX = 0x62
LEAST = 2000  # different shapes of instructions; fewer, and too little code was looked at


def disassembled(path):
    """The instructions of an ELF file, one of each shape: mnemonic, kinds of operands and registers."""
    machine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    machine.detail = True
    headers = subprocess.run(["objdump", "-h", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    size, address, offset = (int(word, 16) for word in re.search(r" \.text +(\w+) +(\w+) +\w+ +(\w+)", headers).groups())
    with open(path, "rb") as file:
        file.seek(offset)
        code = file.read(size)
    # Capstone stops at what it does not know; objdump's addresses take it on.
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    shapes = {}
    for line in listing.splitlines():
        at, colon, text = line.strip().partition(":\t")
        if not colon or "(bad)" in text:
            continue
        shape = re.sub(r"-?0x[0-9a-f]+|<.*>|[0-9a-f]{4,}", "N", text)
        if shape not in shapes:
            shapes[shape] = int(at, 16)
    for shape, at in shapes.items():
        found = next(machine.disasm(code[at - address:at - address + 15], at, 1), None)
        if found is not None:
            yield found


def mask(machine, numbers):
    return sum({1 << NUMBERS[name] for name in map(machine.reg_name, numbers) if name in NUMBERS})


def memory(instruction):
    """(whether it is read, whether it is written, bytes), as Capstone has it; None: no operand is memory."""
    found = [operand for operand in instruction.operands if operand.type == capstone.x86.X86_OP_MEM]
    return (bool(found[0].access & capstone.CS_AC_READ), bool(found[0].access & capstone.CS_AC_WRITE), found[0].size) if found else None


def judge(instruction, told):
    """What is wrong, in words; None."""
    reads, writes, has_memory, stores, size = (int(word, 16 if i < 2 else 10) for i, word in enumerate(told.split()))
    if instruction.bytes[0] == EVEX:  # of which we tell nothing, and Capstone 4 not always the index
        return None if writes == 2**64 - 1 and (stores or not has_memory) else "is of EVEX, and known"
    of_capstone = [mask(instruction, numbers) for numbers in instruction.regs_access()]
    if reads & ~of_capstone[0] & ~STACK:
        return "reads %x, and Capstone says %x" % (reads, of_capstone[0])
    # Capstone 4 has it that these change rax.
    if instruction.id in (capstone.x86.X86_INS_CWD, capstone.x86.X86_INS_CDQ, capstone.x86.X86_INS_CQO, capstone.x86.X86_INS_TEST):
        of_capstone[1] &= ~(1 << NUMBERS["rax"])
    if writes != 2**64 - 1 and of_capstone[1] & ~writes & ~STACK:
        return "writes %x, and Capstone says %x" % (writes, of_capstone[1])
    place = memory(instruction)
    if has_memory and not stores and place and instruction.id != capstone.x86.X86_INS_LEA:
        if not place[0]:
            return "reads memory, and Capstone says that it does not"
        if size > place[2]:
            return "reads %d bytes of memory, and Capstone says %d" % (size, place[2])
    if place and place[1] and not place[0] and writes != 2**64 - 1 and has_memory and (not stores or size < place[2]):
        return "stores %d bytes, and Capstone says %d" % (size, place[2])
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--command", required=True)
    options = parser.parse_args()
    paths = {re.search(r"=> (\S+)", line).group(1) for line in subprocess.run(["ldd", options.command], stdout=subprocess.PIPE, text=True, check=True)
             .stdout.splitlines() if re.search(r"lib(c|m|sqlite3|crypto)\.so", line)} | {options.command}
    instructions = [instruction for path in sorted(paths) for instruction in disassembled(path)]
    told = subprocess.run([os.path.join(options.tools, "symbols_tell_operands")], input="".join(bytes(one.bytes).hex() + "\n" for one in instructions),
                          stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    assert len(told) == len(instructions), (len(told), len(instructions))
    wrong = collections.Counter()
    for instruction, line in zip(instructions, told):
        problem = None if line == "?" else judge(instruction, line)
        if problem:
            wrong[instruction.mnemonic] += 1
            if wrong[instruction.mnemonic] <= 2:
                print("%s %s (%s): %s" % (instruction.mnemonic, instruction.op_str, bytes(instruction.bytes).hex(), problem))
    known = sum(line != "?" and line.split()[1] != "f" * 16 for line in told)
    print("%d instructions of %d files, %d of them known, %d wrong" % (len(instructions), len(paths), known, sum(wrong.values())))
    return len(instructions) < LEAST or known < 0.8 * len(instructions) or bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
