#!/usr/bin/env python3
# ctest: case - quick
"""What is asked of a program is taken soon, counted from its next hook on, however its calls are timed and how long they take.

The program asks itself, as another process does, and counts the calls and the processor time until it is answered: so neither how soon
another process runs on a busy machine matters, nor does one wake it up.
"""

import re
import statistics

import harness

ASKED = 60
MOST_MS = 10
# The kernel's own interrupts, which make any call long, come every four milliseconds where it makes 250 a second: it is not those that are
# waited for.
MOST_MIDDLE_MS = 1

SOURCE = """
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#define APART __attribute__((no_instrument_function))
__attribute__((noipa)) void step(long n) { for (long i = 0; i < n; i++) __asm__ volatile(""); }
static APART uint64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
APART int main(int argc, char **argv)
{
  const long n = atol(argv[1]);
  step(n);
  int file = open(argv[2], O_RDWR);
  volatile uint64_t *header = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (argc < 3 || header == MAP_FAILED)
    return 1;
  volatile uint64_t *asked = header + 52, *taken = header + 53; /* docs/recording-format.md */
  for (int i = 0; i < %d; i++) {
    for (int j = 0; j < 2000000 / (n + 100); j++) /* so that a request is in the middle of what goes on */
      step(n);
    const uint64_t begun = now(), request = ((*taken >> 8) + 1) << 8;
    uint64_t calls = 0;
    for (*asked = request; *taken != request; calls++)
      step(n);
    printf("%%lu calls, %%lu ns\\n", calls, now() - begun);
  }
}
""" % ASKED


class Moment(harness.Case):
    def check(self, sleds, length, *options):
        source = self.write("asks.c", SOURCE)
        compiler = [harness.CALLSIG_CC] if sleds else ["cc", "-finstrument-functions"]
        done = self.run_command(*compiler, "-O1", "-g", source, "-o", self.path("asks"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("run", "-o", "x.out", *options, self.path("asks"), str(length), "x.out")
        self.assertEqual(done.returncode, 0, done.stderr)
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
