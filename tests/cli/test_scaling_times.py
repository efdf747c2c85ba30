#!/usr/bin/env python3
"""callsig scaling shows the times that callsig report shows of the same recording, though its laws are of what the clock read."""

import json
import re

import harness

# 200,000 calls a size, of which few are timed: most of what the clock reads of `outer` is the hooks of `leaf`.
SAMPLED = """
__attribute__((noinline)) int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((noinline)) int outer(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += leaf(i & 1); return sum; }
int main(void)
{
  for (int n = 1000; n <= 64000; n *= 2)
    for (int i = 0; i < 5; i++)
      outer(n);
  return 0;
}
"""

# Each call of a THOROUGH walk makes a QUICK one of as many steps, within itself.
NESTED = """
#include <callsig/callsig.h>
#include <stdint.h>
#define QUIET __attribute__((no_instrument_function, noinline))
static volatile uint64_t steps = 1;
QUIET static uint64_t read_steps(void *data) { (void)data; return steps; }
enum mode { QUICK, THOROUGH };
__attribute__((noinline)) void walk(int n, enum mode mode)
{
  for (long i = 0; i < (mode == QUICK ? n : n * (long)n); i++) steps++;
  if (mode == THOROUGH) walk(n, QUICK);
}
__attribute__((noinline)) void plain(int n, enum mode mode)
{
  for (long i = 0; i < (mode == QUICK ? n : n * (long)n); i++) steps++;
}
QUIET int main(void)
{
  if (callsig_set_clock(read_steps, 0, 1000000000) != 0) return 1;
  for (int n = 8; n <= 1024; n *= 2) {
    walk(n, THOROUGH);
    plain(n, THOROUGH);
    plain(n, QUICK);
  }
  return 0;
}
"""


class Times(harness.Case):
    def json(self, command, *arguments):
        done = self.callsig(command, "recording", "--format", "json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_sampled_times_are_those_of_the_report(self):
        done = self.callsig("run", "-o", "recording", self.compile("sampled", SAMPLED))
        self.assertEqual(done.returncode, 0, done.stderr)
        for options in ((), ("--raw",), ("--compensate",)):
            report = {row["function"]: row for row in self.json("report", "--by", "function", *options)["rows"]}
            signatures = self.json("report", *options)["rows"]
            found = self.json("scaling", "--all", *options)["functions"]
            self.assertEqual({one["function"] for one in found}, {"main", "outer", "leaf"})
            for one in found:
                row = report[one["function"]]
                own = sum(each["tottime"] for each in signatures if each["function"] == one["function"])
                self.assertEqual((one["ncalls"], one["pcalls"], one["cumtime"]), (row["ncalls"], row["pcalls"], row["cumtime"]))
                self.assertAlmostEqual(one["tottime"], own, places=9)
        raw, shown = ({row["function"]: row["cumtime"] for row in self.json("report", "--by", "function", *options)["rows"]}
                      for options in (("--raw",), ()))
        self.assertLess(shown["outer"], 0.8 * raw["outer"])

    def test_law_says_what_hooks_took(self):
        done = self.callsig("run", "-o", "recording", self.compile("sampled", SAMPLED))
        self.assertEqual(done.returncode, 0, done.stderr)

        def warnings(*options):
            outer = [one for one in self.json("scaling", *options)["functions"] if one["function"] == "outer"][0]
            return [text for text in outer["warnings"] if "hooks" in text]

        if self.json("scaling", "outer")["functions"][0]["law"]:
            self.assertRegex(warnings()[0], r"^hooks took \d+ % of what the clock read, which the law is of: "
                                            r"times by it are those of a run with hooks$")
        self.assertEqual(warnings("--raw"), [])

    def test_time_of_parts(self):
        program = self.compile("nested", NESTED, "-I" + harness.INCLUDE, "-L" + harness.RUNTIME,
                               "-Wl,-rpath," + harness.RUNTIME, libs=["-lcallsig"])
        done = self.callsig("run", "-o", "recording", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        table = self.callsig("scaling", "recording").stdout
        times = {name: time for time, name in
                 re.findall(r"^ *8 +(-|[\d.]+ \w+)  n.*:\d+\((\w+\) \[mode=\w+)\]$", table, re.M)}
        self.assertEqual(times, {"plain) [mode=QUICK": "2.04 us", "plain) [mode=THOROUGH": "1.40 ms",
                                 "walk) [mode=QUICK": "-", "walk) [mode=THOROUGH": "-"}, table)


if __name__ == "__main__":
    harness.main()
