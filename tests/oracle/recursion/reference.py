"""The calls of recursion.c, made in Python under cProfile with the same clock."""

import cProfile

SCENARIOS = ("fact", "mutual", "fib", "ackermann", "parser", "random")
TICKS_PER_SECOND = 1000


class Machine:
    """The state that the functions share, and how they call each other: `call[name, arguments](*arguments)`."""

    def __init__(self, seed=1):
        self.state = seed
        self.now = 0
        self.text = ""
        self.cursor = 0
        self.call = None


# Each function takes the machine m first. What is not to be profiled (tick, chance) is written out with these operators,
# because a helper would be a call of its own.
SOURCE = {
    "tick": "m.state = (m.state * 1103515245 + 12345) & 0x7fffffff; m.now += 1 + (m.state >> 16) % 5",
    "chance": "m.state = (m.state * 1103515245 + 12345) & 0x7fffffff",
}

FUNCTIONS = {
    "fact": ("n", """
TICK
result = 1 if n <= 1 else n * CALL(fact, n - 1)
TICK
return result
"""),
    "a": ("n", """
TICK
result = 0 if n <= 0 else CALL(b, n - 1) + 1
TICK
return result
"""),
    "b": ("n", """
TICK
result = 0 if n <= 0 else CALL(a, n - 1) + 1
TICK
return result
"""),
    "fib": ("n", """
TICK
result = n if n < 2 else CALL(fib, n - 1)
TICK
if n >= 2:
    result += CALL(fib, n - 2)
TICK
return result
"""),
    "ackermann": ("m_, n", """
TICK
if m_ == 0:
    result = n + 1
elif n == 0:
    result = CALL(ackermann, m_ - 1, 1)
else:
    inner = CALL(ackermann, m_, n - 1)
    result = CALL(ackermann, m_ - 1, inner)
TICK
return result
"""),
    "number": ("depth", """
TICK
value = 0
while '0' <= m.text[m.cursor] <= '9':
    value = value * 10 + int(m.text[m.cursor])
    m.cursor += 1
    TICK
return value
"""),
    "factor": ("depth", """
TICK
if m.text[m.cursor] == '(':
    m.cursor += 1
    value = CALL(expression, depth + 1)
    m.cursor += 1
elif m.text[m.cursor] == '-':
    m.cursor += 1
    value = -CALL(factor, depth)
else:
    value = CALL(number, depth)
TICK
return value
"""),
    "term": ("depth", """
value = CALL(factor, depth)
while m.text[m.cursor] == '*':
    m.cursor += 1
    TICK
    value *= CALL(factor, depth)
return value
"""),
    "expression": ("depth", """
TICK
value = CALL(term, depth)
while m.text[m.cursor] == '+':
    m.cursor += 1
    value += CALL(term, depth)
    TICK
return value
"""),
    "scenario": ("which", """
result = 0
TICK
if which == 0:
    result = CALL(fact, 5) + CALL(fact, 3)
elif which == 1:
    result = CALL(a, 4) + CALL(b, 7) + CALL(a, 2)
elif which == 2:
    result = CALL(fib, 11)
elif which == 3:
    result = CALL(ackermann, 2, 3) + CALL(ackermann, 1, 4)
elif which == 4:
    m.text = "1+2*(3+4*(5+-6))*7+((8))*-(9+(10+(11*12)))" + chr(0)
    m.cursor = 0
    result = CALL(expression, 0)
else:
    for i in range(12):
        call['node' + str(i % 6), 9](9)
TICK
return result
"""),
}
for _number in range(6):
    FUNCTIONS[f"node{_number}"] = ("depth", """
TICK
calls = 0
if depth > 0:
    CHANCE
    calls = (m.state >> 16) % 4
while calls > 0:
    CHANCE
    callee = 'node' + str((m.state >> 16) % 6)
    CHANCE
    below = depth - 1 - (m.state >> 16) % 2
    call[callee, below](below)
    TICK
    calls -= 1
TICK
""")


def _compile(name, machine, call):
    """The Python function for `name`: CALL(f, x) becomes a look-up in `call` and a call, and nothing else is a call."""
    parameters, body = FUNCTIONS[name]
    lines = []
    for line in body.strip().splitlines():
        indent = line[:len(line) - len(line.lstrip())]
        word = line.strip()
        if word == "TICK":
            lines += [indent + part.strip() for part in SOURCE["tick"].split(";")]
        elif word == "CHANCE":
            lines.append(indent + SOURCE["chance"])
        else:
            lines.append(_expand(line))
    scope = {"m": machine, "call": call}
    exec(f"def {name}({parameters}):\n    " + "\n    ".join(lines), scope)
    return scope[name]


def _expand(line):
    while "CALL(" in line:
        start = line.rindex("CALL(")
        depth, end = 0, start + 4
        while True:
            depth += (line[end] == "(") - (line[end] == ")")
            end += 1
            if depth == 0:
                break
        name, arguments = line[start + 5:end - 1].split(",", 1)
        arguments = arguments.strip()
        line = line[:start] + f"call['{name}', {arguments}]({arguments})" + line[end:]
    return line


class _Maker(dict):
    """Finds the function for (name, arguments...): one for the name, or one with its own code for each signature."""

    def __init__(self, machine, by_signature):
        super().__init__()
        self.machine, self.by_signature, self.plain = machine, by_signature, {}

    def __missing__(self, key):
        name, arguments = key[0], key[1:]
        if name not in self.plain:
            self.plain[name] = _compile(name, self.machine, self)
        function = self.plain[name]
        if self.by_signature:
            names = [p.strip().rstrip("_") for p in FUNCTIONS[name][0].split(",")]
            text = f"{name}({', '.join(f'{n}={v}' for n, v in zip(names, arguments))})"
            function = type(function)(function.__code__.replace(co_name=text), function.__globals__)
        self[key] = function
        return function


def profile(which, seed, by_signature):
    """(result, ticks, cProfile.Profile) of a scenario. The first of two runs makes every function, so that making them is not
    part of the profile."""
    machine = Machine()
    call = _Maker(machine, by_signature)
    for profiled in (False, True):
        machine.state, machine.now = seed, 0
        entry = call["scenario", which]
        if profiled:
            profiler = cProfile.Profile(lambda: machine.now, 1.0 / TICKS_PER_SECOND, True, False)
            profiler.enable()
            result = entry(which)
            profiler.disable()
        else:
            entry(which)
    return result, machine.now, profiler
