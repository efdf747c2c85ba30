#!/usr/bin/env python3
"""Calls that were open when recording was switched off have ended then, whatever their threads do later."""

import subprocess
import time

import harness

# One thread waits in two calls and has no hook that could notice; the other one takes what is asked.
SOURCE = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#define CALLED __attribute__((noinline))
static CALLED int inner(int n) { sleep(3600); return n; }
static void *outer(void *data) { return inner(7) ? data : NULL; }
static CALLED void tick(void) { usleep(2000); }
int main(void)
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, outer, NULL))
    return 1;
  tick();
  puts("ready");
  fflush(stdout);
  for (;;)
    tick();
}
"""
OFF = "2 calls were open when recording was switched off; the innermost: program.c:6(inner(n=7))"


class OpenCalls(harness.Case):
    def test_switched_off(self):
        program = self.compile("program", SOURCE, "-pthread")
        run = subprocess.Popen([harness.CALLSIG, "run", "-o", "x.out", program], cwd=self.folder, env=self.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(run.wait)
        self.addCleanup(run.terminate)
        self.addCleanup(run.stdout.close)
        self.assertEqual(run.stdout.readline(), "ready\n")
        time.sleep(0.2)
        self.assertIn("calls are open;", self.callsig("report", "x.out", "--strip-dirs").stdout)
        self.assertEqual(self.callsig("ctl", "x.out", "off").returncode, 0)
        runs = self.callsig("report", "x.out", "--strip-dirs").stdout
        self.assertIn(OFF, runs)
        self.assertNotIn("are open", runs)
        run.terminate()
        run.wait()
        ended = self.callsig("report", "x.out", "--strip-dirs").stdout
        self.assertIn(OFF, ended)
        self.assertNotIn("still open", ended)


if __name__ == "__main__":
    harness.main()
