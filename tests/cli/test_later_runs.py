# ctest: case - quick LaterRuns
"""A program that records itself never writes over a recording: `callsig report` says when what it shows is not the last run."""

import os
import re

import harness

FORKS = """
#include <sys/wait.h>
#include <unistd.h>
static int __attribute__((noinline)) work(int n) { return n + 1; }
int main(void)
{
  if (fork() == 0)
    return work(1) == 0;
  wait(NULL);
  return work(2) == 0;
}
"""


class LaterRuns(harness.Case):
    def run_by_itself(self, program, **environment):
        library = os.path.join(harness.RUNTIME, "libcallsig.so")
        done = self.run_command(program, env={"LD_PRELOAD": library, "CALLSIG_OUTPUT": self.path("out"), **environment})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def said(self, path="out"):
        done = self.callsig("report", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("function calls", done.stdout)
        return done.stderr

    def test_a_run_that_kept_clear(self):
        program = self.compile("program", harness.CALLS)
        self.run_by_itself(program)
        self.assertEqual(self.said(), "")
        self.run_by_itself(program)
        beside = [name for name in os.listdir(self.folder) if re.fullmatch(r"out\.\d+", name)]
        self.assertEqual(len(beside), 1)
        said = self.said()
        self.assertEqual(len(said.splitlines()), 1)
        self.assertIn(f"out is not the last run: {beside[0]} began", said)
        self.assertEqual(self.said(beside[0]), "")
        self.run_by_itself(program)
        self.assertIn("out is not the last run: 2 recordings beside it", self.said())
        # By another name of it, and among others, which are all shown.
        self.assertIn("./out is not the last run", self.said("./out"))
        both = self.callsig("report", "out", beside[0])
        self.assertEqual((both.returncode, both.stderr), (0, ""))

    def test_processes_of_the_same_run(self):
        program = self.compile("forks", FORKS)
        self.run_by_itself(program)
        self.assertEqual(len([name for name in os.listdir(self.folder) if name.startswith("out.")]), 1)
        self.assertEqual(self.said(), "")

    def test_a_run_of_callsig_replaces(self):
        program = self.compile("program", harness.CALLS)
        self.run_by_itself(program)
        self.assertEqual(self.callsig("run", "-o", "out", program).returncode, 0)
        self.assertEqual(self.said(), "")


if __name__ == "__main__":
    harness.main()
