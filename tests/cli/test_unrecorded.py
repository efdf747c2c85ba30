#!/usr/bin/env python3
"""Forked processes of which no recording can be made are counted in the one of the process that they come from."""

import os

import harness

# The folder of the recording goes before processes are forked, of which one forks another in turn: that is tried as little as it is counted.
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void __attribute__((noinline)) work(void) { __asm__ volatile(""); }
static void __attribute__((noinline)) child(int depth)
{
  const pid_t made = fork();
  if (made == 0) {
    work();
    if (depth > 0)
      child(depth - 1);
    _exit(0);
  }
  waitpid(made, NULL, 0);
}
int main(int argc, char **argv)
{
  work();
  if (argc > 3 && rename(argv[1], argv[2]) != 0)
    return 1;
  for (int i = argc > 3 ? atoi(argv[3]) : 2; i > 0; i--)
    child(i == 1);
  return 0;
}
"""


class Unrecorded(harness.Case):
    def record(self, count):
        os.mkdir(self.path("here"))
        self.environment["CALLSIG_OUTPUT"] = self.path("here/recording")
        program = self.compile("program", SOURCE, "-L" + harness.RUNTIME, "-Wl,-rpath," + harness.RUNTIME, libs=["-lcallsig"])
        done = self.run_command(program, self.path("here"), self.path("gone"), str(count))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("cannot be created (error 2, no such directory)"), count, done.stderr)
        return self.callsig("report", "gone/recording").stdout

    def test_several(self):
        self.assertIn("\n2 forked processes are not recorded: no recording could be made (disk full, no permission, a limit)\n",
                      self.record(2))

    def test_one(self):
        self.assertIn("\n1 forked process is not recorded: ", self.record(1))

    def test_none(self):
        """A child that has its own recording is counted nowhere, nor is what it forks."""
        program = self.compile("program", SOURCE)
        done = self.callsig("run", "-o", "recording", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("not recorded", self.callsig("report", "recording", "--notes").stdout)


if __name__ == "__main__":
    harness.main()
