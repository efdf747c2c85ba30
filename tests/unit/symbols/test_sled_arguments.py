#!/usr/bin/env python3
# ctest: arguments --tools $<TARGET_FILE_DIR:symbols_write_index> --trace $<TARGET_FILE:symbols_trace_shared>
# ctest: case - quick --functions 40
# ctest: case _all full --functions 400 --all
"""Arguments at sleds: programs with many kinds of signatures, made at random, tell what the index lets a hook read there.

usage: test_sled_arguments.py --tools DIR --trace LIBRARY [--functions N] [--seed N] [--all] [--keep DIR]

Each program calls each of its functions with values that this script has chosen, so what must be read is known. Compilers decide
where they pass them; the index must say the same. Without optimisation everything must be read; with it a value may be
lost, and must never be another.
"""
import argparse
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

PRELUDE = r"""
#include <stdbool.h>
#ifdef __clang__
#define UNSEEN __attribute__((xray_never_instrument, noinline))
#else
#define UNSEEN __attribute__((no_instrument_function, noinline))
#endif
#define APART  __attribute__((noinline))
typedef float vector4 __attribute__((vector_size(16)));
typedef int vector2 __attribute__((vector_size(8)));
enum color { RED, GREEN = 5, BLUE = -7 };
struct two { int a; int b; };
struct longs { long a; unsigned long b; };
struct doubles { double a; double b; };
struct floats { float a; float b; float c; };
struct mixed { long a; double b; };
struct dixem { double a; long b; };
struct shared { float a; int b; };
struct bytes { signed char a; char rest[2]; };
struct full { char rest[15]; signed char a; };
struct large { long a; long b; long c; };
struct wide { char rest[64]; int a; };
struct extended { long double x; };
struct big { __int128 x; };
struct packed { char x; int a; } __attribute__((packed));
struct bits { int a : 5; long b : 40; unsigned c : 3; };
struct nested { struct two in; float c; };
struct array { short a[4]; float f[2]; };
struct none { };
struct holds_none { struct none none; int a; };
struct aligned { int a; } __attribute__((aligned(16)));
struct flexible { int a; char rest[]; };
struct complex { _Complex float x; };
struct vectors { vector4 x; };
struct pointers { char *a; struct two *b; };
union either { long a; double b; float c; };
union quad { struct floats f; int a[3]; };
static volatile long sink;
UNSEEN long pass(long x) { sink += x; return sink; }
"""

# Type, and the shown paths in it: (path, kind). Kinds are how a value is made and what the trace writes of it.
SCALARS = {
    "signed char": "b", "unsigned char": "B", "short": "h", "unsigned short": "H", "int": "i", "unsigned": "I", "long": "q",
    "unsigned long": "Q", "_Bool": "?", "enum color": "enum", "void *": "pointer", "const char *": "pointer",
    "float": "f", "double": "d", "long double": None, "__int128": None, "_Complex float": None, "_Complex double": None,
    "_Complex long double": None, "vector4": None, "vector2": None,
}
INTEGERS = ("signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long")
STRUCTS = {
    "struct two": [("a", "i"), ("b", "i")], "struct longs": [("a", "q"), ("b", "Q")], "struct doubles": [("a", "d"), ("b", "d")],
    "struct floats": [("a", "f"), ("b", "f"), ("c", "f")], "struct mixed": [("a", "q"), ("b", "d")],
    "struct dixem": [("a", "d"), ("b", "q")], "struct shared": [("a", "f"), ("b", "i")], "struct bytes": [("a", "b")],
    "struct full": [("a", "b")], "struct large": [("a", "q"), ("b", "q"), ("c", "q")], "struct wide": [("a", "i")],
    "struct extended": [], "struct big": [], "struct packed": [("a", "i")], "struct bits": [("a", "5"), ("b", "40")],
    "struct nested": [("in.a", "i"), ("in.b", "i"), ("c", "f")], "struct array": [("a[2]", "h"), ("f[1]", "f")], "struct none": [],
    "struct holds_none": [("a", "i")], "struct aligned": [("a", "i")], "struct flexible": [("a", "i")], "struct complex": [],
    "struct vectors": [], "struct pointers": [("b", "pointer")], "union either": [("a", "q")], "union quad": [("a[1]", "i")],
}
# FIRST stands for the first parameter, where that is a number, and for a number elsewhere.
NUMBER_CHANGES = ["? += 3;", "? *= 2;", "? = 5;", "? = FIRST & 7;", "? = pass(3);"]
CHANGES = dict({name: NUMBER_CHANGES for name in INTEGERS + ("double",)},
               **{"_Bool": ["? = !?;"], "const char *": ["?++;", "? = 0;"]})
CASES = {
    "gcc": [["-O0"], ["-O2"], ["-O2", "-flto"], ["-O1"], ["-O3"], ["-Os"], ["-O0", "-gdwarf-4"], ["-O2", "-fcf-protection"], ["-O0", "-mno-red-zone"],
            ["-O2", "-fno-var-tracking"], ["-O0", "-fno-pie", "-no-pie"]],
    "clang": [["-O0"], ["-O2"], ["-O1"], ["-O3"], ["-Os"], ["-O0", "-gdwarf-4"], ["-O2", "-fcf-protection"]],
}
QUICK = 3
# What may be lost with optimisation, of a hundred values of functions with a fixed interface. What these do not use, clang's callers
# need not pass: of clang's only what they read counts, none of it in structures, which they read in part.
MAY_LOSE = {"gcc": 1, "clang": 1, "clang-16": 1, "clang-19": 7}
# clang before 18 passes an __int128 in another way than the ABI says when the registers run out: what follows is not told.
MAY_LOSE_AT_O0 = {"gcc": 0, "clang": 4}


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit("%s: exit status %d\n%s%s" % (" ".join(command), result.returncode, result.stdout, result.stderr[-3000:]))
    return result.stdout


def value(kind, chance):
    """(C text, what the trace writes)."""
    if kind == "pointer":
        is_null = chance.random() < 0.3
        return ("(void *)0" if is_null else "(void *)&sink"), "0" if is_null else "1"
    if kind == "enum":
        name, number = chance.choice([("RED", 0), ("GREEN", 5), ("BLUE", -7)])
        return name, str(number)
    if kind in ("f", "d"):
        number = chance.randrange(-4000, 4000) / 8
        bits = struct.unpack("<i" if kind == "f" else "<q", struct.pack("<" + kind, number))[0]
        return "%r%s" % (number, "f" if kind == "f" else ""), str(bits & 0xffffffff if kind == "f" else bits)
    if kind == "?":
        number = chance.randrange(2)
        return str(number), str(number)
    if kind.isdigit():
        number = chance.randrange(-(1 << (int(kind) - 1)), 1 << (int(kind) - 1))
        return "%dL" % number, str(number)
    size = struct.calcsize("<" + kind) * 8
    is_signed = kind.islower()
    number = chance.randrange(-(1 << (size - 1)), 1 << (size - 1)) if is_signed else chance.randrange(1 << size)
    # The trace writes words as signed.
    word = number - (1 << 64) if number >= 1 << 63 else number
    text = "(%d - 1)" % (number + 1) if number < 0 else str(number)
    return text + ("L" if size == 64 and number >= 0 and is_signed else "UL" if size == 64 and not is_signed else ""), str(word)


class Function:
    def __init__(self, number, chance):
        self.name = "f%d" % number
        self.chance = chance
        count = chance.choice([0, 1, 2, 3, 4, 6, 8, 12])
        self.types = [chance.choice(list(SCALARS) + list(STRUCTS)) for _ in range(count)]
        self.result = chance.choice(["void", "int", "double", "long double", "__int128", "_Complex long double", "vector4"] + list(STRUCTS))
        self.is_variadic = count > 0 and self.types[-1] not in ("float", "struct flexible") and chance.random() < 0.1
        self.is_static = chance.random() < 0.5
        self.used = [chance.random() < 0.7 for _ in self.types]
        self.escapes = [chance.random() < 0.15 for _ in self.types]
        # What a function makes of a parameter before all else is not what it was passed.
        self.changes = [chance.choice(CHANGES.get(name, [None])) if chance.random() < 0.3 else None for name in self.types]

    def change(self, i):
        """The statement that gives parameter `i` another value."""
        is_number = i > 0 and self.types[0] in INTEGERS
        return self.changes[i].replace("FIRST", "p0" if is_number else "(long)sink").replace("?", "p%d" % i)

    def unread(self):
        """The words of the trace that are of parameters which the function does not look at, or gives another value first, or of structures."""
        overwritten = {i for i, change in enumerate(self.changes) if change and change.startswith("? = ") and "!" not in change}
        members = sum(len(STRUCTS.get(name, [])) for name in self.types)
        unread = {1 + i for i in range(len(self.types)) if i in overwritten or not (self.used[i] or self.escapes[i])}
        return unread | set(range(1 + len(self.types), 1 + len(self.types) + members))

    def rules(self):
        for i, name in enumerate(self.types):
            if SCALARS.get(name) in ("f", "d"):
                yield "function %s: p%d value" % (self.name, i)
        for i, name in enumerate(self.types):
            for path, kind in STRUCTS.get(name, []):
                yield "function %s: show p%d.%s%s" % (self.name, i, path, " value" if kind in "fd" else "")

    def definition(self):
        parameters = ", ".join("%s p%d" % (name, i) for i, name in enumerate(self.types)) or "void"
        lines = ["APART %s%s %s(%s%s)" % ("static " if self.is_static else "", self.result, self.name, parameters, ", ..." if self.is_variadic else ""), "{",
                 *("  " + self.change(i) for i, change in enumerate(self.changes) if change),
                 '  __asm__ volatile("" : : "i"(%s) : "memory");' % self.name[1:]]
        for i, name in enumerate(self.types):
            if self.escapes[i]:
                lines.append('  __asm__ volatile("" : : "r"(&p%d) : "memory");' % i)
            elif self.used[i] and name != "struct none":
                lines.append("  sink += ((const volatile char *)&p%d)[sizeof p%d - 1];" % (i, i) if name in STRUCTS or SCALARS[name] is None
                             else "  sink += (long)p%d;" % i)
        if self.result != "void":
            lines += ["  static %s result;" % self.result, "  return result;"]
        return "\n".join(lines + ["}"])

    def call(self):
        """(statements, the line that must be traced)."""
        lines, arguments, words, shown = [], [], [], []
        for i, name in enumerate(self.types):
            variable = "v%d" % i
            lines.append("    static %s %s;" % (name.replace("const ", ""), variable))
            if name in STRUCTS:
                words.append("-")
                for path, kind in STRUCTS[name]:
                    text, word = value(kind, self.chance)
                    lines.append("    %s.%s = %s;" % (variable, path, text))
                    shown.append(word)
            elif SCALARS[name]:
                text, word = value(SCALARS[name], self.chance)
                lines.append("    %s = %s;" % (variable, text))
                words.append(word)
            else:
                words.append("-")
            lines.append('    __asm__ volatile("" : : "r"(&%s) : "memory");' % variable)
            arguments.append(variable)
        arguments += ["7, 8.0"] if self.is_variadic else []
        return ["  {"] + lines + ["    %s(%s);" % (self.name, ", ".join(arguments)), "  }"], " ".join([self.name] + words + shown)


def program(functions, seed):
    chance = random.Random(seed)
    made = [Function(i, chance) for i in range(functions)]
    text, expected = [PRELUDE] + [function.definition() for function in made], []
    text.append("UNSEEN int main(void)\n{")
    for function in made:
        lines, line = function.call()
        text += lines
        expected.append(line)
    text.append("  return 0;\n}\n")
    fixed = {function.name for function in made if not function.is_static}
    unread = {function.name: function.unread() for function in made}
    return "\n".join(text), [rule for function in made for rule in function.rules()], expected, fixed, unread


def sled_flags(compiler, tools):
    """None: this compiler makes no sleds here."""
    if "clang" in compiler:
        return ["-fxray-instrument", "-fxray-instruction-threshold=1"]
    version = run([compiler, "-dumpversion"]).strip().split(".")[0]
    plugin = os.path.join(tools.tools, "..", "instrument", "gcc-" + version, "callsig_sleds.so")
    return ["-fplugin=" + os.path.realpath(plugin)] if os.path.exists(plugin) else None


def clones(program):
    """The names of the functions that the program has a clone of."""
    symbols = (line.split()[-1] for line in run(["nm", program]).splitlines())
    return {name.split(".")[0] for name in symbols if ".constprop." in name or ".isra." in name or ".part." in name}


def compare(expected, traced, fixed, ignored):
    """Returns (values, values lost, differences); of values, those of the functions whose names are in `fixed`, but for the words in
    `ignored`, by name."""
    values = lost = 0
    differences = []
    for want, got in zip(expected, traced):
        want_words, got_words = want.split(" "), got.split(" ")
        if want_words[0] != got_words[0] or len(want_words) != len(got_words):
            return values, lost, differences + ["expected '%s', traced '%s'" % (want, got)]
        if want_words[0] in fixed:
            counted = [word for i, word in enumerate(got_words) if i > 0 and i not in ignored.get(want_words[0], ())]
            values += len(counted)
            lost += counted.count("?")
        if any(read not in ("?", word) for word, read in zip(want_words, got_words)):
            differences.append("expected '%s', traced '%s'" % (want, got))
    if len(expected) != len(traced):
        differences.append("%d calls, %d traced" % (len(expected), len(traced)))
    return values, lost, differences


def check(compiler, flags, sleds, tools, folder):
    os.makedirs(folder)
    path = {name: os.path.join(folder, name) for name in ("program.c", "program.o", "program", "rules", "index", "trace")}
    text, rules, expected, fixed, unread = program(tools.functions, tools.seed)
    for name, content in (("program.c", text), ("rules", "\n".join(rules) + "\n")):
        with open(path[name], "w", encoding="utf-8") as file:
            file.write(content)
    # Linked without the flags: clang would add the runtime of XRay.
    is_whole = "-flto" in flags
    if "-O0" in flags:
        fixed = {line.split(" ")[0] for line in expected}
    elif is_whole:
        fixed = set()
    run([compiler, "-g", "-w"] + flags + sleds + ["-c", path["program.c"], "-o", path["program.o"]])
    run([compiler, "-g"] + flags + (sleds if is_whole else []) + [path["program.o"], "-o", path["program"]])
    if "-O0" not in flags:  # gcc -O3 makes clones of global functions, too, which have another interface
        fixed -= clones(path["program"])
    run([os.path.join(tools.tools, "symbols_write_index"), path["program"], path["index"], path["rules"]])
    run([path["program"]], env=dict(os.environ, TRACE_INDEX=path["index"], TRACE_OUT=path["trace"], LD_PRELOAD=tools.trace))
    kind = "clang" if "clang" in compiler else "gcc"
    ignored = unread if kind == "clang" and "-O0" not in flags else {}
    with open(path["trace"], encoding="utf-8") as lines:
        values, lost, differences = compare(expected, lines.read().splitlines(), fixed, ignored)
    limit = values * (MAY_LOSE_AT_O0[kind] if "-O0" in flags else MAY_LOSE.get(compiler, MAY_LOSE[kind])) / 100
    if not differences and lost > limit:
        differences = ["%d values are lost, more than %d" % (lost, limit)]
    print("%-8s %-24s %4d calls, %4d values, %3d lost%s" % (compiler, " ".join(flags), len(expected), values, lost,
                                                          "".join("\n    " + text for text in differences[:10])))
    return not differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="folder of symbols_write_index")
    parser.add_argument("--trace", required=True, help="the library that stops at sleds")
    parser.add_argument("--functions", type=int, default=40, help="how many functions each program has")
    parser.add_argument("--seed", type=int, default=1, help="which functions those are")
    parser.add_argument("--all", action="store_true", help="every way to compile, and every compiler")
    parser.add_argument("--keep", help="folder to build in, which is kept")
    tools = parser.parse_args()
    top = tools.keep or tempfile.mkdtemp(prefix="callsig-sleds-")
    good, any_built = True, False
    for compiler in ("gcc", "clang") + (("gcc-11", "clang-16", "clang-19") if tools.all else ()):
        sleds = sled_flags(compiler, tools) if shutil.which(compiler) else None
        if sleds is None:
            print("%s: not installed, or without sleds: left out" % compiler)
            continue
        cases = CASES["clang" if "clang" in compiler else "gcc"]
        for flags in cases if tools.all else cases[:QUICK]:
            any_built = True
            good &= check(compiler, flags, sleds, tools, os.path.join(top, compiler + "".join(flags)))
    if not tools.keep:
        shutil.rmtree(top)
    return (0 if good else 1) if any_built else 77


if __name__ == "__main__":
    sys.exit(main())
