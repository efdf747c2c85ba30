#!/usr/bin/env python3
# ctest: name oracle.scaling_everyday
# ctest: case - full @PROJECT_BINARY_DIR@
"""callsig scaling on 45 functions as real programs have them (everyday.h), timed by the machine: 39 of a known law, 6 of none
or of one that data make. No figure is of one machine: what is held is how many laws are false, and how many are found.

    test_everyday.py BUILD [--print]

docs/scaling.md has what was measured."""

import os

from judged import BUILD, HERE, Judged, by_function, main

LAWS = {
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
    "n + m": "merge_lists"}
# What may be printed of functions without a law of these: shell sort lies between n log n and n^2, Collatz' sequences and
# Euclid's algorithm take a logarithm of steps on average, and what is random is constant on average.
LAWLESS = {"sort_shell": {"n log n"}, "fibonacci": set(), "greatest_divisor": {"constant", "log a", "log b"},
           "collatz_steps": {"constant", "log n"}, "nap": {"constant"}, "spin_randomly": {"constant"}}
# Of the 39 that have one, by the processor's clock, by the wall's, and by that where calls are sampled.
FOUND_CPU, FOUND_EXACT, FOUND_SAMPLED = 0.65, 0.40, 0.45


class Everyday(Judged):
    WANTED, LAWLESS, CONSTANT_IS_FALSE = by_function(LAWS), LAWLESS, False

    @classmethod
    def compile(cls):
        runtime = os.path.join(BUILD, "profiler")
        cls.run_command("cc", "-O2", "-g", "-finstrument-functions", "-I" + HERE, os.path.join(HERE, "everyday.c"),
                        os.path.join(HERE, "everyday_calls.c"), "-o", cls.program, "-L" + runtime, "-Wl,-rpath," + runtime,
                        "-lcallsig", "-lz", "-lm")

    def test_cpu_clock(self):
        self.check(FOUND_CPU, "--clock", "cpu")

    def test_every_call_by_the_wall_clock(self):
        """On a busy machine the means bear few laws: the shortest calls do, and none is false for that."""
        self.check(FOUND_EXACT, "--times", "exact")

    def test_sampled_calls(self):
        """Thirty calls a size are all timed; of the short ones, of which there are 600, about 40 are: that is said, and no law is made of it."""
        self.check(FOUND_SAMPLED, "--times", "auto")


if __name__ == "__main__":
    main()
