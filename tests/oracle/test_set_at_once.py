#!/usr/bin/env python3
# ctest: case - quick
# ctest: case _all full --all
"""Parameters that a function sets in its first statement: printed as they were passed, or as `?`, and never as anything else.

    test_set_at_once.py [--build FOLDER] [--all]

What an optimiser folds into nothing leaves no instruction between the hook's call and the new value, so that debug information tells the new
value there. Each function is called with numbers and with what is known at run time alone, often so that it is inlined: what it was passed is
known here, and neither asked of the compiler nor of a debugger, which tells the new value too. Functions that set nothing must be read.
"""
import argparse
import os
import re
import sys

from one_program import OneProgram, in_each_way

# What the function does first. `x` and `y` are its parameters.
SETS = [
    "x = y;", "y = x;", "x = 3;", "x = x & 7;", "x += 1;", "x = x << 1;", "x = -x;", "x = !x;", "x = x ? x : 10;", "if (x <= 0) x = 32;",
    "if (y == 4) x = 99;", "x = y * 2 + 1;", "x = sink[0];", "y += x;", "y += x; x = y;", "{ T t = x; x = y; y = t; }",
    "while (x-- > 2) sink[x & 1023] += y;", "x = x > y ? x : y;", "x %= 10;", "x ^= y;", "x = (signed char)x;",
    "for (; x < 20; x++) sink[x] += y;", "if (x < y) { T t = x; x = y; y = t; }", "do sink[x & 1023] += y; while (--x > 0);", "x = y = 5;",
    "switch (x) { case 8: x = 80; break; case 0: x = 81; break; case 13: y = 7; break; }", "x = x == 8 ? y : x;", "y = y < 100 ? y : 100; x = y;",
]
KEEPS = ["", "sink[1] += y;", "if (x > 5) sink[2] += x;", "for (int i = 0; i < (int)y; i++) sink[i] += (int)x;"]
OF_INTEGERS = re.compile(r"[&^%]|<<|switch|sink\[x|\(signed")
# What both are at each call: an expression of the program, and its value. `in` cannot be folded.
ARGUMENTS = [("8", 8), ("0", 0), ("13", 13), ("4", 4), ("in[0]", 9), ("in[1]", 21), ("a", 6), ("b", 17), ("b", 17), ("a * 2 + 1", 13), ("a << 1", 12), ("a & 7", 6)]
CALLS = [(i, (i * 5 + 3) % len(ARGUMENTS)) for i in range(len(ARGUMENTS))] + [(6, 6), (4, 3), (6, 3), (0, 0), (2, 7)]
HEAD = """
int sink[1024];
volatile int in[4] = {9, 21, 6, 17};
"""


def functions(kind):
    """(name, first statement, whether it sets what it is passed)."""
    sets = [text for text in SETS if kind != "double" or not OF_INTEGERS.search(text)]
    keeps = [text for text in KEEPS if kind != "double" or not OF_INTEGERS.search(text)]
    return [(f"{kind[:4]}{number}", text, number < len(sets)) for number, text in enumerate(sets + keeps)]


def source(kind):
    text = [HEAD, f"typedef {kind.replace('_', ' ')} T;"]
    for name, statement, _ in functions(kind):
        text.append(f"static int {name}(T x, T y) {{ {statement} sink[(int)x & 1023] += (int)y; return sink[(int)x & 127] * 3; }}")
    names = [name for name, _, _ in functions(kind)]
    text.append("int (*volatile pointers[])(T, T) = {" + ", ".join(names) + "};")
    text.append("int main(void) {\n  int t = 0;\n  T a = in[2], b = in[3];\n  sink[5] = (int)(a * 2 + 1);")
    if kind == "double":
        text[-1] += "\n#define INT(e) (T)(int)(e)"
    for name in names:
        text += [f"  t += {name}({expression(kind, x)}, {expression(kind, y)});" for x, y in CALLS]
    text.append(f"  for (int i = 0; i < {len(names)}; i++)\n    t += pointers[i](a, b) + pointers[i](in[0], in[1]) + pointers[i](8, 4);")
    text.append("  sink[7] = t;\n  return 0;\n}\n")
    return "\n".join(text)


def expression(kind, number):
    text = ARGUMENTS[number][0]
    return text if kind != "double" or not re.search("<<|&", text) else re.sub("[ab]", lambda found: f"(int){found[0]}", text)


def passed():
    return {(ARGUMENTS[x][1], ARGUMENTS[y][1]) for x, y in CALLS} | {(6, 17), (9, 21), (8, 4)}


def is_of(value, wanted):
    return value == "?" or float(value) == wanted


def check(build, kind, compiler, options, folder):
    """Wrong rows, how many values were looked at, and how many of these were read."""
    cli = os.path.join(os.path.realpath(build), "cli")
    program = OneProgram(os.path.join(cli, "callsig"), folder, source(kind), "function *: x value\nfunction *: y value\n")
    built = program.compile(compiler, options, os.path.join(cli, "callsig-cc"))
    if built.returncode:
        return [f"does not compile: {built.stderr[-500:]}"], 0, 0
    done = program.run()
    known, wrong, values, read = {name: (text, is_set) for name, text, is_set in functions(kind)}, [], 0, 0
    for name, x, y in re.findall(r":\d+\((\w+)\(x=([^,]*), y=([^,)]*)\)\)", done.stderr):
        text, is_set = known[name]
        if not any(is_of(x, one) and is_of(y, other) for one, other in passed()):
            wrong.append(f"{name}(x={x}, y={y}): {text}")
        if not is_set:
            values, read = values + 2, read + (x != "?") + (y != "?")
    if not values:
        wrong.append("no row: " + done.stderr[-500:])
    least = LEAST if is_before_inlining(compiler, options) else 1.0
    if read < values * least:
        wrong.append(f"of what is kept {read} of {values} values are read, less than {least:.0%}")
    return wrong, values, read


# Of the values of functions that set nothing so many are read in clang's optimised instances; all are elsewhere.
LEAST = 0.8


def is_before_inlining(compiler, options):
    return "clang" in compiler and "--before-inlining" in options and "-O0" not in options


COMPILERS = ["clang", "gcc-12", "clang-16", "clang-19", "gcc-11"]
WAYS = [["--before-inlining", "-O2"], ["--calls", "-O2"], ["--before-inlining", "-O1"], ["--before-inlining", "-O3"], ["--calls", "-O1"], ["-O2"],
        ["--before-inlining", "-O0"], ["--before-inlining", "-O2", "-fcf-protection=full"]]
KINDS = ["int", "long", "double", "unsigned_char"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.environ.get("CALLSIG_BUILD", "build"), help="folder of a build, else that of CALLSIG_BUILD")
    parser.add_argument("--all", action="store_true", help="every compiler, every way to compile, and every type")
    options = parser.parse_args()
    failed = ran = 0
    for kind in KINDS if options.all else KINDS[:1]:
        checked = in_each_way(COMPILERS, WAYS, lambda *how, kind=kind: check(options.build, kind, *how), None if options.all else (2, 2))
        for compiler, way, (wrong, values, read) in checked:
            ran += 1
            failed += bool(wrong)
            print(f"{compiler:9} {' '.join(way):24} {kind:14} {read} of {values} read" + "".join("\n    " + text for text in wrong[:40]))
    return 1 if failed else 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
