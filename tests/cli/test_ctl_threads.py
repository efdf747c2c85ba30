#!/usr/bin/env python3
# ctest: case - full
"""Recording is switched 10,000 times from outside, or made to count from zero, while threads call and threads come and go: nothing is
lost, and counts are exact afterwards.

The requests are written here as docs/recording-format.md describes them, since 10,000 commands would take minutes.
"""

import json
import mmap
import shutil
import struct
import subprocess
import time
import unittest

import harness

SWITCHES = 10000
REQUEST, TAKEN, REFUSAL, IS_OFF, LOSS = 416, 424, 432, 436, 160
ON, OFF, RESET = 1, 2, 3

SOURCE = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLED __attribute__((noinline))
static volatile int stop, rests;
static int resting, pause_us = 1000;
static CALLED int leaf(int n) { __asm__ volatile(""); return n + 1; }
static CALLED int twice(int n) { return leaf(n) + leaf(n & 1); }
static CALLED int down(int n) { return n ? down(n - 1) + leaf(n) : 0; }
static CALLED void counted(void) { __asm__ volatile(""); }
static CALLED int waits(int n) { __asm__ volatile(""); return n; }
static CALLED void *work(void *data)
{
  while (!stop) {
    for (int i = 0; i < 100; i++)
      twice(i);
    down(5);
    if (rests) {
      __atomic_add_fetch(&resting, 1, __ATOMIC_SEQ_CST);
      while (rests)
        usleep(100);
      for (int i = 0; i < 1000; i++)
        waits(twice(i & 1));
    }
  }
  return data;
}
static CALLED void *brief(void *data) { twice(3); return data; }
static void *renew(void *data)
{
  while (!stop) {
    pthread_t thread;
    pthread_create(&thread, NULL, brief, NULL);
    pthread_join(thread, NULL);
    if (pause_us)
      usleep(pause_us);
    if (rests)
      __atomic_add_fetch(&resting, 1, __ATOMIC_SEQ_CST);
    while (rests)
      usleep(100);
  }
  return data;
}
int main(int argc, char **argv)
{
  pthread_t threads[4];
  char line[16];
  if (argc > 1)
    pause_us = atoi(argv[1]);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, i ? work : renew, NULL);
  printf("started\\n");
  while (fgets(line, sizeof line, stdin) && line[0] != 's') /* until all was switched */
    if (line[0] == 'r') { /* the threads rest; main alone makes calls, until it is told to go on */
      rests = 1;
      while (__atomic_load_n(&resting, __ATOMIC_SEQ_CST) < 4)
        usleep(100);
      printf("rest\\n");
    } else if (line[0] == 'c') {
      counted();
      printf("called\\n");
    }
  stop = 1;
  rests = 0;
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 12345; i++)
    counted();
  return 0;
}
"""


class Threads(harness.Case):
    def compiled(self, sleds):
        if not sleds:
            return self.compile("program", SOURCE, "-pthread")
        self.write("program.c", SOURCE)
        done = self.run_command(harness.CALLSIG_CC, "-O1", "-g", "-pthread", "program.c", "-o", self.path("program"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path("program")

    def ask(self, header, number, kind, is_off=False):
        request = number << 8 | kind
        struct.pack_into("<Q", header, REQUEST, request)
        until = time.monotonic() + 60
        while struct.unpack_from("<Q", header, TAKEN)[0] != request:
            self.assertIsNone(self.run_.poll(), "the program ended")
            self.assertLess(time.monotonic(), until, f"request {number} was not taken")
        self.assertEqual(struct.unpack_from("<iI", header, REFUSAL), (0, int(is_off)))

    def switch_often(self, sleds, *options):
        self.run_ = subprocess.Popen([harness.CALLSIG, "run", "-o", "x.out", *options, self.compiled(sleds)], cwd=self.folder,
                                     env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.run_.communicate)
        self.assertEqual(self.run_.stdout.readline(), "started\n")
        with open(self.path("x.out"), "r+b") as file, mmap.mmap(file.fileno(), 4096) as header:
            for number in range(1, SWITCHES + 1):
                self.ask(header, number, OFF if number % 2 else ON, is_off=number % 2 == 1)
                if number % 1000 == 0:
                    self.assertEqual(self.callsig("ctl", "x.out", "status").returncode, 0)
            out, err = self.run_.communicate("s\n", timeout=120)
            self.assertEqual((self.run_.returncode, out, err), (0, "", ""))
            loss = struct.unpack_from("<16Q", header, LOSS)
        # Not recorded for want of space, within a hook, after the thread's end; exits without an entry.
        self.assertEqual([loss[i] for i in (0, 1, 2, 6)], [0, 0, 0, 0])
        counts = self.counts()
        self.assertEqual(counts["counted"], 12345)
        self.assertGreater(counts["leaf"], 0)

    def say(self, line):
        self.run_.stdin.write(line + "\n")
        self.run_.stdin.flush()
        return self.run_.stdout.readline()

    def reset_often(self, sleds, *options, switches=False):
        """Threads' periods begin with hooks of their own. So calls are known of a period that all of them begin at rest."""
        self.run_ = subprocess.Popen([harness.CALLSIG, "run", "-o", "x.out", *options, self.compiled(sleds)], cwd=self.folder,
                                     env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.run_.communicate)
        self.assertEqual(self.run_.stdout.readline(), "started\n")
        with open(self.path("x.out"), "r+b") as file, mmap.mmap(file.fileno(), 4096) as header:
            for number in range(1, SWITCHES // 10 + 1):
                is_off = switches and number // 4 % 4 == 1
                self.ask(header, number, RESET if number % 4 or not switches else OFF if is_off else ON, is_off)
                if number % 500 == 0:
                    done = self.callsig("report", "x.out", "--by", "function", "--format", "json")
                    self.assertEqual(done.returncode, 0, done.stderr)
            number += 1
            self.ask(header, number, ON)
            self.assertEqual(self.say("r"), "rest\n")
            number += 1
            struct.pack_into("<Q", header, REQUEST, number << 8 | RESET)
            while struct.unpack_from("<Q", header, TAKEN)[0] != number << 8 | RESET:
                self.assertEqual(self.say("c"), "called\n")
            counts = self.counts()
            self.assertEqual((counts.get("waits"), counts.get("down"), counts.get("work")), (None, None, None if switches else 0))
            out, err = self.run_.communicate("s\n", timeout=120)
            self.assertEqual((self.run_.returncode, out, err.strip()), (0, "", ""))
            loss = struct.unpack_from("<16Q", header, LOSS)
        self.assertEqual([loss[i] for i in (0, 1, 6)], [0, 0, 0])
        counts = self.counts()
        self.assertEqual((counts["waits"], counts.get("work")), (3000, None if switches else 0))
        self.assertIn(counts["counted"], range(12345, 12400))
        self.assertEqual((counts["twice"], counts["leaf"]), (3000, 6000))

    def counts(self):
        done = self.callsig("report", "x.out", "--by", "function", "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}

    def test_reset_hooks(self):
        self.reset_often(False)

    def test_reset_sleds(self):
        self.reset_often(True)

    def test_reset_every_call_timed(self):
        self.reset_often(True, "--times", "exact", "--timeline", "--percentiles", switches=True)

    def test_hooks(self):
        self.switch_often(False)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_births(self):
        """Threads are born one after another, and each is slow where its first call has found that recording is off: what is called then is not lost
        if recording is on again at the end of that."""
        slow = ["strace", "-f", "-o", "/dev/null", "-e", "trace=rt_sigprocmask", "-e", "inject=rt_sigprocmask:delay_exit=3000"]
        self.run_ = subprocess.Popen([harness.CALLSIG, "run", "-o", "x.out", *slow, self.compiled(False), "0"], cwd=self.folder,
                                     env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.run_.communicate)
        self.assertEqual(self.run_.stdout.readline(), "started\n")
        with open(self.path("x.out"), "r+b") as file, mmap.mmap(file.fileno(), 4096) as header:
            for number in range(1, SWITCHES // 5 + 1):
                self.ask(header, number, OFF if number % 2 else ON, is_off=number % 2 == 1)
                time.sleep(0.002)
            _, err = self.run_.communicate("s\n", timeout=120)
            self.assertEqual(self.run_.returncode, 0, err)
            loss = struct.unpack_from("<16Q", header, LOSS)
        self.assertEqual([loss[i] for i in (0, 1, 2, 6)], [0, 0, 0, 0])
        self.assertEqual(self.counts()["counted"], 12345)

    def test_hooks_every_call_timed(self):
        self.switch_often(False, "--times", "exact")

    def test_sleds(self):
        self.switch_often(True)

    def test_sleds_every_call_timed(self):
        self.switch_often(True, "--times", "exact", "--timeline", "--percentiles")


if __name__ == "__main__":
    harness.main()
