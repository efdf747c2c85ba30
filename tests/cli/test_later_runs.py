# ctest: case - quick LaterRuns
"""A program that records itself never writes over a recording: `callsig report` says when what it shows is not the last run."""

import os
import re
import unittest

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

    def test_a_link_to_another_folder(self):
        program = self.compile("program", harness.CALLS)
        os.mkdir(self.path("runs"))
        for _ in range(2):
            self.run_by_itself(program, CALLSIG_OUTPUT=self.path("runs/first"))
        later, = (name for name in os.listdir(self.path("runs")) if name != "first")
        os.symlink("runs/first", self.path("out"))
        where = os.path.join(os.path.realpath(self.path("runs")), later)
        self.assertIn(f"out is not the last run: {where} began", self.said())
        self.assertIn(f"runs/first is not the last run: runs/{later} began", self.said("runs/first"))

    @unittest.skipIf(os.geteuid() != 0, "gives a file to another user")
    def test_recordings_of_others(self):
        program = self.compile("program", harness.CALLS)
        for _ in range(2):
            self.run_by_itself(program)
        later, = (name for name in os.listdir(self.folder) if re.fullmatch(r"out\.\d+", name))
        os.chown(self.path(later), 12345, 12345)
        self.assertEqual(self.said(), "")
        os.chown(self.path("out"), 12345, 12345)
        self.assertIn(f"out is not the last run: {later} began", self.said())

    def test_what_lies_beside(self):
        """Files of any kind under such names, whoever made them: none is waited for, taken for a recording, or removed."""
        program = self.compile("program", harness.CALLS)
        self.run_by_itself(program)
        os.mkfifo(self.path("out.1"))
        os.mkdir(self.path("out.2"))
        os.symlink("out", self.path("out.3"))
        os.symlink("out.4", self.path("out.4"))
        for name, text in (("out.5", ""), ("out.6", "CALLSIG"), ("out.7\n", "x"), ("out.99999999999999999999999", "x" * 8192), ("out.8.9.10", "x"), ("out.", "x")):
            self.write(name, text)
        with open(self.path("out"), "rb") as file, open(self.path("out.11"), "wb") as copy:
            copy.write(file.read())  # of another process than its name says
        names = sorted(os.listdir(self.folder))
        self.assertEqual(self.said(), "")
        self.assertEqual(sorted(os.listdir(self.folder)), names)

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
