#!/usr/bin/env python3
# ctest: arguments --callsig $<TARGET_FILE:callsig_cli> --runtime $<TARGET_FILE:callsig>
# ctest: case - quick --indexes 240
# ctest: case _full full --indexes 3000
"""Signature indexes whose checksum is right and whose contents lie: the program runs on as if there were none.

    test_lying_indexes.py --callsig COMMAND --runtime LIBRARY [--indexes COUNT] [--seed NUMBER]

A program with arguments of many kinds calls them on its main stack, on a thread's, and on a stack with nothing readable around
it, so that a read outside of the frame ends it. Its index is changed in fields that its structures are made of, the checksum is put
right, and it is run: what it prints and how it ends is as without the runtime.
"""
import argparse
import ctypes
import ctypes.util
import os
import random
import struct
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum color { RED, GREEN, BLUE };
struct point { int x, y; };
struct node { struct node *next; const char *name; struct point at; };
typedef int (*function)(int);
#define NOINLINE __attribute__((noinline))

static NOINLINE int numbers(int a, long b, unsigned char c, short d) { return a + (int)b + c + d; }
static NOINLINE int reals(double a, float b) { return (int)(a + b); }
static NOINLINE int text(const char *s, size_t length) { return (int)length + s[0]; }
static NOINLINE int list(const int *values, int count) { return values[count - 1]; }
static NOINLINE int node(struct node *n, struct point p) { return n->at.x + p.y; }
static NOINLINE int many(int a, int b, int c, int d, int e, int f, int g, long h, struct point p, char i)
{ return a + b + c + d + e + f + g + (int)h + p.x + i; }
static NOINLINE int call(function f, enum color c) { return f((int)c); }
static NOINLINE int half(int n) { return n / 2; }
static NOINLINE int deep(int n, const char *why) { char room[256]; memset(room, n, sizeof room); return n ? deep(n - 1, why) + room[n] : why[0]; }
static inline __attribute__((always_inline)) int folded(int n, struct point *p) { return n + p->x; }

static NOINLINE int all(int n)
{
  struct point p = {n, 2};
  struct node first = {0, "first", p};
  int values[] = {1, 2, 3, n}, sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += numbers(n, 1L << 40, 200, (short)-i) + reals(0.5 * n, 2.5f) + text("some text", 9) + list(values, 4);
    sum += node(&first, p) + many(1, 2, 3, 4, 5, 6, 7 + i, 8, p, 'x') + call(half, (enum color)(i % 3)) + deep(3, "why") + folded(n, &p);
  }
  return sum;
}

static int result;
static ucontext_t here, there;
static void on_own_stack(void) { result += all(5); }
static void *in_thread(void *data) { result += all(*(int *)data); return 0; }

int main(void)
{
  int four = 4;
  pthread_t thread;
  result = all(3);
  pthread_create(&thread, 0, in_thread, &four);
  pthread_join(thread, 0);
  const size_t around = (size_t)1 << 33, size = 128 << 10;
  char *nothing = mmap(0, 2 * around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (nothing == MAP_FAILED || mprotect(nothing + around, size, PROT_READ | PROT_WRITE) != 0)
    return 3;
  getcontext(&there);
  there.uc_stack.ss_sp = nothing + around;
  there.uc_stack.ss_size = size;
  there.uc_link = &here;
  makecontext(&there, on_own_stack, 0);
  swapcontext(&here, &there);
  printf("%d\n", result);
  return 0;
}
"""
BUILDS = {"O0": ("-O0", "-finstrument-functions"), "O2": ("-O2", "-finstrument-functions")}
SECTIONS = 96  # where docs/index-format.md has the list of sections in the header
VALUES = (0, 1, 2, 7, 8, 255, 256, 4096, 0xFFFF, 1 << 20, (1 << 24) - 1, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 63) - 1, 1 << 63,
          (1 << 64) - 1)


class Hash:
    def __init__(self):
        self.library = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
        self.library.XXH64.restype = ctypes.c_uint64
        self.library.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]

    def __call__(self, data):
        return self.library.XXH64(bytes(data), len(data), 0)


def sections(data):
    """Offset, entries and their size of each section but that of strings."""
    for number in range(1, (struct.unpack_from("<I", data, 12)[0] - SECTIONS) // 16):
        offset, count, size = struct.unpack_from("<QII", data, SECTIONS + 16 * number)
        if count:
            yield offset, count, size


def change(data, chooser):
    """One to three fields of entries: a small change, an extreme value, or what another entry has there."""
    for _ in range(chooser.choice((1, 1, 2, 3))):
        offset, count, size = chooser.choice(list(sections(data)))
        width = chooser.choice([w for w in (1, 2, 4, 8) if size % w == 0])
        place = chooser.randrange(size // width) * width
        at = offset + chooser.randrange(count) * size + place
        mask = (1 << 8 * width) - 1
        old = int.from_bytes(data[at:at + width], "little")
        other = offset + chooser.randrange(count) * size + place
        new = chooser.choice((old + chooser.randint(-16, 16), old ^ 1 << chooser.randrange(8 * width), chooser.choice(VALUES), -chooser.choice(VALUES),
                              chooser.getrandbits(8 * width), int.from_bytes(data[other:other + width], "little")))
        data[at:at + width] = (new & mask).to_bytes(width, "little")


class Guest:
    """One build of the program, and its index."""

    def __init__(self, arguments, folder, name, flags):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        source = os.path.join(self.folder, "program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        self.program = os.path.join(self.folder, "program")
        subprocess.run(["cc", "-g", *flags, source, "-o", self.program, "-pthread"], check=True)
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("CALLSIG_", "LD_"))}
        self.expected = self.run(clean)
        self.environment = {**clean, "CALLSIG_CACHE_DIR": os.path.join(self.folder, "cache"), "LD_PRELOAD": arguments.runtime,
                            "CALLSIG_OUTPUT": os.path.join(self.folder, "recording"), "CALLSIG_COMMAND": "/bin/false"}
        environment = {**clean, "CALLSIG_CACHE_DIR": self.environment["CALLSIG_CACHE_DIR"]}
        self.index = subprocess.run([arguments.callsig, "index", "--cache", self.program], check=True, env=environment,
                                    capture_output=True, text=True).stdout.strip()
        with open(self.index, "rb") as file:
            self.honest = file.read()

    def run(self, environment):
        try:
            done = subprocess.run([self.program], env=environment, capture_output=True, text=True, timeout=600, check=False)
        except subprocess.TimeoutExpired:
            return "it hangs", ""
        return done.returncode, done.stdout

    def lie(self, data):
        with open(self.index, "wb") as file:
            file.write(data)
        outcome = self.run(self.environment)
        if os.path.exists(self.environment["CALLSIG_OUTPUT"]):
            os.unlink(self.environment["CALLSIG_OUTPUT"])
        return outcome


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callsig", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--indexes", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the indexes that do harm")
    arguments = parser.parse_args()
    digest, chooser, failed = Hash(), random.Random(arguments.seed), 0
    with tempfile.TemporaryDirectory(prefix="callsig-lies-") as folder:
        guests = [Guest(arguments, folder, name, flags) for name, flags in BUILDS.items()]
        for guest in guests:
            if guest.lie(guest.honest) != guest.expected:
                print(f"{guest.program}: it does not run as it should with its own index")
                return 1
        for number in range(arguments.indexes):
            guest = guests[number % len(guests)]
            data = bytearray(guest.honest)
            change(data, chooser)
            header = struct.unpack_from("<I", data, 12)[0]
            struct.pack_into("<Q", data, 24, digest(data[header:]))
            outcome = guest.lie(data)
            if outcome != guest.expected:
                failed += 1
                print(f"{guest.program}: index {number}: {outcome} instead of {guest.expected}")
                if arguments.keep:
                    with open(os.path.join(arguments.keep, f"{os.path.basename(guest.folder)}-{number}"), "wb") as file:
                        file.write(data)
    print(f"{arguments.indexes} indexes that lie, {failed} did harm")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
