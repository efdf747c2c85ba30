#!/usr/bin/env python3
# ctest: arguments --callsig $<TARGET_FILE:callsig_cli> --tools $<TARGET_FILE_DIR:symbols_write_index>
"""What the index knows of functions with sleds whose debug information stands or reads otherwise than most.

usage: test_sled_index.py --callsig COMMAND --tools DIR
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from test_sled_arguments import run, sled_flags

# A lambda's functions stand in a block of the function around it, which has no sled of its own.
LAMBDA = """
#include <functional>
__attribute__((noinline)) int apply(const std::function<int(int)> &function, int value) { return function(value); }
int around(int given)
{
  int result = 0;
  {
    int factor = given + 1;
    result = apply([factor](int multiplied) { return multiplied * factor; }, given);
  }
  return result;
}
int main(int count, char **) { return around(count) == 2 ? 0 : 1; }
"""
# Without the tracking of variables gcc tells one place of each for the whole function: the register that keeps it later.
KEPT = """
struct state { int is_on; struct state *next; };
__attribute__((noinline)) void use(struct state *state, int amount) { if (state) state->is_on += amount; __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void kept(struct state *state, int amount)
{
  if (!state->is_on)
    return;
  use(state, 1);
  use(state->next, amount);
}
int main(void) { struct state state = {1, 0}; kept(&state, 3); return state.is_on - 2; }
"""
# clang does not pass what a local function does not look at; the parameter that it sets to another is then told to be where that one is.
MOVED = """
int printf(const char *format, ...);
static __attribute__((noinline)) int moved(int x, int y) { x = y; y = 7; return printf("%d%d\\n", x, y); }
int main(int count, char **arguments) { return moved(1, count) + moved(2, count + 1) - 6; }
"""
# (compiler, options, name of the source, the source, what is said at one of the function's sleds)
CASES = [("g++", ["-O0"], "lambda.cc", LAMBDA, "__closure=rdi; multiplied=rsi"), ("clang++", ["-O0"], "lambda.cc", LAMBDA, "this=rdi; multiplied=rsi"),
         ("gcc", ["-O1", "-fno-var-tracking"], "kept.c", KEPT, "state=rdi; amount=rsi"),
         ("clang", ["-O2"], "moved.c", MOVED, "x=? (lost: told where it is kept later, and not where it is passed); y=? (lost")]


def check(compiler, options, name, text, at_sled, tools, folder):
    """What is wrong, or None."""
    program, source = os.path.join(folder, "program"), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    run([compiler, "-g", *options, *sled_flags(compiler, tools), source, "-o", program])
    explained = run([tools.callsig, "index", program])
    if at_sled not in explained or "without debug information" in explained:
        return f"no sled has {at_sled}, or a function has no debug information:\n{explained}"
    verified = subprocess.run([tools.callsig, "index", "--verify", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if verified.returncode == 0 and "disagree 0" in verified.stdout else verified.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callsig", required=True)
    parser.add_argument("--tools", required=True, help="folder of symbols_write_index")
    tools = parser.parse_args()
    failed = ran = 0
    for compiler, options, *case in CASES:
        if not shutil.which(compiler) or sled_flags(compiler, tools) is None:
            print(f"{compiler}: not installed, or without sleds: left out")
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as folder:
            problem = check(compiler, options, *case, tools, folder)
        if problem:
            print(f"FAIL {compiler} {' '.join(options)} {case[0]}: {problem}")
            failed += 1
    return 1 if failed else 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
