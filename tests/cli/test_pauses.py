#!/usr/bin/env python3
"""How long recording was off is told once, of all processes of a family."""

import harness

SOURCE = """
#include <sys/wait.h>
#include <unistd.h>
#define CALLED __attribute__((noinline))
static CALLED void work(int n) { usleep(20000u + (unsigned)n); }
/* Each child executes it with an argument of its own: processes of one command line are one in the family. */
int main(int argc, char **argv)
{
  char number[] = "0";
  for (; argc == 1 && number[0] < '3'; number[0]++)
    if (fork() == 0)
      return execl(argv[0], argv[0], number, (char *)NULL);
  do
    work(argc);
  while (wait(NULL) > 0);
  return 0;
}
"""

SLOW_START = """
#include <unistd.h>
__attribute__((constructor, no_instrument_function)) static void begins(void) { usleep(100000); }
int main(void) { return 0; }
"""


class Pauses(harness.Case):
    def test_family(self):
        done = self.callsig("run", "--off", "-o", "x.out", self.compile("program", SOURCE))
        self.assertEqual(done.returncode, 0, done.stderr)
        table = self.callsig("report", "x.out", "--notes").stdout
        lines = [line for line in table.splitlines() if "recording was off" in line]
        self.assertEqual(len(lines), 1, table)
        self.assertRegex(lines[0], r"^4 processes: recording was off for \d+\.\d+ of \d+\.\d+ seconds in all: ")

    def test_before_the_first_call(self):
        """A program that records nothing was off all the time, what it did before its first call included."""
        done = self.callsig("run", "--off", "-o", "x.out", self.compile("slow", SLOW_START, compiler=harness.CALLSIG_CC, instrument=False))
        self.assertEqual(done.returncode, 0, done.stderr)
        table = self.callsig("report", "x.out", "--notes").stdout
        self.assertRegex(table, r"recording was off for (0\.[1-9]\d*|[1-9]\d*\.\d+) of \1 seconds: ")


if __name__ == "__main__":
    harness.main()
