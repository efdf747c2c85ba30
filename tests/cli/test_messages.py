#!/usr/bin/env python3
"""Lines on stderr that tell of a rare failure: what leads to each, what it says, and that the program runs on."""

import os
import re

import harness

PROGRAM = """
static int __attribute__((noinline)) twice(int n) { return n * 2; }
int main(void) { return twice(3) != 6; }
"""
# Calls that come faster than anybody looks at them.
BURST = """
#include <stdlib.h>
static int __attribute__((noinline)) parse(int n) { __asm__ volatile("" : "+r"(n)); return n; }
int main(int argc, char **argv) { int s = 0; (void)argc; for (int i = 0; i < atoi(argv[1]); i++) s += parse(i & 7); return s == 1; }
"""
# The library's own functions, with options that it cannot take.
OPTIONS = """
#include <callsig/callsig.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  static char bytes[1 << 20];
  struct callsig_stage_options options = {.size = sizeof bytes, .name = "one"};
  struct callsig_stage *stage = NULL;
  memcpy(bytes, &options, sizeof options);
  int first = callsig_stage_open((void *)bytes, &stage);
  options.size = sizeof options + 8;
  memcpy(bytes, &options, sizeof options);
  bytes[sizeof options + 3] = 1;
  int second = callsig_stage_open((void *)bytes, &stage);
  printf("%d %d %d\\n", first == -EINVAL, second == -EINVAL, stage == NULL);
  return 0; }
"""


class Runtime(harness.Case):
    def run_preloaded(self, *lines, **environment):
        """Runs a program with the library, and these settings (None: without); what it says is one line, with these words."""
        program = self.compile("program", PROGRAM)
        settings = {**self.environment, "LD_PRELOAD": os.path.join(harness.RUNTIME, "libcallsig.so"), "CALLSIG_OUTPUT": self.path("rec.out"), **environment}
        done = self.run_command("env", "-i", *[f"{name}={value}" for name, value in settings.items() if value is not None], program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for words in ("callsig: ", *lines):
            self.assertIn(words, done.stderr)
        report = self.callsig("report", "--by", "function", "rec.out")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn(" 2 function calls ", report.stdout)

    def command(self, text):
        """What stands for callsig where the library has an index made."""
        return self.write("command", f"#!/bin/sh\n{text}\n", 0o755)

    def test_clock(self):
        self.run_preloaded("CALLSIG_CLOCK=moon is neither wall nor cpu: wall is used", CALLSIG_CLOCK="moon")

    def test_no_folder_for_indexes(self):
        self.run_preloaded("no folder for signature indexes: set HOME or CALLSIG_CACHE_DIR", CALLSIG_CACHE_DIR=None, HOME=None, XDG_CACHE_HOME=None)

    def test_the_command_fails(self):
        command = self.command("exit 3")
        self.run_preloaded("program: no signature index: ", f"'{command} index' failed: run it on this file to see why", CALLSIG_COMMAND=command)

    def test_the_command_is_missing(self):
        self.run_preloaded("program: no signature index, and '/nowhere/callsig' cannot be run to make it (error 2): set CALLSIG_COMMAND",
                           CALLSIG_COMMAND="/nowhere/callsig")

    def test_the_command_makes_none(self):
        self.run_preloaded("program: its file is not the one that is running: start the program again", CALLSIG_COMMAND=self.command("exit 0"))

    def test_the_index_is_damaged(self):
        damage = f"'{harness.CALLSIG}' \"$@\"\nfor file in \"$CALLSIG_CACHE_DIR\"/*.csi; do printf damaged >\"$file\"; done"
        self.run_preloaded(".csi: not a sound signature index (error ", "): remove it", CALLSIG_COMMAND=self.command(damage))

    def test_options(self):
        program = self.compile("options", OPTIONS, "-I" + harness.INCLUDE, instrument=False,
                               libs=("-L" + harness.RUNTIME, "-lcallsig", "-Wl,-rpath," + harness.RUNTIME))
        done = self.run_command(program, env={"CALLSIG_OUTPUT": self.path("options.out")})
        self.assertEqual((done.returncode, done.stdout), (0, "1 1 1\n"), done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("callsig_stage_open(): its options cannot be 1048576 bytes long: set `size` to the size of their structure", lines[0])
        self.assertRegex(lines[1], r"callsig_stage_open\(\): this library .* does not know an option that was set, in byte \d+ of its structure")


class Command(harness.Case):
    def test_no_dynamic_linker(self):
        program = self.compile("program", PROGRAM, "-Wl,--dynamic-linker,/nowhere/ld.so")
        self.assert_fails(self.callsig("run", program), 1, "program: its dynamic linker /nowhere/ld.so cannot be run: No such file")

    def test_too_large_to_read(self):
        program = self.compile("program", PROGRAM)
        self.assertEqual(self.callsig("run", "-o", "rec.out", program).returncode, 0)
        os.truncate(self.path("rec.out"), 1 << 42)
        done = self.run_command("sh", "-c", f"ulimit -v 8000000; exec '{harness.CALLSIG}' report rec.out")
        self.assert_fails(done, 1, "rec.out: too large to read: 4398046511104 bytes")

    def test_calls_that_triggers_missed(self):
        program = self.compile("program", BURST)
        done = self.callsig("run", "--trigger", "parse(n >= 4096) > 1ns", program, "300000", env={"CALLSIG_TIMELINE_SPANS": "64"})
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.search(r"^callsig: run: (\d+) calls were gone before triggers looked at them: keep more with CALLSIG_TIMELINE_SPANS$", done.stderr, re.M)
        self.assertTrue(found, done.stderr)
        self.assertTrue(0 < int(found[1]) <= 300001, found[1])


if __name__ == "__main__":
    harness.main()
