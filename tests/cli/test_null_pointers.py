#!/usr/bin/env python3
# ctest: skips
"""Calls of one caller that differ in which of their pointers are NULL are counted apart, wherever the ABI passes these, as the program
itself has counted them; and what it is passed is what it passed."""

import json
import shutil
import unittest

import harness

# Each call checks its arguments, so that no register may have changed on the way. `many` has six in registers and two on the stack, and
# a length that becomes a bucket, which takes a register of the code that finds the call.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#define N __attribute__((noinline))
#define QUIET __attribute__((no_instrument_function))
#define ROUNDS 3000
static char at[8];
static const unsigned char sets[] = {0x00, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x7f, 0x55, 0x2a, 0x0f};
static unsigned long counted[130];
static int fails, bits;
struct node { struct node *left, *right; };

QUIET N static void check(int n, char *p)
{
  if (p != (bits >> n & 1 ? &at[n] : NULL))
    fails++;
}
N void many(char *a, char *b, char *c, char *d, long n, char *e, char *f, char *g)
{
  char *all[] = {a, b, c, d, e, f, g};
  counted[bits]++;
  fails += n < 0;
  for (int i = 0; i < 7; i++)
    check(i, all[i]);
}
N void leaf(char *a, char *b) { __asm__ volatile("" : : "r"(a), "r"(b) : "memory"); }
N void erase(struct node *node)
{
  counted[128 + (node != NULL)]++;
  for (; node; node = node->left)
    erase(node->right);
}
#define ON(n) (bits >> n & 1 ? &at[n] : NULL)
N void all(void)
{
  for (int round = 0; round < ROUNDS; round++) {
    bits = sets[round % sizeof sets];
    many(ON(0), ON(1), ON(2), ON(3), round / 7 % 5, ON(4), ON(5), ON(6));
  }
  struct node nodes[3] = {{&nodes[1], NULL}, {NULL, &nodes[2]}, {NULL, NULL}};
  for (int round = 0; round < ROUNDS; round++) {
    leaf(at, round & 1 ? at : NULL);
    erase(round % 3 ? nodes : NULL);
  }
}
int main(void)
{
  all();
  printf("%lu %lu\n", counted[128], counted[129]);
  for (int i = 0; i < 128; i++)
    printf("%lu\n", counted[i]);
  return fails != 0;
}
"""
ROUNDS = 3000
RULES = "function many: n bucket log2\n"


class NullPointers(harness.Case):
    def build(self, compiler):
        file = self.write("program.c", PROGRAM)
        done = self.run_command(harness.CALLSIG_CC, "-g", "-O2", file, "-o", self.path(compiler), env={"CALLSIG_CC": compiler})
        self.assertEqual(done.returncode, 0, done.stderr)
        if not any(name in self.run_command("readelf", "-SW", self.path(compiler)).stdout for name in ("callsig_sleds", "xray_instr_map")):
            self.skipTest(f"callsig-cc made no sleds by {compiler}")
        return self.path(compiler)

    def rows(self, name, *options):
        recording = self.path("recording")
        done = self.callsig("run", "--rules", self.write("rules", RULES), *options, "-o", recording, self.path(name))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.callsig("report", recording, "--format", "json")
        self.assertEqual(report.returncode, 0, report.stderr)
        return done.stdout.split(), json.loads(report.stdout)["rows"]

    def check(self, compiler, *options):
        printed, rows = self.rows(compiler, *options)
        told = [int(word) for word in printed]
        of = {name: [row for row in rows if row["function"] == name] for name in ("many", "leaf", "erase")}
        names = "abcdefg"
        found = [0] * 128
        for row in of["many"]:
            states = {arg["name"]: arg["value"] is not None for arg in row["args"] if arg["name"] in names}
            found[sum(states[name] << bit for bit, name in enumerate(names))] += row["ncalls"]
        self.assertEqual(found, told[2:])
        erased = {row["args"][0]["value"] is not None: (row["ncalls"], row["pcalls"]) for row in of["erase"]}
        self.assertEqual((erased[False][0], erased[True][0]), tuple(told[:2]))
        # A call of a node is the outermost one of its signature where its caller is not erase; of NULL each is.
        self.assertEqual(erased[False][1], told[0])
        self.assertEqual(erased[True][1], ROUNDS * 2 // 3)
        self.assertEqual(sorted(row["ncalls"] for row in of["leaf"]), [ROUNDS // 2] * 2)

    def test_gcc(self):
        self.build("gcc")
        self.check("gcc")
        self.check("gcc", "--times", "exact")

    @unittest.skipUnless(shutil.which("clang"), "clang is not installed")
    def test_clang(self):
        self.build("clang")
        self.check("clang")
        self.check("clang", "--overhead", "1.001")


if __name__ == "__main__":
    harness.main()
