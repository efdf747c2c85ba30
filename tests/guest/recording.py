"""Reads the counts out of a callsig recording, with nothing but the format's header files: a second, small reader beside the
one of libcallsig-stats, which the tests hold against what the programs counted themselves."""

import os
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, "..", ".."))
INCLUDE = os.path.join(TOP, "include")
NONE = 0xFFFFFFFF
LOSSES = [*enumerate((
    "no_space", "nested", "exit_unmatched", "unwound", "edges_merged", "contexts_merged", "late", "no_index",
    "signatures_merged", "timeline", "histogram",
)), (14, "no_sled")]
TAGS = {name: int.from_bytes(name.encode(), "little") for name in
        ("CMOD", "CTHR", "CFUN", "CSIG", "CCTX", "CVAR", "CEDG", "CREC", "CSTK", "CNAM", "CHIS", "CRNG", "CSTG")}


class Broken(Exception):
    """The file is not a consistent recording."""


def read_layout(scratch):
    """Where the format's fields lie, by the compiler: "rec_edge.calls" -> offset."""
    program = os.path.join(scratch, "layout")
    if not os.path.exists(program):
        subprocess.run(["gcc", f"-I{TOP}", os.path.join(HERE, "layout.c"), "-o", program + ".new"], check=True)
        os.replace(program + ".new", program)
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: int(value) for name, value in (line.split() for line in lines)}


class Recording:
    """One recording: `calls` maps a function's name to [calls, primitive calls], frames still open included."""

    def __init__(self, path, layout):
        with open(path, "rb") as file:
            self.data = file.read()
        self.at = layout
        if self.data[:8] != b"CSIGREC\0":
            raise Broken("no recording")
        self.base = self.word(self.at["rec_header.base"])
        self.finished = bool(self.half(self.at["rec_header.flags"]) & 2)
        self.hook_inner = self.word(self.at["rec_header.hook_inner"])
        self.hook_outer = self.word(self.at["rec_header.hook_outer"])
        self.loss = {name: self.word(self.at["rec_header.loss"] + 8 * i) for i, name in LOSSES}
        self.timeline_min = self.word(self.at["rec_header.timeline_min"])
        self.times = []
        self.spans = []
        self.spans_written = 0
        self.inherited = 0  # frames of the parent's that ended here: spans, but no calls
        self.names = {}
        self.calls = {}
        self.open = []
        self.threads = []
        first_module, first_thread = (self.word(self.at[f"rec_header.first_{kind}"]) for kind in ("module", "thread"))
        self.modules = [(self.text(self.word(module + self.at["rec_module.path"])),
                         self.word(module + self.at["rec_module.start"]))
                        for module in self.chain(first_module, "CMOD", "rec_module.next")]
        for thread in self.chain(first_thread, "CTHR", "rec_thread.next"):
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

    def field(self, record, name):
        return self.word(record + self.at[name])

    def chain(self, address, tag, link):
        while address:
            offset = self.record(address, tag)
            yield offset
            address = self.field(offset, link)

    def text(self, address):
        offset = self.record(address, "CNAM")
        start = offset + self.at["rec_name.text"]
        return self.data[start:start + self.half(offset + self.at["rec_name.length"])].decode("utf-8", "replace")

    def function_name(self, address):
        if address not in self.names:
            self.names[address] = self.read_name(self.record(address, "CFUN"))
        return self.names[address]

    def section(self, index, which):
        """Offset, count and entry size of a section of the index that begins at `index`."""
        at = index + self.at["index_header.sections"] + self.at["section." + which] * self.at["index_section.size"]
        offset, count, size = struct.unpack_from("<QII", self.data, at)
        return index + offset, count, size

    def read_name(self, record):
        where = self.field(record, "rec_function.address")
        module = self.field(record, "rec_function.module")
        number = self.half(record + self.at["rec_function.function"])
        if self.half(record + self.at["rec_function.kind"]) == 1:
            return "{" + self.text(where) + "}"
        if self.half(record + self.at["rec_function.kind"]) == 2:
            return "{" + self.text(self.field(self.record(where, "CSTG"), "rec_stage.label")) + "}"
        if not module or number == NONE:
            return f"{where:#x}"
        index = self.field(self.record(module, "CMOD"), "rec_module.index") - self.base
        functions, count, size = self.section(index, "functions")
        if number >= count:
            raise Broken("a function that its index does not have")
        name = self.section(index, "strings")[0] + self.half(functions + number * size + self.at["index_function.name"])
        return self.data[name:self.data.index(b"\0", name)].decode()

    def edge_function(self, edge):
        """The name of the function that an edge calls; None for a root."""
        variant = self.field(edge, "rec_edge.to")
        if not variant:
            return None
        context = self.field(self.record(variant, "CVAR"), "rec_variant.context")
        function = self.field(self.record(context, "CCTX"), "rec_context.function")
        return self.function_name(function) if function else None

    def add(self, name, calls, primitive):
        entry = self.calls.setdefault(name, [0, 0])
        entry[0] += calls
        entry[1] += primitive

    def read_thread(self, thread):
        info = {name: self.field(thread, "rec_thread." + name) for name in ("start_ticks", "end_ticks", "threads")}
        info["tid"] = self.half(thread + self.at["rec_thread.tid"])
        info["state"] = self.half(thread + self.at["rec_thread.state"])
        info["edges"] = 0
        self.threads.append(info)
        for edge in self.chain(self.field(thread, "rec_thread.first_edge"), "CEDG", "rec_edge.next"):
            info["edges"] += 1
            name = self.edge_function(edge)
            if name is None:
                continue
            calls, recursion = self.field(edge, "rec_edge.calls"), self.field(edge, "rec_edge.recursion")
            if self.is_inherited(edge):
                self.add(name, 0, 0)
                self.inherited += calls + (self.field(self.record(recursion, "CREC"), "rec_recursion.calls") if recursion else 0)
                continue
            primitive = calls
            if recursion:
                counters = self.record(recursion, "CREC")
                calls += self.field(counters, "rec_recursion.calls")
                primitive += self.field(counters, "rec_recursion.primitive")
            self.add(name, calls, primitive)
            self.times.append(self.read_times(edge, name, calls, recursion))
        self.read_ring(self.field(thread, "rec_thread.ring"))
        for stack in self.chain(self.field(thread, "rec_thread.first_stack"), "CSTK", "rec_stack.next_stack"):
            self.read_stack(stack)

    def is_inherited(self, edge):
        """Is it of frames that a forked child has of its parent's, which are no calls?"""
        return bool(self.half(edge + self.at["rec_edge.flags"]) & self.at["inherited"])

    def is_counted(self, edge, frame):
        """Was the call of this open frame counted when it began?"""
        start = self.word(frame + self.at["rec_frame.start_ticks"])
        return (self.half(edge + self.at["rec_edge.flags"]) & self.at["sampled"]
                and self.at["start_counted"] <= start < self.at["start_ahead"])

    def read_times(self, edge, name, calls, recursion):
        """What an edge says of its calls' times; `buckets`: {bucket: calls}, None without a histogram."""
        total = self.field(edge, "rec_edge.total")
        if recursion:
            total += self.field(self.record(recursion, "CREC"), "rec_recursion.total")
        times = {"edge": edge + self.base, "name": name, "calls": calls, "total": total, "buckets": None,
                 "min": self.field(edge, "rec_edge.min"), "max": self.field(edge, "rec_edge.max")}
        address = self.field(edge, "rec_edge.histogram")
        if address:
            histogram = self.record(address, "CHIS")
            size = 1 << self.half(histogram + self.at["rec_histogram.sub_bits"])
            octaves = struct.unpack_from("<64Q", self.data, histogram + self.at["rec_histogram.octaves"])
            times["sub_bits"] = size.bit_length() - 1
            times["buckets"] = {number * size + i: count for number, octave in enumerate(octaves) if octave
                                for i, count in enumerate(struct.unpack_from(f"<{size}Q", self.data, octave - self.base))
                                if count}
        return times

    def read_ring(self, address):
        """Adds the spans that a thread's ring still holds: (kind, what, start, duration, item)."""
        if not address:
            return
        ring = self.record(address, "CRNG")
        capacity, written = self.field(ring, "rec_ring.capacity"), self.field(ring, "rec_ring.written")
        self.spans_written += written
        for number in range(max(0, written - capacity), written):
            span = ring + self.at["rec_ring.spans"] + number % capacity * self.at["rec_span.size"]
            kind = self.half(span + self.at["rec_span.kind"])
            if kind:
                self.spans.append((kind, *(self.field(span, "rec_span." + name) for name in ("what", "start", "duration", "item"))))

    def read_stack(self, stack):
        while True:
            frames = stack + self.at["rec_stack.frames"]
            for index in range(1, self.half(stack + self.at["rec_stack.capacity"])):
                frame = frames + index * self.at["rec_frame.size"]
                edge = self.word(frame)
                if not edge:
                    break
                offset = self.record(edge, "CEDG")
                name = self.edge_function(offset)
                if name is not None:
                    self.open.append(name)
                    self.add(name, 0 if self.is_inherited(offset) or self.is_counted(offset, frame) else 1, 0)
            inner = self.field(stack, "rec_stack.inner")
            if not inner:
                return
            stack = self.record(inner, "CSTK")
