#!/usr/bin/env python3
# ctest: arguments --tools $<TARGET_FILE_DIR:symbols_tell_places>
"""Which functions addresses of code are of: those that addr2line tells, with the scopes that they stand in, functions among them, and the
same whether an address is asked for alone or with all others, since what has none of them is not read.

usage: test_places.py --tools DIR
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HEADER = """
#define KEPT __attribute__((noinline, used))
extern volatile int sink;
struct shared {
  int KEPT both(int n) { return n * sink; }
  struct inner { static int KEPT deep(int n) { return n - sink; } };
};
inline int KEPT twice(int n) { return n + sink; }
static inline int always(int n) { for (int i = 0; i < n; i++) sink += i; return sink; }
"""
FIRST = """
#include "header.h"
volatile int sink;
namespace outer {
namespace { int KEPT hidden(int n) { return sink - n; } }
class widget {
 public:
  explicit widget(int n);
  int turn(int n) const;
  class part { public: int KEPT fit(int n) { return n % (sink | 1); } };
  int side;
};
widget::widget(int n) : side(always(n)) {}
int widget::turn(int n) const { return part().fit(n) + hidden(side); }
}
int KEPT local_class(int n)
{
  struct scale { int KEPT weigh(int k) const { return k * sink; } };
  return scale().weigh(n);
}
// Not "used": clang then describes the class outside of the template that it is local to.
#define APART __attribute__((noinline))
template <class T> struct pair {
  int APART sum(T n) { struct part { int APART half(T k) { return sink + int(k) / 2; } }; return part().half(n); }
};
int KEPT local_block(int n)
{
  if (n > 1) {
    class deeper { public: int KEPT sound(int k) { return always(k) + sink; } };
    return deeper().sound(n);
  }
  return sink;
}
int second(int n);
int main(int argc, char **)
{
  outer::widget widget(argc);
  auto lambda = [](int n) KEPT -> int { return n + sink; };
  return widget.turn(argc) + local_class(argc) + local_block(argc) + second(argc) + lambda(argc) + twice(argc) + shared().both(argc) +
         shared::inner::deep(argc) + pair<char>().sum(argc) + pair<int>().sum(argc);
}
"""
SECOND = """
#include "header.h"
namespace other { int KEPT plain(int n) { return always(n) + shared().both(n); } }
int KEPT second(int n) { return other::plain(n) + twice(n) + shared::inner::deep(n); }
"""
CASES = [(compiler, options) for compiler in ("g++", "clang++")
         for options in (["-O0"], ["-O2"], ["-O2", "-gdwarf-4"], ["-O2", "-ffunction-sections", "-Wl,--gc-sections"])]


def run(command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def addresses_of(program):
    """Of instructions of the program's own functions."""
    found, own = [], False
    for line in run(["objdump", "-d", "--no-show-raw-insn", program]).splitlines():
        heading = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if heading:
            own = bool(re.match(r"_Z|main$", heading.group(1)))
        elif own and re.match(r"\s*[0-9a-f]+:\t(?!nop|xchg +%ax|data16|cs nop)", line):
            found.append(line.split(":")[0].strip())
    return found


def places(tool, program, addresses):
    return run([tool, program], "\n".join(addresses)).splitlines()


def simple(name):
    """A name without its scopes and its parameters; a lambda's in one spelling."""
    name = re.sub(r"\{lambda[^}]*\}", "lambda", name.replace("operator()", "operator"))
    return re.sub(r"\(.*", "", re.sub(r"\(anonymous[^)]*\)|\((int|char)?\)(?=::)", "anonymous", name)).split("::")[-1].split(" ")[-1]


def scopes(name):
    """A name with its scopes, of which functions have no parameters; a lambda's have no spelling in common."""
    whole = re.sub(r"\((?!anonymous)[^()]*\)::", "()::", name.replace("{anonymous}", "(anonymous namespace)"))
    return "" if "operator" in name else re.sub(r"\((?!anonymous|\)::).*", "", whole)


def told_by_addr2line(program, addresses):
    """Of each address the functions, the innermost first."""
    told = []
    for line in run(["addr2line", "-e", program, "-afiC"], "\n".join(addresses)).splitlines():
        if re.match(r"0x[0-9a-f]+$", line):
            told.append([])
            is_name = True
        else:
            if is_name:
                told[-1].append(line)
            is_name = not is_name
    return told


def check(compiler, options, tools, folder):
    for name, text in (("header.h", HEADER), ("first.cc", FIRST), ("second.cc", SECOND)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    program, tool = os.path.join(folder, "program"), os.path.join(tools, "symbols_tell_places")
    run([compiler, "-g", "-fno-exceptions", *options, os.path.join(folder, "first.cc"), os.path.join(folder, "second.cc"), "-o", program])
    addresses = addresses_of(program)
    together = places(tool, program, addresses)
    names = {name for line in together for name in line.split("\t")}
    for wanted in ("outer::widget::turn", "outer::(anonymous namespace)::hidden", "outer::widget::part::fit", "shared::inner::deep", "second",
                   "local_class()::scale::weigh", "local_block()::deeper::sound", "pair<char>::sum()::part::half", "pair<int>::sum()::part::half"):
        if wanted not in names:
            return f"nothing is of {wanted}"
    for address, line in zip(addresses, together):
        alone = places(tool, program, [address])
        if alone != [line]:
            return f"{address}: with all others {line!r}, alone {alone!r}"
    for address, line, told in zip(addresses, together, told_by_addr2line(program, addresses)):
        mine = line.split("\t")
        mine_simple, told_simple = [simple(name) for name in mine], [simple(name) for name in told]
        # For an inlined function whose ranges are scattered it names the one around all of them.
        if len(told) > 1 and told_simple[0] == told_simple[-1]:
            mine, told, mine_simple, told_simple = mine[1:], told[1:], mine_simple[1:], told_simple[1:]
        if mine_simple != told_simple:
            return f"{address}: {mine}, addr2line: {told}"
        for name, other in zip(mine, told):
            if "(" in other and "::" in other and scopes(other) and scopes(other) != name:
                return f"{address}: {name}, addr2line: {other}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="folder of symbols_tell_places")
    tools = parser.parse_args().tools
    failed = ran = 0
    for compiler, options in CASES:
        if not shutil.which(compiler):
            print(f"{compiler}: not installed: left out")
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as folder:
            problem = check(compiler, options, tools, folder)
        if problem:
            print(f"FAIL {compiler} {' '.join(options)}: {problem}")
            failed += 1
    return 1 if failed else 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
