"""--below counts the calls under a function, recursion right, and --depth those that are not too deep."""

import json
import os

import harness
from harness import Case, INCLUDE, RUNTIME

# Each function takes so many steps of a clock that nothing else moves: a 100, b 10, c 1, main 1000. a and b call each other.
PROGRAM = r"""
#include <callsig/callsig.h>
#define PLAIN __attribute__((no_instrument_function))
static uint64_t steps;
static PLAIN uint64_t read_steps(void *data) { (void)data; return steps; }
static PLAIN __attribute__((constructor)) void set_clock(void) { callsig_set_clock(read_steps, 0, 1000000000); }
static void __attribute__((noinline)) a(int depth);
static void __attribute__((noinline)) c(void) { steps += 1; }
static void __attribute__((noinline)) b(int depth) { steps += 10; c(); if (depth > 0) a(depth - 1); }
static void __attribute__((noinline)) a(int depth) { steps += 100; c(); b(depth); }
int main(void) { a(2); b(0); steps += 1000; return 0; }
"""

NOTE = "2 calls below what --below names entered again what is around it"


class Below(Case):
    def setUp(self):
        super().setUp()
        self.compile("calls", PROGRAM, "-I" + INCLUDE, libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME))
        self.assertEqual(self.callsig("run", "-o", "a.out", "./calls").returncode, 0)

    def report(self, *options, by="function", key="function"):
        done = self.callsig("report", "--format", "json", "--raw", "--by", by, *options, "a.out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(done.stdout)
        rows = {row[key]: tuple([row["ncalls"], row["pcalls"]] + [round(row[time] * 1e9) for time in ("tottime", "cumtime")])
                for row in document["rows"]}
        return rows, any(NOTE in note for note in document["notes"])

    def test_subtrees(self):
        whole = {"main": (1, 1, 1000, 1347), "a": (3, 1, 300, 336), "b": (4, 2, 40, 246), "c": (7, 7, 7, 7)}
        self.assertEqual(self.report(), (whole, False))
        self.assertEqual(self.report("--below", r"\(main\)"), (whole, False))
        self.assertEqual(self.report("--below", "no_such"), ({}, False))
        # All that a calls, b's one outside of it not; a match inside of a match counts once.
        below_a = {"a": (3, 1, 300, 336), "b": (3, 1, 30, 235), "c": (6, 6, 6, 6)}
        self.assertEqual(self.report("--below", r"\(a\)"), (below_a, False))
        self.assertEqual(self.report("--below", r"\((main|a|b)\)"), (whole, False))
        # a is around b, and called by it: its own calls and times are known, and not which of its callees are below b.
        below_b = {"a": (2, 1, 200, 224), "b": (4, 2, 40, 246), "c": (4, 4, 4, 4)}
        self.assertEqual(self.report("--below", r"\(b\)"), (below_b, True))

    def test_of_a_run(self):
        """The run records that alone; what is said wrongly is told before the program runs. cli.below_run has what is recorded."""
        done = self.callsig("run", "--below", r"\(a\)", "--depth", "1", "./calls")
        self.assertEqual([line.split("(")[-2] for line in done.stderr.splitlines() if "calls.c:" in line], ["a"] * 3, done.stderr)
        self.assertIn("3 function calls in", done.stderr)
        self.assertEqual(json.loads(self.callsig("report", "--format", "json", "callsig.out").stdout)["total_calls"], 3)
        # By variables too, as a program that is attached to has them; of another thing there is nothing.
        done = self.callsig("run", "-o", "b.out", "./calls", env={"CALLSIG_BELOW": r"\(c\)"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(self.callsig("report", "--format", "json", "b.out").stdout)["total_calls"], 7)
        self.assertIn("none that --below is of", self.callsig("run", "--below", "no such", "./calls").stderr)
        self.assertIn("CALLSIG_DEPTH=x is not", self.callsig("run", "./calls", env={"CALLSIG_DEPTH": "x"}).stderr)
        for options in (("--below", "("), ("--depth", "0"), ("--below", "(", "-o", "c.out")):
            done = self.callsig("run", *options, "./calls")
            self.assert_fails(done, 2, options[0])
            self.assertFalse(os.path.exists(self.path("c.out")))

    def test_beside(self):
        """Beside the times of another run, which has no such part, all calls are recorded, and the table cuts."""
        self.compile("plain", harness.CALLS)
        done = self.callsig("run", "--beside", "--below", r"\(twice\)", "./plain")
        self.assertEqual(len([line for line in done.stderr.splitlines() if "plain.c:" in line and "(work)" in line]), 0, done.stderr)
        self.assertEqual(json.loads(self.callsig("report", "--format", "json", "callsig.out").stdout)["total_calls"], 5)

    def test_groups(self):
        # The time of the whole part, though main is around it in the same thread and module.
        for group in "module", "process":
            rows, _ = self.report("--below", r"\(b\)", by=group, key=group)
            self.assertEqual(list(rows.values()), [(10, 2, 244, 246)], group)
            rows, _ = self.report("--below", r"\(c\)", by=group, key=group)
            self.assertEqual(list(rows.values()), [(7, 7, 7, 7)], group)
        rows, _ = self.report("--below", r"\(a\)", by="signature", key="signature")
        self.assertEqual(rows["a(depth=2)"], (1, 1, 100, 336))
        self.assertEqual(rows["b(depth=0)"], (1, 1, 10, 11))

    def test_depth(self):
        self.assertEqual(self.report("--depth", "1"), ({"main": (1, 1, 1000, 1347)}, False))
        two = {"main": (1, 1, 1000, 1347), "a": (3, 1, 300, 336), "b": (1, 1, 10, 11)}
        self.assertEqual(self.report("--depth", "2"), (two, False))
        self.assertEqual(self.report("--below", r"\(a\)", "--depth", "1"), ({"a": (3, 1, 300, 336)}, False))
        self.assertEqual(self.report("--below", r"\(b\)", "--depth", "1"), ({"b": (4, 2, 40, 246)}, False))
        for wrong in "0", "-1", "x", "":
            self.assert_fails(self.callsig("report", "--depth", wrong, "a.out"), 2, "--depth")
        self.assert_fails(self.callsig("report", "--below", "(", "a.out"), 2, "--below")

    def stacks(self, *options):
        done = self.callsig("export", "--to", "folded", "--by", "function", "--raw", *options, "a.out")
        self.assertEqual((done.returncode, done.stderr.count(NOTE)), (0, 0), done.stderr)
        stacks = {}
        for line in done.stdout.splitlines():
            stack, amount = line.rsplit(" ", 1)
            names = ";".join(frame.rsplit("(", 1)[-1].rstrip(")") for frame in stack.split(";"))
            stacks[names] = stacks.get(names, 0) + int(amount)
        return stacks

    def test_exports(self):
        whole = self.stacks()
        self.assertEqual(sum(whole.values()), 1347)
        # A frame is as wide as all that is in it, at any depth.
        self.assertEqual(self.stacks("--depth", "1"), {"main": 1347})
        self.assertEqual(self.stacks("--depth", "2"), {"main": 1000, "main;a": 336, "main;b": 11})
        below = self.stacks("--below", r"\(a\)")
        self.assertEqual(below, {stack: amount for stack, amount in whole.items() if stack.startswith("main;a")})
        done = self.callsig("export", "--to", "callgrind", "--by", "function", "--raw", "--below", r"\(a\)", "a.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("summary: 336\n", done.stdout)
        self.assertIn("calls=1 10\n11 336\n", done.stdout)


if __name__ == "__main__":
    harness.main()
