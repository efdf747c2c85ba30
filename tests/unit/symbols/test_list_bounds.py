#!/usr/bin/env python3
# ctest: arguments --callsig $<TARGET_FILE:callsig_cli>
"""Lists of locations and of ranges that lead out of their section lose what they tell, and nothing more: libdw, which is asked for them,
would read anywhere in memory.

usage: test_list_bounds.py --callsig COMMAND
"""
import argparse
import os
import struct
import subprocess
import sys
import tempfile

SOURCE = """
int use(const char *, long);
void stop(void) __attribute__((cold, noreturn));
static int sum;
static inline __attribute__((always_inline)) int add(int n, int m)
{
  if (__builtin_expect(n > 100, 0)) { use("much", n); stop(); }
  return n + m * sum;
}
int first(int a, long b, const char *c)
{
  for (int i = 0; i < a; i++) sum += use(c, b + i);
  a = use(c, 3);
  return add(a, sum) + (int)b;
}
int second(int a, long b, const char *c)
{
  sum += use(c, a) + add(a, 4);
  return use(c + 1, b) * add(sum, a) + a;
}
"""
FAR = 0x9ec0a1326153afff  # more than half of all there is, so that it is negative as a ptrdiff_t
LOST = "its location cannot be read"


def number(value):
    """As ULEB128."""
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(made) + bytes([value])


class Section:
    """.debug_loclists or .debug_rnglists of a file with one unit."""

    def __init__(self, path, name):
        headers = subprocess.run(["readelf", "-S", "-W", path], check=True, capture_output=True, text=True).stdout
        lines = [line.replace("[ ", "[").split() for line in headers.splitlines()]
        self.at, = [int(words[4], 16) for words in lines if len(words) > 5 and words[1] == name]
        with open(path, "rb") as file:
            self.content = bytearray(file.read())
        self.offset_size = 8 if self.content[self.at:self.at + 4] == b"\xff\xff\xff\xff" else 4
        self.table = self.at + (20 if self.offset_size == 8 else 12)
        self.count, = struct.unpack_from("<I", self.content, self.table - 4)
        self.format = "<Q" if self.offset_size == 8 else "<I"

    def offsets(self):
        return [struct.unpack_from(self.format, self.content, self.table + i * self.offset_size)[0] for i in range(self.count)]

    def lead_out(self):
        """Every list lies elsewhere."""
        for i in range(self.count):
            struct.pack_into(self.format, self.content, self.table + i * self.offset_size, FAR & (1 << 8 * self.offset_size) - 1)

    def lengthen(self):
        """The first description of every list holds nowhere and is too long."""
        for offset in self.offsets():
            entry = b"\x04\x00\x00" + number(FAR)
            self.content[self.table + offset:self.table + offset + len(entry)] = entry


def explain(callsig, path):
    done = subprocess.run([callsig, "index", "--explain", path], capture_output=True, text=True, errors="replace")
    if done.returncode < 0:
        sys.exit(f"{path}: signal {-done.returncode}")
    return done.stdout


def damage(callsig, path, name, how):
    section = Section(path, name)
    if section.count == 0:
        sys.exit(f"{path}: no table in {name}")
    how(section)
    with open("damaged", "wb") as file:
        file.write(section.content)
    return explain(callsig, "damaged")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callsig", required=True)
    callsig = os.path.abspath(parser.parse_args().callsig)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["CALLSIG_CACHE_DIR"] = folder
        with open("program.c", "w") as file:
            file.write(SOURCE)
        told = {}
        for width in ("32", "64"):
            subprocess.run(["clang", "-g", "-gdwarf-5", f"-gdwarf{width}", "-O2", "-finstrument-functions", "-ffunction-sections", "-fPIC",
                            "-shared", "-nostdlib", "program.c", "-o", width], check=True)
            told[width] = explain(callsig, width).partition("\n")[2]  # behind the name of the file
            lost = {"lengthen": damage(callsig, width, ".debug_loclists", Section.lengthen),
                    "lead_out": damage(callsig, width, ".debug_loclists", Section.lead_out)}
            failures += [f"{width} bits, {how}: nothing is lost" for how, text in lost.items() if LOST not in text]
            damage(callsig, width, ".debug_rnglists", Section.lead_out)
        if LOST in told["32"] or told["32"] != told["64"] or "first" not in told["32"]:
            failures.append("what is sound is not told the same with offsets of 32 and 64 bits:\n" + told["32"] + told["64"])
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
