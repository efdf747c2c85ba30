"""Runs inside gdb: stops at calls of the entry hook and writes down what gdb reads of the entered function's parameters.

ARGUMENTS_PLAN names a JSON file: `command`, `environment`, `output`, and `calls`, a map from the link-time address of a call
instruction to the address that it returns to. For every stop one JSON line goes to `output`: the address that the hook
is told (this_fn) and, for each parameter, its name and [kind, value], or ["lost", ""].

A parameter is read where the program stands at the call instruction. What the debug information does not describe there
it may describe right after the call, or some instructions later, as clang's often does: gdb then also stops at the return
address, and steps from there, until it can read it.
Parameters of inlined functions are evaluated in the frame of the function that they are inlined into: the registers are the
same, and gdb takes DW_OP_entry_value in an inlined frame for something else (a parameter that is tableSize@entry=7 there
would be 0). A block once found at the call is kept for the return address, where clang's ranges may tell of another
instance.

Which function is meant follows from this_fn, not from the innermost frame alone: where the debug information puts the
call outside the inlined function that makes it, that function's nearest block after the call is taken, and its parameters
are evaluated in the frame at hand.

With `sleds` in the plan, `calls` maps the first instruction of a function to the one behind its sled, and the program runs by
itself, with its sleds off: gdb stops at the first instruction, and behind the sled for what it cannot read before. What gdb would
read from a frame that does not exist yet is lost.

With `stored`, of a build without optimisation, it stops a second time not behind the sled but where the prologue ends: by then every parameter lies in the frame where the debug information has it, and nothing of the function has run.
"""

import json
import os
import re

import gdb

STEPS = 8  # how many instructions after the call a parameter may become readable
STACK_SIZE = 8 << 20
INTEGERS = {gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_RANGE}
NUMBERS = INTEGERS | {gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM}
SUMS = {}  # by block: what spilled_sums() says
MADE = {}  # the same of made_values()
KEPT = {}  # the same of kept_later()
PASSING = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"}


def symbol_names(address):
    """The name of the function symbol at a run-time address."""
    text = gdb.execute(f"info symbol {address:#x}", to_string=True)
    return text.split(" in section ")[0].split(" of ")[0].strip()


def function_of(frame):
    block = frame.block()
    while block is not None and block.function is None:
        block = block.superblock
    return block


def bare(name):
    """A function's qualified name without its return type, its parameters and the suffixes of clones."""
    for mark in (".constprop", ".isra", ".part", ".cold", ".lto_priv", " [clone"):
        name = name.split(mark)[0]
    name = name.replace("[abi:cxx11]", "").strip().removesuffix(" const")
    depth = 0
    if name.endswith(")"):
        for i in range(len(name) - 1, -1, -1):
            depth += (name[i] == ")") - (name[i] == "(")
            if depth == 0:
                name = name[:i] or name
                break
    depth = 0
    for i in range(len(name) - 1, 0, -1):
        depth += (name[i] in ">)") - (name[i] in "<(")
        if depth == 0 and name[i] == " " and "operator" not in name[:i]:
            return name[i + 1:].lstrip("*&")
    return name


def wanted_names(address):
    """The names of the function at `address`: its symbol's, and the one that its own debug information gives it."""
    names = {bare(symbol_names(address))}
    block = gdb.block_for_pc(address)
    while block is not None and block.function is None:
        block = block.superblock
    if block is not None and block.start == address:
        names |= {bare(block.function.name), bare(block.function.linkage_name or "")}
    return names - {""}


def is_called(function, wanted):
    return not wanted.isdisjoint({bare(function.name), bare(function.linkage_name or ""), bare(function.print_name)})


def frame_for(wanted, nearest):
    """The frame of the physical function at hand, and the block of the innermost function, inlined ones included, that has
    a name in `wanted`. `nearest(pc)` finds a block where no frame is right."""
    frame, found = gdb.newest_frame(), None
    while True:
        try:
            block = function_of(frame)
        except RuntimeError:
            return frame, found
        if found is None and block is not None and is_called(block.function, wanted):
            found = block
        if frame.type() != gdb.INLINE_FRAME:
            return frame, found if found is not None else nearest(frame.pc())
        frame = frame.older()


def nearest_block(wanted, pc, reach=512):
    """The block of the inlined function `wanted` that begins or goes on nearest after `pc`; None when there is none."""
    for address in range(pc, pc + reach):
        block = gdb.block_for_pc(address)
        while block is not None and not block.is_static and not block.is_global:
            if block.function is not None and is_called(block.function, wanted):
                return block
            block = block.superblock
    return None


def pointer_text(value, target):
    address = int(value)
    if address == 0:
        # gdb's number for a pointer to an object that is not in memory (DW_OP_implicit_pointer) is 0, too.
        return "pointer" if "synthetic pointer" in value.format_string(raw=True) else "NULL"
    if target.code not in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD):
        return "pointer"
    text = gdb.execute(f"info symbol {address:#x}", to_string=True)
    return text.split(" in section ")[0].strip() if " in section " in text else hex(address)


def scope_text(block):
    """What gdb says of where the variables of a block are; by an address whose innermost block it is."""
    for address in range(block.start, block.end):
        inner = gdb.block_for_pc(address)
        while inner is not None and inner.function is None:
            inner = inner.superblock
        if inner is not None and (inner.start, inner.end, inner.function.name) == (block.start, block.end, block.function.name):
            try:
                return gdb.execute(f"info scope *{address:#x}", to_string=True)
            except gdb.error:  # of some inlined instances of gcc's: gdb finds no function for a variable
                return ""
    return ""


def spilled_sums(block):
    """{name: [(low, high), ...]}: where a variable is described as an address in the frame with something done to it, and no load.

    clang 14 describes so what is computed from a spilled register. gdb takes the address for the register; oracle.twins compares these.
    """
    found = {}
    for part in re.split(r"^Symbol ", scope_text(block), flags=re.MULTILINE)[1:]:
        for low, high, operations in re.findall(r"Range (0x[0-9a-f]+)-(0x[0-9a-f]+): a complex DWARF expression:\n((?: +\d+: .*\n)+)", part):
            names = re.findall(r": (DW_OP_\w+)", operations)
            if names[0] in ("DW_OP_breg6", "DW_OP_breg7") and names[-1] == "DW_OP_stack_value" and not any("deref" in n for n in names):
                found.setdefault(part.split(" ", 1)[0], []).append((int(low, 16), int(high, 16)))
    return found


def made_values(block):
    """{name: [(low, high), ...]}: where what gdb prints is what the function makes of a parameter, a number or a computation, and not
    what lies where it was passed. Where a description ends at the instruction that it begins at, those after it are such ones too.
    """
    found = {}
    for part in re.split(r"^Symbol ", scope_text(block), flags=re.MULTILINE)[1:]:
        for low, high, what, operations in re.findall(r"Range (0x[0-9a-f]+)-(0x[0-9a-f]+): (.*)\n((?: +\d+: .*\n)*)", part):
            names = re.findall(r": (DW_OP_\w+)", operations)
            if low == high or what.startswith("the constant") or names[-1:] == ["DW_OP_stack_value"]:
                found.setdefault(part.split(" ", 1)[0], []).append((int(low, 16), block.end if low == high else int(high, 16)))
        if re.match(r"\S+ is (constant|a variable with complex DWARF expression)", part):
            found.setdefault(part.split(" ", 1)[0], []).append((block.start, block.end))
    return found


def kept_later(block):
    """The names of variables with one register for the whole function, and none that passes an argument: where gcc keeps them from
    some instruction on, when it does not follow variables through a function as large as this one."""
    found = re.findall(r"^Symbol (\S+) is a variable in \$(\w+)", scope_text(block), flags=re.MULTILINE)
    return {name for name, register in found if register not in PASSING and not register.startswith("xmm")}


def describe(value):
    """[kind, value]: what a printed argument can be compared with."""
    kind = value.type.strip_typedefs()
    if kind.code in INTEGERS:
        return ["integer", str(int(value))]
    if kind.code == gdb.TYPE_CODE_BOOL:
        return ["bool", "true" if int(value) else "false"]
    if kind.code == gdb.TYPE_CODE_ENUM:
        return ["enum", f"{int(value)} {value}"]
    if kind.code == gdb.TYPE_CODE_PTR:
        target = kind.target().strip_typedefs()
        return ["function" if target.code == gdb.TYPE_CODE_FUNC else "pointer", pointer_text(value, target)]
    return ["other", ""]


def is_not_stored(value, block):
    """Whether gdb has taken the value from the stack where it is only later: below the return address, and, in what clang compiled,
    anywhere, since clang counts from the stack pointer that the prologue leaves."""
    if value.address is None:
        return False
    stack = int(gdb.parse_and_eval("$rsp")) & (2 ** 64 - 1)
    top = STACK_SIZE if "clang" in (block.function.symtab.producer or "") else 8
    return stack - STACK_SIZE <= int(value.address) < stack + top


def read(frame, block, at_entry=False):
    """[[name, [kind, value]], ...] in the order of declaration; lost ones as ["lost", ""]."""
    found = []
    key = block.start, block.end, block.function.name
    if key not in SUMS:
        SUMS[key] = spilled_sums(block)
        MADE[key] = made_values(block) if at_entry else {}
        KEPT[key] = kept_later(block) if at_entry else set()
    pc = int(gdb.parse_and_eval("$pc"))
    for symbol in block:
        if not symbol.is_argument:
            continue
        try:
            value = symbol.value(frame)
            if value.is_optimized_out or symbol.name in KEPT[key] or (at_entry and is_not_stored(value, block)):
                found.append([symbol.name, ["lost", ""]])
                continue
            value.fetch_lazy()
            is_sum = any(low <= pc < high for low, high in SUMS[key].get(symbol.name, []))
            is_made = any(low <= pc < high for low, high in MADE[key].get(symbol.name, []))
            is_number = value.type.strip_typedefs().code in NUMBERS
            found.append([symbol.name, ["made", ""] if is_made else ["frame", ""] if is_sum and is_number else describe(value)])
        except gdb.error:
            found.append([symbol.name, ["lost", ""]])
    return found


class Reader:
    """At calls of the entry hook."""

    at_entry = False
    at_entry_still = False  # at the second stop

    def __init__(self, plan):
        self.plan = plan
        self.output = open(plan["output"], "w")
        self.names = {}
        self.waiting = {}  # (thread, stack pointer): the record whose lost parameters may be readable after the call
        self.blocks = {}  # by the same key: the block that was found at the call
        self.after = set()
        self.nearest = {}

    def start(self):
        for setting in ("pagination off", "confirm off", "width 0", "print thread-events off", "breakpoint always-inserted on",
                        "disable-randomization on", "python print-stack full", "debuginfod enabled off",
                        "print asm-demangle on", "max-value-size unlimited", "print demangle on"):
            gdb.execute(f"set {setting}")
        # Without a shell gdb divides arguments at blanks, quoted or not.
        is_quoted = self.plan["arguments"] != " ".join(self.plan["command"][1:])
        gdb.execute("set startup-with-shell " + ("on" if is_quoted else "off"))
        gdb.execute("file " + self.plan["command"][0], to_string=True)
        for name, value in self.plan["environment"].items():
            gdb.execute(f"set environment {name} {value}")
        gdb.execute("set args " + self.plan["arguments"])
        gdb.execute("starti", to_string=True)
        gdb.execute("handle all nostop noprint pass", to_string=True)
        gdb.execute("handle SIGTRAP stop nopass", to_string=True)
        gdb.execute("set scheduler-locking step")
        self.bias = self.plan["bias"]
        self.calls = {int(call) + self.bias: site + self.bias for call, site in self.plan["calls"].items()}
        for call in self.calls:
            gdb.Breakpoint(f"*{call:#x}", internal=True)

    def flush(self, record):
        self.output.write(json.dumps(record) + "\n")

    @staticmethod
    def declare(record, block):
        record["declared"] = block.function.name
        record["line"] = block.function.line
        record["file"] = block.function.symtab.filename

    def place(self, told):
        """The frame and block of the function at `told` at the current stop."""
        if told not in self.names:
            self.names[told] = wanted_names(told)

        def nearest(pc):
            if (told, pc) not in self.nearest:
                self.nearest[told, pc] = nearest_block(self.names[told], pc)
            return self.nearest[told, pc]

        return frame_for(self.names[told], nearest)

    def told(self, pc):
        """The address of the function that is entered at the call at `pc`."""
        return int(gdb.parse_and_eval("$rdi"))

    @staticmethod
    def stack_after():
        """What the stack pointer was at the first stop, at the second one."""
        return int(gdb.parse_and_eval("$rsp"))

    def at_call(self, pc):
        told = self.told(pc)
        frame, block = self.place(told)
        record = {"function": told - self.bias, "name": symbol_names(told), "site": self.calls[pc] - self.bias, "args": None}
        if block is not None:
            self.declare(record, block)
            record["args"] = read(frame, block, self.at_entry)
        key = (gdb.selected_thread().num, int(gdb.parse_and_eval("$rsp")))
        if key in self.waiting:
            self.flush(self.waiting.pop(key))
        if self.is_lost(record):
            self.blocks[key] = block
            if self.calls[pc] not in self.after:
                self.after.add(self.calls[pc])
                gdb.Breakpoint(f"*{self.calls[pc]:#x}", internal=True)
            self.waiting[key] = record
        else:
            self.flush(record)

    def after_call(self):
        key = (gdb.selected_thread().num, self.stack_after())
        record = self.waiting.pop(key, None)
        if record is None:
            return
        frame, block = self.place(record["function"] + self.bias)
        block = self.blocks.pop(key) or block
        self.fill(record, frame, block)
        if block is not None and self.is_lost(record) and not self.at_entry:
            self.step(record, frame, block)
        self.flush(record)

    @staticmethod
    def is_lost(record):
        return record["args"] is None or any(value[0] == "lost" for _, value in record["args"])

    def fill(self, record, frame, block):
        """Reads what was lost before."""
        if block is None:
            return
        values = read(frame, block, self.at_entry_still)
        if record["args"] is None:
            record["args"] = [[name, ["lost", ""]] for name, _ in values]
            self.declare(record, block)
        for known, (_, value) in zip(record["args"], values):
            if known[1][0] == "lost":
                known[1] = value

    def step(self, record, frame, block):
        """Steps over straight code while something is lost."""
        for _ in range(STEPS):
            text = gdb.execute("x/i $pc", to_string=True)
            if any(word in text for word in ("call", "\tjmp", "\tret", "\trep", "\tud2")):
                return
            gdb.execute("stepi", to_string=True)
            frame = gdb.newest_frame()
            while frame.type() == gdb.INLINE_FRAME:
                frame = frame.older()
            self.fill(record, frame, block)
            if not self.is_lost(record) or int(gdb.parse_and_eval("$pc")) in self.calls:
                return

    def run(self):
        self.start()
        while True:
            gdb.execute("continue", to_string=True)
            if not gdb.selected_inferior().threads():
                break
            pc = int(gdb.parse_and_eval("$pc"))
            if pc in self.after:
                self.after_call()
                pc = int(gdb.parse_and_eval("$pc"))
            if pc in self.calls:
                self.at_call(pc)
        for record in self.waiting.values():
            self.flush(record)
        self.flush({"ended": True})
        self.output.close()


class SledReader(Reader):
    """At the first instructions of functions."""

    at_entry = at_entry_still = True

    def told(self, pc):
        return pc


class StoredReader(SledReader):
    """At the first instructions of functions that are not optimised, and where their prologues end."""

    at_entry_still = False

    def start(self):
        super().start()
        self.calls = {entry: self.end_of_prologue(entry, behind) or behind for entry, behind in self.calls.items()}

    @staticmethod
    def end_of_prologue(entry, behind):
        """Where gcc's prologue ends gdb does not find behind a sled: at the first line that begins there."""
        block = gdb.block_for_pc(entry)
        while block is not None and block.function is None:
            block = block.superblock
        if block is None or block.start != entry:
            return None
        if "clang" not in (block.function.symtab.producer or ""):
            return min((line.pc for line in block.function.symtab.linetable() if behind < line.pc < block.end), default=None)
        probe = gdb.Breakpoint(block.function.linkage_name or block.function.name, internal=True)
        found = [place.address for place in probe.locations if block.start < place.address < block.end]
        probe.delete()
        return found[0] if found else None

    @staticmethod
    def stack_after():
        return int(gdb.parse_and_eval("$rbp")) + 8


with open(os.environ["ARGUMENTS_PLAN"]) as plan_file:
    given = json.load(plan_file)
(StoredReader if given.get("stored") else SledReader if given.get("sleds") else Reader)(given).run()
gdb.execute("quit")
