#!/usr/bin/env python3
# ctest: case - quick
"""A forked child has of its parent what the parent knows of the program's modules, and what its hooks cost."""

import glob
import json
import os
import shutil
import unittest

import harness

# work() in the main process and in so many generations of children, each the parent of the next one, which before it calls anything does what
# argv[2] says: `user`: it becomes another one; `cut`: the first recording ends behind its first page; else a folder takes the place of that file.
GENERATIONS = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#define APART __attribute__((no_instrument_function))
static int __attribute__((noinline)) twice(int n) { return n * 2; }
static int __attribute__((noinline)) work(int n) { return twice(n) - 2 * n; }
static APART int deny(const char *what)
{
  char inner[4096];
  if (strcmp(what, "user") == 0)
    return geteuid() == 65534 ? 0 : setresuid(65534, 65534, 65534);
  if (strcmp(what, "cut") == 0)
    return truncate(getenv("CALLSIG_OUTPUT"), 4096);
  unlink(what);
  mkdir(what, 0700);
  return mkdir(strcat(strcpy(inner, what), "/x"), 0700) * 0;
}
int main(int argc, char **argv)
{
  int status = work(0), left = argc > 2 ? atoi(argv[1]) : 0;
  for (int n = 1; n <= left; n++) {
    const pid_t child = fork();
    if (child != 0)
      return waitpid(child, &status, 0) != child || status;
    if (deny(argv[2]) != 0)
      _exit(3);
    status = work(n);
  }
  return status;
}
"""
CALLS = {"work(n=0)": 1, "work(n=1)": 1, "work(n=2)": 1, "twice(n=0)": 1, "twice(n=1)": 1, "twice(n=2)": 1}


class Forked(harness.Case):
    def check(self, sleds, argument, recording):
        compiler = {"compiler": harness.CALLSIG_CC, "instrument": False} if sleds else {}
        program = self.compile("forks", GENERATIONS, **compiler)
        done = self.callsig("index", "--cache", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        argument = argument or glob.glob(os.path.join(self.environment["CALLSIG_CACHE_DIR"], "*"))[0]
        done = self.callsig("run", "-o", recording, program, "2", argument)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("unknown", done.stderr)
        rows = json.loads(self.callsig("report", "--format", "json", recording).stdout)["rows"]
        self.assertEqual({row["signature"]: row["ncalls"] for row in rows if "(n=" in row["signature"]}, CALLS)

    def test_index_that_cannot_be_read_again(self):
        for sleds in (False, True):
            with self.subTest(sleds=sleds):
                self.check(sleds, None, "r")
                shutil.rmtree(self.environment["CALLSIG_CACHE_DIR"])

    def test_recording_that_is_cut(self):
        """Where the parent's has no index any more, the child has that of the cache."""
        program = self.compile("forks", GENERATIONS)
        self.callsig("run", "--apart", "-o", "r", program, "1", "cut")
        child, = glob.glob(self.path("r.*"))
        rows = json.loads(self.callsig("report", "--format", "json", child).stdout)["rows"]
        self.assertEqual({row["signature"]: row["ncalls"] for row in rows if "(n=" in row["signature"]}, {"work(n=1)": 1, "twice(n=1)": 1})

    @unittest.skipUnless(os.geteuid() == 0, "another user can be had by root alone")
    def test_children_of_another_user(self):
        """They cannot read their parent's cache."""
        os.chmod(self.folder, 0o1777)
        for sleds in (False, True):
            with self.subTest(sleds=sleds):
                self.check(sleds, "user", self.path(f"r{sleds}"))


if __name__ == "__main__":
    harness.main()
