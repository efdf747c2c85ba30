# ctest: case - quick
"""Where nobody asks for an order, threads that wait do not lead the table, and what a server with little to do computes does."""

import json
import subprocess
import unittest

import harness

# A thread that waits most of the time and answers now and then, one that only waits, and main, which waits for the first. Each thread of
# them computes less than a hundredth of its time, and seldom has to wait for a processor; `answers` is nearly all that is computed.
SERVER = r"""
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#define CALL __attribute__((noinline)) static
static int ends[2];
CALL void blocks(void)
{
  char byte;
  (void)!read(ends[0], &byte, 1);
}
static void *idle(void *none) { blocks(); return none; }
CALL void waits_for_request(void) { usleep(250000); }
CALL void answers(void)
{
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 400000);
}
static void *server(void *none)
{
  for (int i = 0; i < 8; i++) {
    waits_for_request();
    answers();
  }
  return none;
}
int main(void)
{
  pthread_t one, other;
  (void)!pipe(ends);
  pthread_create(&other, 0, idle, 0);
  pthread_create(&one, 0, server, 0);
  pthread_join(one, 0);
  (void)!write(ends[1], "", 1);
  pthread_join(other, 0);
}
"""


class Order(harness.Case):
    def by(self, key):
        """The functions of the recording x.out in the order of a sort key."""
        done = self.callsig("report", "--by", "function", "-s", key, "--format", "json", "x.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [row["function"] for row in json.loads(done.stdout)["rows"]]

    def test_what_computes_and_what_waits(self):
        """They are sort keys of their own; where nothing tells the two apart, all was computed."""
        program = self.compile("server", SERVER, "-O1", libs=("-pthread",))
        self.assertEqual(self.callsig("run", "-o", self.path("x.out"), program).returncode, 0)
        # What going to sleep takes is computed, too.
        self.assertIn("answers", self.by("cpu")[:2])
        self.assertNotIn("answers", self.by("tottime")[:3])
        self.assertIn(self.by("wait")[0], ("blocks", "waits_for_request", "main"))
        self.assertIn("Ordered by: computing time", self.callsig("report", "-s", "cpu", "x.out").stdout)
        self.assertEqual(self.callsig("run", "--times", "exact", "-o", self.path("x.out"), program).returncode, 0)
        self.assertEqual(self.by("cpu"), self.by("tottime"))

    def test_a_server_with_little_to_do(self):
        program = self.compile("server", SERVER, "-O1", libs=("-pthread",))
        subprocess.run([harness.CALLSIG, "run", "-o", self.path("x.out"), program], check=True, env=self.environment, cwd=self.folder, capture_output=True)
        rows = {row["function"]: row for row in json.loads(self.callsig("report", "--by", "function", "--format", "json", "x.out").stdout)["rows"]}
        self.assertGreater(rows["answers"]["cpu"], 0.9 * rows["answers"]["tottime"], rows["answers"])
        self.assertGreater(rows["server"]["cumtime"], 100 * rows["answers"]["cumtime"], rows)
        table, sorted_table = (self.callsig("report", "--by", "function", *sort, "x.out").stdout for sort in ((), ("-s", "cumtime")))
        self.assertIn("   Ordered by: cumulative time; threads that only slept come last\n", table)
        names, by_cumtime = self.names(table), self.names(sorted_table)
        self.assertEqual(names[:2], ["main", "answers"], table)
        self.assertEqual(set(names[2:]), {"idle", "blocks", "server", "waits_for_request"}, table)
        self.assertEqual(by_cumtime[-1], "answers", sorted_table)

    def names(self, table):
        return [line.rpartition("(")[2].split(")")[0] for line in table.splitlines() if ".c:" in line and line.startswith("  ")]


if __name__ == "__main__":
    unittest.main()
