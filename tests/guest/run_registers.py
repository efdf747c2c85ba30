#!/usr/bin/env python3
"""Runs programs of random functions, which keep as many values in registers as there are, with sleds that are recorded: what they print is what the same
binary prints without callsig.

    run_registers.py --build BUILD_DIR [--first SEED] [--count N] [--all]

Each function has up to eight parameters of several types, calls others with few distinct arguments, and uses all that it was passed and all that came
back. They are called often enough that calls come to be counted by the code that is made for their sites, which saves what it changes by what the sled
says of its function. With --all each is built at every level. Exit status 77: neither compiler is there.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

FUNCTIONS = 60
ROUNDS = 400
TYPES = ["int", "long", "double", "unsigned char", "short", "float", "struct pair"]
RESULTS = ["long", "double", "struct pair", "long"]
VALUES = 8
BUILDS = [("gcc", ["-O2"]), ("clang", ["-O2"])]
ALL_BUILDS = [("gcc", ["-O1"]), ("gcc", ["-O2"]), ("gcc", ["-O3", "-flto"]), ("gcc", ["-Os"]), ("clang", ["-O1"]), ("clang", ["-O2"]),
              ("clang", ["-O3", "-fno-inline"]), ("clang", ["-Os"]), ("clang-16", ["-O2"]), ("clang-19", ["-O2"])]
HEAD = """#include <stdarg.h>
#include <stdio.h>
struct pair { long a, b; };
static volatile long sink;
static long pass(long a, ...)
{
  va_list rest;
  va_start(rest, a);
  for (int i = 0; i < 3; i++)
    a += va_arg(rest, long);
  va_end(rest);
  return a;
}
"""


class Function:
    """What is declared of one; `linkage` is "static " or nothing."""

    def __init__(self, chance, number):
        self.name = f"f{number}"
        self.parameters = [chance.choice(TYPES) for _ in range(chance.randint(0, 8))]
        self.linkage = chance.choice(["static ", "", "static "])
        self.result = chance.choice(RESULTS)

    def head(self):
        parameters = ", ".join(f"{kind} p{number}" for number, kind in enumerate(self.parameters))
        return f"{self.linkage}__attribute__((noinline)) {self.result} {self.name}({parameters or 'void'})"


def constant(chance, kind):
    return f"(struct pair){{{chance.randint(0, 2)}, {chance.randint(0, 2)}}}" if kind == "struct pair" else str(chance.randint(0, 3))


def as_number(value, kind):
    return f"({value}.a + 7 * {value}.b)" if kind == "struct pair" else f"(long){value}"


def argument(chance, caller, kind):
    """What the caller was passed itself, where it has such a thing, or a constant."""
    own = [f"p{number}" for number, one in enumerate(caller.parameters) if one == kind]
    return chance.choice(own) if own and chance.random() < .6 else constant(chance, kind)


def body(chance, functions, number):
    function, value = functions[number], lambda: f"v{chance.randrange(VALUES)}"
    yield f"  long v0 = sink + {number}, v1 = v0 * 3, v2 = v1 ^ 5, v3 = v0 + v2, v4 = v3 * 7, v5 = v4 - v1, v6 = v5 ^ v2, v7 = v6 + 9;"
    yield "  double d = v0 * 0.5;"
    for parameter, kind in enumerate(function.parameters):
        yield f"  {value()} += {as_number(f'p{parameter}', kind)} * {chance.randint(1, 9)};"
    for _ in range(chance.randint(0, 3) if number else 0):
        called = functions[chance.randrange(number)]
        arguments = ", ".join(argument(chance, function, kind) for kind in called.parameters)
        yield f"  {{ {called.result} x = {called.name}({arguments}); {value()} ^= {as_number('x', called.result)}; }}"
        if chance.random() < .3:
            yield f"  {value()} += pass(v1 & 1, 1L, 2L, 3L);"
    total = "v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + (long)d"
    if chance.random() < .4:
        yield f"  for (int i = 0; i < {chance.randint(2, 5)}; i++) {{ v1 += v7 * i; v6 ^= v1; v0 += v6; }}"
    yield f"  return (struct pair){{{total}, v3 ^ v5}};" if function.result == "struct pair" else f"  return ({function.result})(({total}) % 1000003);"


def program(seed):
    """Its text. Signed numbers wrap (-fwrapv)."""
    chance = random.Random(seed)
    functions = [Function(chance, number) for number in range(FUNCTIONS)]
    lines = [f"{function.head()};" for function in functions]
    for number, function in enumerate(functions):
        lines += [function.head(), "{", *body(chance, functions, number), "}"]
    lines += ["int main(void)", "{", "  unsigned long sum = 0;", f"  for (int round = 0; round < {ROUNDS}; round++) {{", "    sink = round & 7;"]
    for function in functions:
        arguments = ", ".join(constant(chance, kind) for kind in function.parameters)
        lines.append(f"    {{ {function.result} x = {function.name}({arguments}); sum = sum * 31 + (unsigned long){as_number('x', function.result)}; }}")
    lines += ["  }", '  printf("%lu\\n", sum);', "  return 0;", "}"]
    return HEAD + "\n".join(lines) + "\n"


def run(command, **variables):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False, env={**os.environ, **variables})


def check(build, compiler, options, source, folder):
    """What is wrong, or None."""
    binary, recording = os.path.join(folder, "program"), os.path.join(folder, "recording")
    callsig = os.path.join(build, "cli", "callsig")
    made = run([os.path.join(build, "cli", "callsig-cc"), "-fwrapv", *options, source, "-o", binary], CALLSIG_CC=compiler)
    if made.returncode:
        return made.stderr
    plain, profiled = run([binary]), run([callsig, "run", "-o", recording, binary], XDG_CACHE_HOME=os.path.join(folder, "cache"))
    if (plain.stdout, plain.returncode) != (profiled.stdout, profiled.returncode):
        return f"printed {profiled.stdout!r} with status {profiled.returncode}, and without callsig {plain.stdout!r} with {plain.returncode}: {profiled.stderr}"
    table = run([callsig, "report", recording]).stdout
    return None if int(table.split()[0]) > ROUNDS * FUNCTIONS and " were timed" in table else f"its calls are not sampled:\n{table}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    wrong = 0
    builds = [one for one in (ALL_BUILDS if options.all else BUILDS) if shutil.which(one[0])]
    if not builds:
        print("run_registers.py: neither compiler is installed")
        return 77
    for seed in range(options.first, options.first + options.count):
        with tempfile.TemporaryDirectory(prefix="callsig-registers-") as folder:
            source = os.path.join(folder, "program.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(program(seed))
            for compiler, flags in builds:
                problem = check(options.build, compiler, flags, source, folder)
                if problem:
                    print(f"FAIL seed {seed}, {compiler} {' '.join(flags)}: {problem}")
                    wrong += 1
    print(f"{options.count} programs, each in {len(builds)} builds, {wrong} not as without callsig")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
