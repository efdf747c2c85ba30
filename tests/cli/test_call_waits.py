"""callsig_call_waited(): a part of a call's time that is told later is a row below its own, and what cannot be told is refused."""

import json
import os
import subprocess

import harness
from harness import Case, INCLUDE, RUNTIME

PROGRAM = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
static const char *const waits[] = {"late sender", "late receiver"};
static struct callsig_call *last;
__attribute__((no_instrument_function)) static unsigned long long now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}
static int polls;
__attribute__((noinline)) void call(int n)
{
  struct timespec t = {0, n * 1000000};
  const unsigned long long end = now() + n * 1000000ull;
  last = callsig_call_innermost(waits, 2);
  if (!polls)
    nanosleep(&t, NULL);
  while (polls && now() < end)
    ;
}
__attribute__((noinline)) void recursive(int n)
{
  if (n > 0)
    recursive(n - 1);
  else
    call(7);
}
static void *thread(void *data)
{
  call(2);
  return data;
}
int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  polls = strcmp(mode, "polls") == 0;
  unsigned long long begin = now();
  call(40);
  struct callsig_call *first = last;
  call(20);
  struct callsig_call *other = last;
  call(40);
  printf("%d %d ", first != NULL, first == last && first != other);
  if (strcmp(mode, "reset") == 0)
    callsig_reset();
  if (strcmp(mode, "threads") == 0) {
    pthread_t id;
    for (int i = 0; i < 200; i++) {
      pthread_create(&id, NULL, thread, NULL);
      pthread_join(id, NULL);
      if (i == 150)
        other = last;
    }
  }
  if (strcmp(mode, "recursive") == 0) {
    recursive(3);
    printf("%d ", callsig_call_waited(last, 0, begin, 5000000));
  }
  if (strcmp(mode, "off") == 0) {
    callsig_disable();
    call(1);
    printf("%d ", last == NULL);
  }
  printf("%d ", callsig_call_waited(first, 0, begin, 30000000));
  printf("%d ", callsig_call_waited(first, 0, begin, 20000000));
  printf("%d ", callsig_call_waited(other, 1, begin, 5000000000));
  printf("%d\n", callsig_call_waited(first, 2, begin, 1));
  return 0;
}
"""


class CallWaits(Case):
    def setUp(self):
        super().setUp()
        self.compile("p", PROGRAM, "-I" + INCLUDE, libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))

    def record(self, *arguments, options=("--times", "exact")):
        done = self.callsig("run", "-o", "p.out", *options, self.path("p"), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def rows(self, by="signature"):
        done = self.callsig("report", "p.out", "--format", "json", "--by", by)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["signature"] or row["function"]: row for row in json.loads(done.stdout)["rows"]}

    def test_rows(self):
        self.assertEqual(self.record(), ["1", "1", "0", "0", "0", "-22"])
        rows = self.rows()
        sender, receiver = rows["{late sender}"], rows["{late receiver}"]
        self.assertEqual((sender["ncalls"], receiver["ncalls"]), (2, 1))
        # What a nanosecond is in ticks is known by what passed since the recording began, here a tenth of a second.
        self.assertAlmostEqual(sender["cumtime"], 0.05, delta=0.003)
        self.assertAlmostEqual(sender["min"] * 1.5, sender["max"], delta=0.003)
        self.assertAlmostEqual(sender["min"] + sender["max"], sender["cumtime"], delta=1e-6)
        call = rows["call(n=40)"]
        self.assertAlmostEqual(call["cumtime"] - call["tottime"], sender["cumtime"], delta=1e-6)
        # More than the call took is not taken off it.
        self.assertAlmostEqual(receiver["cumtime"], rows["call(n=20)"]["cumtime"], delta=1e-6)
        self.assertEqual(rows["call(n=20)"]["tottime"], 0)

    def test_sampled_times(self):
        """Where short calls are not all timed, and samples of the run tell what hooks took."""
        self.assertEqual(self.record(options=()), ["1", "1", "0", "0", "0", "-22"])
        rows = self.rows()
        self.assertEqual((rows["{late sender}"]["ncalls"], rows["call(n=40)"]["timed_calls"]), (2, 2))
        self.assertAlmostEqual(rows["{late sender}"]["cumtime"], 0.05, delta=0.005)

    def test_shared_processor(self):
        """A call that looks again and again whether it may go on waits for that, and not for the processor that others have meanwhile. What it
        waited is known to the clock's precision, however few samples are in it."""
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(processors)})
        self.addCleanup(os.sched_setaffinity, 0, processors)
        others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3)]
        self.addCleanup(lambda: [other.communicate() for other in others])
        self.addCleanup(lambda: [other.kill() for other in others])
        self.assertEqual(self.record("polls", options=()), ["1", "1", "0", "0", "0", "-22"])
        rows = self.rows()
        self.assertAlmostEqual(rows["{late sender}"]["cumtime"], 0.05, delta=0.005)
        self.assertGreater(rows["{late sender}"]["wait"], 0.01)
        self.assertGreater(rows["{late receiver}"]["cumtime"], 0.019)
        self.assertGreater(rows["call(n=40)"]["cumtime"], 0.07)

    def test_recursion(self):
        self.assertEqual(self.record("recursive")[2], "0")
        rows = self.rows()
        self.assertAlmostEqual(rows["call(n=7)"]["cumtime"] - rows["call(n=7)"]["tottime"], 0.005, delta=0.0005)
        self.assertAlmostEqual(rows["{late sender}"]["cumtime"], 0.055, delta=0.004)

    def test_reset(self):
        """What was before the recording began anew is told of no more."""
        self.assertEqual(self.record("reset"), ["1", "1", "-116", "-116", "-116", "-22"])
        self.assertNotIn("{late sender}", self.rows())

    def test_folded_threads(self):
        """Of threads whose calls were folded with others' it is not known any more which were whose."""
        self.assertEqual(self.record("threads"), ["1", "1", "0", "0", "-116", "-22"])
        self.assertEqual(self.rows()["call(n=2)"]["ncalls"], 200)
        self.assertEqual(self.rows()["{late sender}"]["ncalls"], 2)

    def test_off(self):
        self.assertEqual(self.record("off"), ["1", "1", "1", "0", "0", "0", "-22"])

    def test_other_clock(self):
        self.assertEqual(self.record(options=("--clock", "cpu")), ["1", "1", "-95", "-95", "-95", "-95"])

    def test_percentiles(self):
        """They are not known of what was told afterwards, and that is said."""
        self.record(options=("--times", "exact", "--percentiles"))
        done = self.callsig("report", "p.out", "--columns", "+p50")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 calls", done.stdout + done.stderr)


if __name__ == "__main__":
    harness.main()
