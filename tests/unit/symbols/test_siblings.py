#!/usr/bin/env python3
# ctest: arguments --tools $<TARGET_FILE_DIR:symbols_pass_siblings>
"""Which DIE follows each DIE of a program: the one that libdw says, in every version of DWARF and with every form that compilers
write; and whatever a file says whose DIEs were overwritten, the answer is found within it.

usage: test_siblings.py --tools DIR
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

SOURCE = """
#include <cstdio>
#include <map>
#include <string>
#include <vector>
namespace outer { template <typename T> struct box { T in; static constexpr T none = T(); int turn(int n) { return n + int(sizeof in); } }; }
enum class colour : unsigned char { red, green = 200 };
static inline int twice(int n) { return 2 * n; }
int main(int argc, char **argv)
{
  std::map<std::string, std::vector<outer::box<long>>> all;
  all[argv[0]].push_back({argc});
  struct local { int bits : 3; double d[4]; } here = {1, {0.5}};
  std::printf("%d %d %d\\n", outer::box<__int128>{1}.turn(argc), twice(here.bits), (int)colour::green + (int)all.size());
}
"""
CASES = [("g++", "-gdwarf-2", "-gstrict-dwarf"), ("g++", "-gdwarf-3"), ("g++", "-gdwarf-4", "-fdebug-types-section"), ("g++", "-O2"),
         ("g++", "-O2", "-gdwarf64"), ("g++", "-O2", "-gsplit-dwarf"), ("clang++", "-gdwarf-2"), ("clang++", "-O2", "-gdwarf-4"),
         ("clang++", "-O2"), ("clang++", "-O2", "-gdwarf64"), ("clang++", "-O2", "-gsplit-dwarf"),
         ("clang++", "-gdwarf-4", "-fdebug-types-section")]
DAMAGED = 40


def output_of(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def debug_info(program, folder):
    """Where the section lies in the file."""
    for line in output_of(["readelf", "-S", "-W", program], folder).splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] == ".debug_info":
            return int(words[4], 16), int(words[5], 16)
    sys.exit(f"{program}: no .debug_info")


def damage(program, folder, seed):
    """A copy of it in which some bytes of its DIEs are others."""
    offset, size = debug_info(program, folder)
    with open(os.path.join(folder, program), "rb") as file:
        content = bytearray(file.read())
    numbers = random.Random(seed)
    for _ in range(numbers.randrange(1, 20)):
        content[offset + numbers.randrange(12, size)] = numbers.choice((0, 1, 0x7f, 0x80, 0xff, numbers.randrange(256)))
    with open(os.path.join(folder, "damaged"), "wb") as file:
        file.write(content)
    return "damaged"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    tool = os.path.join(parser.parse_args().tools, "symbols_pass_siblings")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.cc"), "w") as file:
            file.write(SOURCE)
        for compiler, *options in CASES:
            output_of([compiler, "-g", *options, "program.cc", "-o", "program"], folder)
            dies, different = map(int, output_of([tool, "program"], folder).split())
            assert dies > 1000 and different == 0, f"{compiler} {' '.join(options)}: {different} of {dies} DIEs are followed by another one"
            print(f"{compiler} {' '.join(options)}: {dies} DIEs")
        for seed in range(DAMAGED):
            output_of([tool, damage("program", folder, seed)], folder)


if __name__ == "__main__":
    main()
