#!/usr/bin/env python3
# ctest: case - quick
"""What is asked of a program is taken soon, counted from its next hook on, however its calls are timed and how long they take.

tests/support/asks.c asks itself, and tells after how many calls and how much processor time it was answered.
"""

import os
import re
import statistics

import harness

ASKED = 60
MOST_MS = 10
# The kernel's own interrupts, which make any call long, come every four milliseconds where it makes 250 a second: it is not those that are
# waited for.
MOST_MIDDLE_MS = 1

SOURCE = os.path.join(harness.TOP, "tests", "support", "asks.c")


class Moment(harness.Case):
    def check(self, sleds, length, *options):
        compiler = [harness.CALLSIG_CC] if sleds else ["cc", "-finstrument-functions"]
        done = self.run_command(*compiler, "-O1", "-g", SOURCE, "-o", self.path("asks"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("run", "-o", "x.out", *options, self.path("asks"), str(length), "x.out", str(ASKED))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = [(int(calls), int(ns) / 1e6) for calls, ns in re.findall(r"(\d+) calls, (\d+) ns", done.stdout)]
        self.assertEqual(len(found), ASKED, done.stdout)
        times = sorted(ms for _, ms in found)
        told = f"{options}, {length}: {found}"
        self.assertLess(times[-1], MOST_MS, told)
        self.assertLess(statistics.median(times), MOST_MIDDLE_MS, told)


def add(name, *options):
    for sleds in (False, True):
        for length in (1, 300, 10000):
            def test(self, sleds=sleds, length=length):
                self.check(sleds, length, *options)
            setattr(Moment, f"test_{name}_{'sleds' if sleds else 'hooks'}_{length}", test)


add("sampled")
add("every_call_timed", "--times", "exact")
add("percentiles", "--times", "exact", "--percentiles")
add("percentiles_of_a_sample", "--times", "auto", "--percentiles")
add("timeline", "--timeline")
add("budget", "--overhead", "1.1")
add("processor_time", "--clock", "cpu")


if __name__ == "__main__":
    harness.main()
