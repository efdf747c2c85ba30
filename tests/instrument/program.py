"""A compiled program as objdump and nm show it, and its list of sleds as the section's bytes say: two readings to be compared."""

import bisect
import collections
import re
import struct
import subprocess

ENTER, EXIT, TAIL = 0, 1, 2
LEAF, LOOP, FREE, SPARE = 1, 2, 4, 8
GCC, XRAY = "callsig_sleds", "xray_instr_map"

# What no compiler at hand has made: the start files' and the linker's.
FOREIGN = re.compile(r"(_start|_init|_fini|_dl_relocate_static_pie|deregister_tm_clones|register_tm_clones|__do_global_dtors_aux|"
                     r"frame_dummy|__clang_call_terminate|atexit|at_quick_exit|__x86_indirect.*|"
                     r"__x86\.get_pc_thunk.*)$")

Sled = collections.namedtuple("Sled", "address function kind version flags instructions")
Instruction = collections.namedtuple("Instruction", "address size name operands label bytes")


class Function:
    """One symbol with its instructions. `part` is the name of the function whose cold part it is, or None."""

    def __init__(self, name, address, size):
        self.name, self.address, self.size = name, address, size
        found = re.match(r"(.*)\.cold(\.\d+)?(\.lto_priv\.\d+)?$", name)
        self.part = found[1] if found else None
        self.code = []

    def __contains__(self, address):
        return self.address <= address < self.address + self.size


def output_of(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def read_sections(path):
    """The sections of an ELF file: a list of name, type, flags, address, bytes and link."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:6] == b"\x7fELF\x02\x01", path
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    text = headers[names][4]
    sections = []
    for name, kind, flags, address, offset, length, link, _, _, _ in headers:
        end = data.index(b"\0", text + name)
        sections.append((data[text + name:end].decode(), kind, flags, address, data[offset:offset + length], link))
    return sections


def read_sleds(path):
    """The name of the section and its entries, of a linked program."""
    for name, _, _, address, data, _ in read_sections(path):
        if name in (GCC, XRAY):
            assert len(data) % 32 == 0, (name, len(data))
            sleds = []
            for offset in range(0, len(data), 32):
                place, function, kind, _, version, flags, instructions = struct.unpack_from("<qqBBBBI", data, offset)
                assert data[offset + 24:offset + 32] == bytes(8) or name == XRAY
                sleds.append(Sled(address + offset + place, address + offset + 8 + function, kind, version, flags, instructions))
            return name, sleds
    return None, []


class Program:
    def __init__(self, path):
        self.path = path
        self.section, self.sleds = read_sleds(path)
        self.kinds = {sled.address: sled.kind for sled in self.sleds}
        # Where a function's tail calls may stand: of itself too.
        size = 5 if self.section == GCC else 11
        self.after_tails = {sled.address + size for sled in self.sleds if sled.kind == TAIL}
        self.functions = self.read_functions()
        self.starts = [function.address for function in self.functions]
        self.cold = [function for function in self.functions if function.part]
        self.disassemble()

    def read_functions(self):
        """One function for each place: names of the same place are one."""
        functions = {}
        for line in output_of("nm", "-S", "--defined-only", self.path).splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tTwWi" and int(words[1], 16) > 0 and int(words[0], 16) not in functions:
                functions[int(words[0], 16)] = Function(words[3], int(words[0], 16), int(words[1], 16))
        return sorted(functions.values(), key=lambda function: function.address)

    def disassemble(self):
        by_address = {}
        for line in output_of("objdump", "-d", "-w", "--insn-width=16", self.path).splitlines():
            found = re.match(r" *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *(?:\t(.*))?$", line)
            if not found or not found[3]:
                continue
            words = re.sub(r"#.*|<.*>", "", found[3]).split(None, 1)
            label = re.search(r"<([^+>]*)[^>]*>$", found[3])
            while words[0] in ("bnd", "notrack", "repz", "rep", "cs", "ds", "data16", "lock") and len(words) > 1:
                words = words[1].split(None, 1)
            address, size = int(found[1], 16), len(found[2].split())
            # A sled whose prefixes fill up to where it may lie: the prefixes are an instruction of their own here.
            sled = next((at for at in range(address + 1, address + size) if at in self.kinds), address)
            if sled != address:
                prefixes = found[2].split()[:sled - address]
                assert set(prefixes) == {"2e"}, f"{self.path}: {address:#x}: {found[2]}"
                by_address[address] = Instruction(address, sled - address, "nop", "", "", bytes.fromhex("".join(prefixes)))
            by_address[sled] = Instruction(sled, size - (sled - address), words[0],
                                                        words[1].strip() if len(words) > 1 else "",
                                                        label[1] if label else "", bytes.fromhex("".join(found[2].split()[sled - address:])))
        self.by_address = by_address
        for function in self.functions:
            address = function.address
            while address in function:
                instruction = by_address.get(address)
                assert instruction, f"{function.name}: no instruction at {address:#x}"
                function.code.append(instruction)
                address += instruction.size

    def bytes_at(self, address, size):
        """The bytes of the instructions that begin at an address, `size` of them; fewer where none follows."""
        found = b""
        while len(found) < size and address + len(found) in self.by_address:
            found += self.by_address[address + len(found)].bytes
        return found[:size]

    def function_at(self, address):
        index = bisect.bisect_right(self.starts, address) - 1
        return self.functions[index] if index >= 0 and address in self.functions[index] else None

    def function_named(self, name):
        return next((function for function in self.functions if re.sub(r"\.(constprop|isra|part|lto_priv|localalias).*", "",
                                                                       function.name) == name), None)

    def own(self):
        """What the compiler made, without the cold parts."""
        return [function for function in self.functions if not FOREIGN.match(function.name) and not function.part]

    def sleds_in(self, function):
        """The function's sleds, those of its cold part too, by address."""
        return sorted(sled for sled in self.sleds if any(sled.address in part for part in self.parts_of(function)))

    def parts_of(self, function):
        """The function and its cold parts."""
        return [function, *(other for other in self.cold if other.part == function.name)]

    def entry_of(self, function):
        """The address of the first instruction that does something or is a sled: behind endbr64 and padding."""
        for instruction in function.code:
            if instruction.address in self.kinds or instruction.name != "endbr64" and not is_padding(instruction):
                return instruction.address
        return None

    def leaves(self, function, instruction):
        """ENTER never; EXIT when it returns, TAIL when it jumps out of the function, else None."""
        if instruction.name.startswith("ret"):
            return EXIT
        if instruction.name == "jmp" and re.match(r"[0-9a-f]+$", instruction.operands):
            # It has no size, and is in no list of functions.
            if instruction.label == "__x86_return_thunk":
                return EXIT
            # A computed goto, or a call through a pointer.
            if instruction.label.startswith("__x86_indirect"):
                return None
            target = self.function_at(int(instruction.operands, 16))
            family = {name for part in (function, target) if part for name in (part.part or part.name,)}
            # To another function's first byte, or into the PLT, which has no symbols.
            if target is None or len(family) == 2:
                return TAIL
        return None


def is_padding(instruction):
    return instruction.name in ("nop", "nopl", "nopw", "xchg") and (instruction.name != "xchg" or instruction.operands == "%ax,%ax")
