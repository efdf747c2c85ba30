#!/usr/bin/env python3
# ctest: name oracle.scaling_everyday
# ctest: case - full @PROJECT_BINARY_DIR@
"""callsig scaling on 45 functions as real programs have them (everyday.h), timed by the machine: 39 of a known law, 6 of none
or of one that data make. No figure is of one machine: what is held is how many laws are false, and how many are found.

    test_everyday.py BUILD [--print]

A law is found when it is the one that is printed, or among those that the warning does not tell from it. It is false when another
is printed and the right one is not named. A verdict without a law is neither: caches and what else runs on the machine may well
put a time more than 15 % off its law. docs/scaling.md has what was measured."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1])
CALLSIG = os.path.join(BUILD, "cli", "callsig")

LAWS = {law: names.split() for law, names in {
    "constant": "hash_find look_up days_in_month allocate",
    "log n": "search_binary",
    "log size": "tree_find",
    "log exponent": "power_of",
    "n": "search_linear largest_of hash_fill copy_bytes length_of find_text encode_base64 checksum_crc checksum_adler "
         "compress_random compress_repetitive parse_json sieve",
    "n log n": "sort_qsort sort_merge sort_heap tree_build transform",
    "n^2": "sort_insertion count_inversions tree_grow_sorted matrix_transpose closest_pair",
    "words^2": "join_words",
    "n^3": "matrix_multiply shortest_paths eliminate",
    "n * m": "search_naive edit_distance convolve",
    "rows * columns": "matrix_by_vector",
    "n + m": "merge_lists"}.items()}
WANTED = {name: law for law, names in LAWS.items() for name in names}
# What may be printed of functions without a law of these: shell sort lies between n log n and n^2, Collatz' sequences and
# Euclid's algorithm take a logarithm of steps on average, and what is random is constant on average.
LAWLESS = {"sort_shell": {"n log n"}, "fibonacci": set(), "greatest_divisor": {"constant", "log a", "log b"},
           "collatz_steps": {"constant", "log n"}, "nap": {"constant"}, "spin_randomly": {"constant"}}
RECORDINGS = 4  # of which the best counts: other programs share the caches and the cores
FALSE = 0       # laws of the 45 functions that may be false in it
# Of the 39 that have one, by the processor's clock, by the wall's, and by that where calls are sampled.
FOUND_CPU, FOUND_EXACT, FOUND_SAMPLED = 0.65, 0.40, 0.45


class Everyday(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="callsig-everyday-")
        cls.folder = cls.temporary.name
        cls.program = os.path.join(cls.folder, "everyday")
        runtime = os.path.join(BUILD, "profiler")
        cls.run_command("cc", "-O2", "-g", "-finstrument-functions", "-I" + HERE, os.path.join(HERE, "everyday.c"),
                        os.path.join(HERE, "everyday_calls.c"), "-o", cls.program, "-L" + runtime, "-Wl,-rpath," + runtime,
                        "-lcallsig", "-lz", "-lm")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_command(cls, *command):
        done = subprocess.run(command, cwd=cls.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        if done.returncode != 0:
            raise AssertionError(" ".join(command) + "\n" + done.stderr)
        return done.stdout

    def judge(self, *options):
        """Records once. Returns the number of laws that are found, and what is false: function -> what is printed."""
        self.run_command(CALLSIG, "run", *options, "-o", "recording", self.program, "30")
        report = json.loads(self.run_command(CALLSIG, "scaling", "recording", "--all", "--format", "json"))
        said = {}
        for one in report["functions"]:
            said.setdefault(one["function"], []).append([one["law"], *one["rivals"]])
        self.assertEqual([name for name in [*WANTED, *LAWLESS] if name not in said], [])
        found = [name for name, law in WANTED.items() if all(law in laws for laws in said[name])]
        false = {name: laws for name, law in WANTED.items() for laws in said[name]
                 if laws[0] not in (None, "constant") and law not in laws}
        false.update({name: laws for name, allowed in LAWLESS.items() for laws in said[name]
                      if laws[0] is not None and not allowed & set(laws)})
        if "--print" in sys.argv:
            print(" ".join(options), "found", len(found), "of", len(WANTED), "false", false)
        return len(found), false

    def best(self, *options):
        return min((self.judge(*options) for _ in range(RECORDINGS)), key=lambda one: (len(one[1]), -one[0]))

    def test_cpu_clock(self):
        found, false = self.best("--clock", "cpu")
        self.assertLessEqual(len(false), FALSE, false)
        self.assertGreaterEqual(found, FOUND_CPU * len(WANTED))

    def test_every_call_by_the_wall_clock(self):
        """On a busy machine the means bear few laws: the shortest calls do, and none is false for that."""
        found, false = self.best("--times", "exact")
        self.assertLessEqual(len(false), FALSE, false)
        self.assertGreaterEqual(found, FOUND_EXACT * len(WANTED))

    def test_sampled_calls(self):
        """Thirty calls a size are all timed; of the short ones, of which there are 600, about 40 are: that is said, and no law is made of it."""
        found, false = self.best("--times", "auto")
        self.assertLessEqual(len(false), FALSE, false)
        self.assertGreaterEqual(found, FOUND_SAMPLED * len(WANTED))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
