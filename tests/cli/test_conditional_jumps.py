"""Sleds between a comparison and a jump to another function: what clang puts there changes nothing, and no such call is told."""

import json
import re
import shutil

import harness

COMPILERS = ["clang-14", "clang-16", "clang-19"]
SPLIT = ["clang-14", "clang-16"]  # put the sled there
# Two functions that call another one by a condition, which counts its calls itself.
PROGRAM = r"""
#include <stdio.h>
#include <callsig/callsig.h>
int limit = 5;
static long calls;
CALLSIG_NO_INSTRUMENT int main(void);
__attribute__((noinline)) void counted(int n) { calls += n != 0; __asm__ volatile(""); }
KIND __attribute__((noinline)) void above(int n) { if (n > 3) counted(n); }
KIND __attribute__((noinline)) void equal(int n) { if (n != limit) return; counted(n); }
__attribute__((noinline)) void always(int n) { counted(n); }
int main(void)
{
  for (int i = 0; i < 1000; i++) {
    above(i);
    equal(i);
    always(i);
  }
  printf("%ld\n", calls);
  return 0;
}
"""
CALLS = "1996\n"
EVERY = {"above": 1000, "equal": 1000, "always": 1000, "counted": 1997}
WHOLE = {"always": 1000, "counted": 1997}
SAID = "2 functions are not profiled, where clang put a sled between a comparison and its jump to another function"


class ConditionalJumps(harness.Case):
    def record(self, compiler, *flags):
        """What a program of this compiler prints under callsig, the calls of each function, and what was said."""
        source = self.write("program.c", PROGRAM)
        options = ["-g", "-DKIND=", "-I" + harness.INCLUDE, *flags, source, "-o", self.path("program")]
        done = self.run_command(harness.CALLSIG_CC, *options, env={"CALLSIG_CC": compiler})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_command(self.path("program")).stdout, CALLS)
        done = self.callsig("run", "-o", self.path("recording"), self.path("program"))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.callsig("report", "--by", "function", "--format", "json", self.path("recording"))
        self.assertEqual(report.returncode, 0, report.stderr)
        rows = json.loads(report.stdout)["rows"]
        self.assertEqual(re.findall(".*without an entry.*", self.callsig("report", "--notes", self.path("recording")).stdout), [])
        told = self.callsig("index", self.path("program"))
        return done.stdout, {row["function"]: row["ncalls"] for row in rows}, told.stderr

    def each(self, compilers):
        found = [compiler for compiler in compilers if shutil.which(compiler)]
        if not found:
            self.skipTest("none of " + ", ".join(compilers) + " is installed")
        return found

    def test_optimised_for_size(self):
        for compiler in self.each(COMPILERS):
            with self.subTest(compiler=compiler):
                printed, calls, said = self.record(compiler, "-Os")
                self.assertEqual(printed, CALLS)
                self.assertEqual(calls, WHOLE if compiler in SPLIT else EVERY)
                (self.assertIn if compiler in SPLIT else self.assertNotIn)(SAID, said)

    def test_cold(self):
        """clang optimises cold functions for size at every level."""
        printed, calls, said = self.record(self.each(SPLIT)[0], "-O2", "-UKIND", "-DKIND=__attribute__((cold))")
        self.assertEqual(printed, CALLS)
        self.assertEqual(calls, WHOLE)
        self.assertIn(SAID, said)

    def test_avoided(self):
        """Without such jumps every call is told."""
        printed, calls, said = self.record(self.each(SPLIT)[0], "-Os", "-fno-optimize-sibling-calls")
        self.assertEqual(printed, CALLS)
        self.assertEqual(calls, EVERY)
        self.assertEqual(said, "")


if __name__ == "__main__":
    harness.main()
