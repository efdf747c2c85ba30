"""Random calls, and what every export must say of them: a plain model that keeps the whole stack and adds up call by call."""

import random

# Names that some format could take for its own syntax. (file, line, name)
KNOWN = [
    ("/src/plain.c", 10, "plain"),
    ("/src/a/init.c", 5, "init"),
    ("/src/b/init.c", 5, "init"),
    ("/src/semi;colon.c", 3, "semi;colon"),
    ("/src/markup.cc", 7, 'operator<<"&\'>'),
    ("/src/back\\slash.c", 120, "back\\n\\\\slash"),
    ("/src/gr\u00f6\u00dfe.c", 1, "gr\u00f6\u00dfe\u2192\U0001f600"),
    ("/src/equals.c", 9, "(12) a=b, c: 7 %d {x}"),
    ("/src/line\nend.c", 30, "line\nend\ttab"),
    ("/src/no\uffffcharacter.c", 2, "no\uffffcharacter"),
]
STAGES = ["decode", "resize"]


def printable(text):
    """Control characters as callsig prints them."""
    return "".join(c if ord(c) >= 32 and not 0x7F <= ord(c) < 0xA0 else "".join(f"\\x{b:02x}" for b in c.encode()) for c in text)


def encoded(text):
    """A name in a line of print_calls: bytes that would part words as %xx."""
    return "".join(f"%{b:02x}" if b <= 0x20 or b == 0x25 else chr(b) for b in text.encode()).encode("latin-1")


class Call:
    """One activation: what it is (a function's number, or a stage's label), its argument, and where it is."""

    def __init__(self, what, argument, path, caller, begin):
        self.what, self.argument, self.path, self.caller = what, argument, path, caller
        self.begin, self.children, self.own, self.total = begin, 0, 0, 0
        self.primitive = self.primitive_signature = True


class Profile:
    """Calls of one or several threads. `path` of a call is the recording's: a tuple of (stage, function), recursion folded to the
    ancestor of the same stage; a stage's own frame is (label, None)."""

    def __init__(self, seed, threads=1, stages=True, hz=1000, recursion=True):
        self.hz, self.recursion = hz, recursion
        self.calls = []  # in the order in which they end
        self.lines = [f"hz {hz}".encode()]
        for number, (file, line, name) in enumerate(KNOWN):
            self.lines.append(b"f %d %s %d %s" % (number, encoded(file), line, encoded(name)))
        if stages:
            self.lines += [b"s " + encoded(stage) for stage in STAGES]
        self.source = random.Random(seed)
        self.now = 0
        for thread in range(threads):
            if threads > 1:
                self.lines.append(b"T %d worker%d" % (thread + 100, thread))
            self.thread = f"worker{thread} ({thread + 100})" if threads > 1 else "main (1)"
            self.stack = []
            for _ in range(self.source.randrange(1, 4)):
                self.one(6, stages)

    def folded(self, stage, function):
        path = self.stack[-1].path if self.stack else ()
        if function is None:
            key = (stage, None)
        else:
            key = (path[-1][0] if path else None, function)
        return path[:path.index(key) + 1] if key in path else (*path, key)

    def function(self):
        """A function's number: without recursion one that comes later than all that are open, so that none calls itself in a circle."""
        first = 0
        if not self.recursion:
            first = max((call.what + 1 for call in self.stack if not isinstance(call.what, str)), default=0)
        return self.source.randrange(first, len(KNOWN))

    def one(self, depth, stages):
        """A random call with random calls in it."""
        source = self.source
        self.now += source.choice([0, 0, 1, 5, 40, 1000])
        if stages and source.random() < 0.12:
            stage = source.randrange(len(STAGES))
            call = Call(f"0:{stage}:{STAGES[stage]}", None, self.folded(f"0:{stage}:{STAGES[stage]}", None), self.stack[-1] if self.stack else None, self.now)
            self.lines.append(b"t %d %d" % (stage, self.now))
        else:
            number, argument = self.function(), source.randrange(3)
            call = Call(number, argument, self.folded(None, number), self.stack[-1] if self.stack else None, self.now)
            self.lines.append(b"e %d %d %d" % (number, argument, self.now))
        call.thread = self.thread
        call.primitive = not any(other.what == call.what for other in self.stack)
        call.primitive_signature = not any((other.what, other.argument) == (call.what, call.argument) for other in self.stack)
        call.around = [*self.stack, call]
        self.stack.append(call)
        last = not self.recursion and call.what == len(KNOWN) - 1
        for _ in range(source.randrange(0, 4) if depth and not last else 0):
            self.one(depth - 1, stages)
        self.now += source.choice([0, 1, 3, 100])
        self.stack.pop()
        call.total = self.now - call.begin
        call.own = call.total - call.children
        if call.caller:
            call.caller.children += call.total
        self.lines.append(b"x %d" % self.now)
        self.calls.append(call)

    def write(self, path):
        with open(path, "wb") as file:
            file.write(b"\n".join(self.lines) + b"\n")

    # What a format prints.

    def nanoseconds(self, ticks):
        assert 10**9 % self.hz == 0
        return ticks * (10**9 // self.hz)

    def name(self, what, argument=None, several=False):
        """A frame's text; with the place of its function where two functions share a name and both occur."""
        if isinstance(what, str):
            return f"{{{what}}}"
        file, line, name = (printable(part) if isinstance(part, str) else part for part in KNOWN[what])
        if several:
            name += "(...)"
        elif argument is not None:
            name += f"(n={argument})"
        users = {call.what for call in self.calls if not isinstance(call.what, str) and KNOWN[call.what][2] == KNOWN[what][2]}
        return f"{name} ({file}:{line})" if len(users) > 1 else name

    def rows(self, by_signature):
        """{(what, argument): [calls, primitive calls, own, cumulative]}"""
        rows = {}
        for call in self.calls:
            row = rows.setdefault((call.what, call.argument if by_signature else None), [0, 0, 0, 0])
            primitive = call.primitive_signature if by_signature else call.primitive
            row[0] += 1
            row[1] += primitive
            row[2] += call.own
            row[3] += call.total * primitive
        return rows

    def arcs(self, by_signature):
        """{(caller, callee): [calls, time of the callee's outermost activations]}; the caller of outermost calls is None."""
        arcs = {}
        for call in self.calls:
            caller = call.caller and (call.caller.what, call.caller.argument if by_signature else None)
            arc = arcs.setdefault((caller, (call.what, call.argument if by_signature else None)), [0, 0])
            arc[0] += 1
            arc[1] += call.total * (call.primitive_signature if by_signature else call.primitive)
        return arcs

    def primitive_arcs(self, by_signature):
        """{(caller, callee): calls that no other call of the same pair was open around}, as cProfile counts a pair's."""
        def key(call):
            return call.what, call.argument if by_signature else None
        arcs = {}
        for call in self.calls:
            pairs = [(key(one), key(other)) for one, other in zip(call.around, call.around[1:])]
            if pairs:
                arcs[pairs[-1]] = arcs.get(pairs[-1], 0) + (pairs[-1] not in pairs[:-1])
        return arcs

    def variant(self, call):
        return (call.thread, call.path, call.argument)

    def sources(self):
        """Whose calls made each variant by the path, and each path; and the variants that were called back from below."""
        variants, paths, back = {}, {}, set()
        for call in self.calls:
            outside = call.caller is None
            if not outside and call.path[:-1] != call.caller.path:
                back.add(self.variant(call))
                continue
            source = None if outside else self.variant(call.caller)
            variants.setdefault(self.variant(call), set()).add(source)
            paths.setdefault((call.thread, call.path), set()).add(source)
        return variants, paths, back

    def stacks(self, by_signature, by_thread=False):
        """{texts of the frames, outermost first: [calls, own]}, with signatures as far up as they are known: the innermost call's
        and its caller's, and further as long as all calls of a frame came from one."""
        variants, paths, back = self.sources()
        stacks = {}
        for call in self.calls:
            thread, path = call.thread, call.path
            forward = call.caller is not None and path[:-1] == call.caller.path
            known = [call.argument]  # arguments from the innermost frame up; "?" where several come into question
            if len(path) > 1:
                state = self.variant(call.caller) if forward else None
                above = paths.get((thread, path), set())
                if not forward and len(above) == 1 and None not in above:
                    state = next(iter(above))
                for depth in range(len(path) - 1, 0, -1):
                    known.append(state[2] if state else "?")
                    if depth == 1:
                        break
                    from_variant = variants.get(state, set()) if state and state not in back else set()
                    above = from_variant or paths.get((thread, path[:depth]), set())
                    state = next(iter(above)) if len(above) == 1 and None not in above else None
            texts = []
            for (stage, function), argument in zip(path, reversed(known)):
                if function is None:
                    texts.append(self.name(stage))
                elif not by_signature:
                    texts.append(self.name(function))
                else:
                    texts.append(self.name(function, None if argument == "?" else argument, argument == "?"))
                    if argument != "?":
                        self.check_known(call, len(texts), argument)
            if by_thread:
                texts.insert(0, f"[thread {thread}]")
            stack = stacks.setdefault(tuple(texts), [0, 0])
            stack[0] += 1
            stack[1] += call.own
        return stacks

    def check_known(self, call, depth, argument):
        """A signature that is shown is that of an activation which was open at that place of the path."""
        prefix = call.path[:depth]
        assert any(other.path == prefix and other.argument == argument for other in call.around), (call.path, depth, argument)
