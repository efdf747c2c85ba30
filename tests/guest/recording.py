"""Reads the counts out of a callsig recording, with nothing but the format's description: a second, small reader beside
the one of libcallsig-stats, which the tests hold against what the programs counted themselves."""

import struct

NONE = 0xFFFFFFFF
LOSS_NAMES = [
    "no_space", "nested", "exit_unmatched", "unwound", "edges_merged", "contexts_merged", "late", "no_index",
    "signatures_merged",
]
TAGS = {name: int.from_bytes(name.encode(), "little") for name in
        ("CMOD", "CTHR", "CFUN", "CSIG", "CCTX", "CVAR", "CEDG", "CREC", "CSTK", "CNAM")}


class Broken(Exception):
    """The file is not a consistent recording."""


class Recording:
    """One recording: `calls` maps a function's name to [calls, primitive calls], frames still open included."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:8] != b"CSIGREC\0":
            raise Broken("no recording")
        (self.base, self.reserved, self.next, self.pid, self.ppid, self.clock, self.flags) = struct.unpack_from(
            "<QQQIIII", self.data, 16)
        at = 8 + 8 + 24 + 16 + 16 + 32 + 8 + 16
        (self.program, self.command, self.first_module, self.first_thread) = struct.unpack_from("<4Q", self.data, at)
        self.loss = dict(zip(LOSS_NAMES, struct.unpack_from("<16Q", self.data, at + 32)))
        self.names = {}
        self.calls = {}
        self.open = []
        self.threads = []
        self.modules = list(self.chain(self.first_module, "CMOD", 8))
        for thread in self.chain(self.first_thread, "CTHR", 8):
            self.read_thread(thread)

    def record(self, address, tag):
        """The offset of a record, checked."""
        offset = address - self.base
        if not 0 <= offset <= len(self.data) - 8 or offset % 8:
            raise Broken(f"address {address:#x} of a {tag} outside the file")
        found, size = struct.unpack_from("<II", self.data, offset)
        if found != TAGS[tag] or offset + size > len(self.data):
            raise Broken(f"no {tag} at {address:#x}")
        return offset

    def word(self, offset):
        return struct.unpack_from("<Q", self.data, offset)[0]

    def half(self, offset):
        return struct.unpack_from("<I", self.data, offset)[0]

    def chain(self, address, tag, link):
        while address:
            offset = self.record(address, tag)
            yield offset
            address = self.word(offset + link)

    def text(self, address):
        offset = self.record(address, "CNAM")
        length = self.half(offset + 8)
        return self.data[offset + 16:offset + 16 + length].decode("utf-8", "replace")

    def function_name(self, address):
        if address not in self.names:
            self.names[address] = self.read_name(self.record(address, "CFUN"))
        return self.names[address]

    def read_name(self, offset):
        module, index, kind, where = struct.unpack_from("<QIIQ", self.data, offset + 16)
        if kind == 1:
            return "{" + self.text(where) + "}"
        if not module or index == NONE:
            return f"{where:#x}"
        record = self.record(module, "CMOD")
        start = self.word(record + 48) - self.base
        sections = start + 8 + 4 + 4 + 8 + 8 + 32 + 4 + 4 + 4 + 4 + 8 + 4 + 4
        strings = self.word(sections)
        functions, count, size = struct.unpack_from("<QII", self.data, sections + 3 * 16)
        if index >= count:
            raise Broken("a function that its index does not have")
        name = start + strings + self.half(start + functions + index * size + 8)
        return self.data[name:self.data.index(b"\0", name)].decode()

    def edge_function(self, edge):
        """The name of the function that an edge calls; None for a root."""
        variant = self.word(edge + 24)
        if not variant:
            return None
        context = self.word(self.record(variant, "CVAR") + 8)
        function = self.word(self.record(context, "CCTX") + 16)
        return self.function_name(function) if function else None

    def add(self, name, calls, primitive):
        entry = self.calls.setdefault(name, [0, 0])
        entry[0] += calls
        entry[1] += primitive

    def read_thread(self, thread):
        tid, state = struct.unpack_from("<II", self.data, thread + 16)
        start, end, threads, _root, edges, _functions, stacks = struct.unpack_from("<7Q", self.data, thread + 56)
        info = {"tid": tid, "state": state, "threads": threads, "start": start, "end": end, "edges": 0}
        self.threads.append(info)
        for edge in self.chain(edges, "CEDG", 88):
            info["edges"] += 1
            name = self.edge_function(edge)
            if name is None:
                continue
            calls, recursion = self.word(edge + 32), self.word(edge + 72)
            primitive = calls
            if recursion:
                counters = self.record(recursion, "CREC")
                calls += self.word(counters + 8)
                primitive += self.word(counters + 24)
            self.add(name, calls, primitive)
        for stack in self.chain(stacks, "CSTK", 8):
            self.read_stack(stack)

    def read_stack(self, stack):
        while True:
            capacity = self.half(stack + 56)
            for index in range(1, capacity):
                edge = self.word(stack + 64 + index * 32)
                if not edge:
                    break
                name = self.edge_function(self.record(edge, "CEDG"))
                if name is not None:
                    self.open.append(name)
                    self.add(name, 1, 0)
            inner = self.word(stack + 16)
            if not inner:
                return
            stack = self.record(inner, "CSTK")
