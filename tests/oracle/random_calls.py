"""C programs made by chance, of which it is known by their text what each function is called with.

make(seed, functions) is the same for the same numbers. Each argument is a constant, one of two constants, or a parameter of the caller that
nothing has changed so far; what functions do with their parameters (use, change, escape, branch, loop, hand on) is what makes compilers
keep them elsewhere or nowhere.
"""

import random
import string

HEAD = r"""#include <complex.h>
#include <stdbool.h>
#ifdef __clang__
#define UNSEEN __attribute__((xray_never_instrument, no_instrument_function, noinline))
#else
#define UNSEEN __attribute__((no_instrument_function, noinline))
#endif
#define OUT __attribute__((noinline))
typedef float v4f __attribute__((vector_size(16)));
enum col { RED, GREEN = 5, BLUE = -7, TEAL = 1000 };
enum __attribute__((packed)) tiny { TA, TB = 7, TC = 9 };
struct two { int a; int b; };
struct sl { short a; long b; };
struct dd { double a; double b; };
struct fff { float a; float b; float c; };
struct ld { long a; double b; };
struct dl { double a; long b; };
struct fi { float a; int b; };
struct by { signed char a; unsigned char b; short c; };
struct lrg { long a; int b; double c; };
struct bits { int a : 5; long b : 40; unsigned c : 3; bool d : 1; };
struct nest { struct two in; float c; };
struct arr { short a[4]; float f[2]; };
struct one { int a; };
struct ptr { char *a; int b; };
union u { long a; double b; };
volatile long sink;
long acc;
volatile int zero;
static char obj[64];
UNSEEN void esc(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
UNSEEN long mix(long x) { sink += x; return sink & 0xff; }
"""
NOT_NULL = "not NULL"


class Kind:
    """A kind of scalars: draw(random) gives a value's (text in C, text or number in the report)."""

    def __init__(self, name, draw=None):
        self.name, self.draw = name, draw


def integer(bits, is_signed=True, suffix="", name="integer"):
    def draw(chance):
        value = chance.randrange(1 - (1 << bits - 1), 1 << bits - 1) if is_signed else chance.randrange(1 << bits)
        return f"({value}{suffix})", str(value)
    return Kind(name, draw)


def signed_bits(bits):
    def draw(chance):
        value = chance.randrange(-(1 << bits - 1), 1 << bits - 1)
        return f"{value}L", str(value)
    return Kind("bits", draw)


def floating(name, suffix):
    def draw(chance):
        value = chance.randrange(-4000, 4000) / 8 + .125
        return f"{value!r}{suffix}", value
    return Kind(name, draw)


def named(name, texts):
    def draw(chance):
        text = chance.choice(texts)
        return text, text
    return Kind(name, draw)


def draw_pointer(chance):
    return ("(char*)0", None) if chance.random() < .3 else ("obj", NOT_NULL)


def draw_letter(chance):
    letter = chance.choice(string.ascii_lowercase)
    return f"'{letter}'", letter


def draw_bool(chance):
    value = chance.random() < .5
    return str(int(value)), value


POINTER, FLOAT, DOUBLE, BOOL = Kind("pointer", draw_pointer), floating("float", "f"), floating("double", ""), Kind("bool", draw_bool)
SCHAR, UCHAR, SHORT, INT, LONG = integer(8), integer(8, False), integer(16), integer(32), integer(64, suffix="L")
OPAQUE = Kind("opaque")  # callsig prints the type alone
SCALARS = {
    "signed char": SCHAR, "unsigned char": UCHAR, "char": Kind("letter", draw_letter), "short": SHORT, "unsigned short": integer(16, False),
    "int": INT, "unsigned": integer(32, False, "U"), "long": LONG, "unsigned long": integer(64, False, "UL"), "_Bool": BOOL,
    "enum col": named("enum", ["RED", "GREEN", "BLUE", "TEAL"]), "enum tiny": named("enum", ["TA", "TB", "TC"]), "float": FLOAT,
    "double": DOUBLE, "char *": POINTER, "long double": OPAQUE, "__int128": OPAQUE, "_Complex float": OPAQUE, "_Complex double": OPAQUE,
    "v4f": OPAQUE,
}
# The parts that rules have callsig print.
STRUCTS = {
    "struct two": {"a": INT, "b": INT}, "struct sl": {"a": SHORT, "b": LONG}, "struct dd": {"a": DOUBLE, "b": DOUBLE},
    "struct fff": {"a": FLOAT, "b": FLOAT, "c": FLOAT}, "struct ld": {"a": LONG, "b": DOUBLE}, "struct dl": {"a": DOUBLE, "b": LONG},
    "struct fi": {"a": FLOAT, "b": INT}, "struct by": {"a": SCHAR, "b": UCHAR, "c": SHORT}, "struct lrg": {"a": LONG, "b": INT, "c": DOUBLE},
    "struct bits": {"a": signed_bits(5), "b": signed_bits(40), "c": integer(3, False), "d": BOOL},
    "struct nest": {"in.a": INT, "in.b": INT, "c": FLOAT}, "struct arr": {"a[2]": SHORT, "f[1]": FLOAT}, "struct one": {"a": INT},
    "struct ptr": {"a": POINTER, "b": INT}, "union u": {"a": LONG},
}
OPAQUE_VALUES = {"long double": "2.5L", "__int128": "(__int128)77", "_Complex float": "1.5f", "_Complex double": "2.5",
                 "v4f": "(v4f){1, 2, 3, 4}"}
OFTEN = ["int", "long", "char *", "unsigned char", "enum col", "double"]
RETURNED = {"void": "", "int": " (int)acc", "long": " acc", "double": " (double)acc", "struct lrg": " (struct lrg){acc, 1, 2}",
            "struct dd": " (struct dd){acc, 2}", "struct two": " (struct two){acc, 3}", "char *": " obj + 1", "_Complex double": " acc"}


def parts(type_name):
    """{path: kind} of what is printed of a parameter: of a scalar the path is empty."""
    return STRUCTS.get(type_name) or {"": SCALARS[type_name]}


def kind_name(type_name):
    return SCALARS[type_name].name if type_name in SCALARS else "struct"


def constant(chance, type_name):
    """A constant's text in C, and {path: value}."""
    if kind_name(type_name) == "opaque":
        return OPAQUE_VALUES[type_name], {"": None}
    drawn = {path: kind.draw(chance) for path, kind in parts(type_name).items()}
    values = {path: value for path, (_, value) in drawn.items()}
    if type_name in SCALARS:
        return drawn[""][0], values
    return f"({type_name}){{{', '.join(f'.{path}={text}' for path, (text, _) in drawn.items())}}}", values


class Parameter:
    def __init__(self, name, type_name):
        self.name, self.type = name, type_name
        self.passed = {path: set() for path in parts(type_name)}

    def use(self, chance):
        if self.type in STRUCTS:
            return f"sink += (long){self.name}.{chance.choice(list(STRUCTS[self.type]))};"
        part = f"{self.name}[1]" if self.type == "v4f" else f"creal({self.name})" if "_Complex" in self.type else self.name
        return f"sink += (long){part};"

    def change(self, chance):
        name, kind = self.name, kind_name(self.type)
        if kind == "struct":
            path, field = chance.choice(list(STRUCTS[self.type].items()))
            return f"{name}.{path} = {'(void*)0' if field is POINTER else f'mix({chance.randrange(99)})'};"
        if kind == "pointer":
            return name + chance.choice(["++;", " = 0;", " = obj + mix(2);"])
        if self.type in ("v4f", "_Complex float", "_Complex double"):
            return f"{name} = {name} * 2;"
        if kind in ("enum", "bool"):
            return f"{name} = mix(1);"
        return name + chance.choice([" += 3;", " = 5;", " = mix(7);", " *= 3;", " = acc;"])


class Function:
    def __init__(self, chance, name):
        self.name = name
        types = [chance.choice(list(SCALARS) * 2 + list(STRUCTS)) if chance.random() < .6 else chance.choice(OFTEN)
                 for _ in range(chance.choice([1, 2, 3, 3, 4, 5, 6, 8, 11]))]
        self.parameters = [Parameter(f"p{index}", type_name) for index, type_name in enumerate(types)]
        self.returned = chance.choice(list(RETURNED))
        self.is_static, self.is_out = chance.random() < .6, chance.random() < .75
        self.is_called = False

    def head(self):
        listed = ", ".join(f"{one.type} {one.name}" for one in self.parameters)
        return f"{'static ' * self.is_static}{'OUT ' * self.is_out}{self.returned} {self.name}({listed})"

    def leave(self):
        return f"return{RETURNED[self.returned]};"

    def call(self, chance, known=()):
        """A call, some of whose arguments are parameters of the caller, `known`."""
        self.is_called = True
        return f"{self.name}({', '.join(self._argument(chance, one, known) for one in self.parameters)})"

    @staticmethod
    def _argument(chance, parameter, known):
        same = [one for one in known if one.type == parameter.type]
        way = chance.random()
        if same and way < .4:
            handed = chance.choice(same)
            for path, values in handed.passed.items():
                parameter.passed[path] |= values
            return handed.name
        texts = []
        for _ in range(1 if way < .7 else 2):
            text, values = constant(chance, parameter.type)
            texts.append(text)
            for path, value in values.items():
                parameter.passed[path].add(value)
        if len(texts) == 2:
            return f"(zero + k & 1) ? {texts[0]} : {texts[1]}"
        is_hidden = chance.random() < .5 and kind_name(parameter.type) == "integer"
        return f"({parameter.type})({texts[0]} + zero)" if is_hidden else texts[0]


class Body:
    """Statements of one function. `unchanged` are the parameters that have their values yet, whichever way it went; it calls only functions
    that come later, when all that it is itself called with is known."""

    def __init__(self, chance, function, later):
        self.chance, self.function, self.later = chance, function, later
        self.unchanged = {one.name: one for one in function.parameters}
        self.calls = 0

    def text(self):
        lines = [self._statement(0) for _ in range(self.chance.randrange(1, 7))]
        return "\n".join(["{", "  int k = zero;", "  (void)k;", *["  " + line for line in [*lines, self.function.leave()]], "}"])

    def _statement(self, depth):
        chance, way = self.chance, self.chance.random()
        parameter = chance.choice(self.function.parameters)
        if way < .25:
            return parameter.use(chance)
        if way < .5 and self.later and self.calls < 3:
            return self._call()
        if way < .68:
            self.unchanged.pop(parameter.name, None)
            return parameter.change(chance)
        if way < .76:
            self.unchanged.pop(parameter.name, None)
            return f"esc(&{parameter.name});"
        if depth < 2 and way < .84:
            return f"if ({self._condition()}) {{ {self._statement(depth + 1)} {self._statement(depth + 1)} }}"
        if depth < 2 and way < .9:
            return f"for (int i = 0; i < 3; i++) {{ {self._in_loop()} }}"
        if depth < 2 and way < .95:
            return self._switch(depth + 1)
        if chance.random() < .3:
            return f"if ({self._condition()}) {self.function.leave()}"
        return parameter.use(chance)

    def _call(self):
        self.calls += 1
        called = self.chance.choice(self.later)
        text = called.call(self.chance, self.unchanged.values()) + ";"
        return "acc += " + text if called.returned in ("int", "long") and self.chance.random() < .5 else text

    def _switch(self, depth):
        start, (*cases, fifth, default) = self.chance.randrange(9), [self._statement(depth) for _ in range(6)]
        listed = " ".join(f"case {number}: {text} break;" for number, text in enumerate(cases))
        return f"switch (mix({start}) & 7) {{ {listed} case 4: sink = 1; break; case 5: {fifth} break; default: {default} }}"

    def _in_loop(self):
        """No call: what a later turn of the loop changes would have been passed by an earlier one."""
        is_use, parameter = self.chance.random() < .5, self.chance.choice(self.function.parameters)
        if is_use:
            return parameter.use(self.chance)
        self.unchanged.pop(parameter.name, None)
        if kind_name(parameter.type) in ("integer", "double"):
            return f"{parameter.name} += i; sink += (long){parameter.name};"
        return parameter.use(self.chance)

    def _condition(self):
        parameter = self.chance.choice(self.function.parameters)
        if kind_name(parameter.type) in ("integer", "pointer", "enum", "bool"):
            return self.chance.choice(["%s", "mix((long)%s) > 3", "(long)%s > 9"]) % parameter.name
        return "mix(3) > 1"


class Program:
    """`source`, the `rules` by which callsig prints all that is known, and {name: Function} of `functions`."""

    def __init__(self, seed, count):
        chance = random.Random(seed)
        made = [Function(chance, f"f{index}") for index in range(count)]
        calls = [made[0].call(chance) for _ in range(3)]
        calls += [function.call(chance) for function in chance.sample(made[1:], min(5, count - 1))]
        bodies = []
        for index, function in enumerate(made):
            if not function.is_called:
                calls.append(function.call(chance))
            bodies.append(f"{function.head()}\n{Body(chance, function, made[index + 1:]).text()}")
        main = "\n".join(["UNSEEN int main(void)", "{", "  for (int k = 0; k < 4; k++) {", *[f"    {call};" for call in calls], "  }", "  return 0;", "}"])
        self.source = "\n".join([HEAD, *[function.head() + ";" for function in made], *bodies, main]) + "\n"
        self.rules = "".join(rule + "\n" for function in made for rule in self._rules(function))
        self.functions = {function.name: function for function in made}

    @staticmethod
    def _rules(function):
        for one in function.parameters:
            for path, kind in parts(one.type).items():
                value = " value" if kind in (FLOAT, DOUBLE) else ""
                if path:
                    yield f"soft function {function.name}: show {one.name}.{path}{value}"
                elif value:
                    yield f"soft function {function.name}: {one.name}{value}"


def make(seed, functions):
    return Program(seed, functions)
