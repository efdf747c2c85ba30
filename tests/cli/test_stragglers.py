# ctest: case - quick Recorded
# ctest: case _times full Stragglers
"""Stragglers between threads, processes and ranks: how much slower, and whether it is always the same one; and what tasks fail."""

import json
import os
import re

import harness
from harness import Case, INCLUDE, RUNTIME

# MODE MS: four threads of a stage sleep 2 ms a task; one sleeps MS: always the second ("same"), one after the other ("turns"), all ("all").
# Every other task fails at once in "fail".
PROGRAM = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static struct callsig_stage *stage;
static const char *mode;
static long slow, begun;
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
static void *work(void *data)
{
  const long number = (long)data;
  for (int i = 0; now() - begun < 1200; i++) {
    /* Twice around. */
    const int is_slow = strcmp(mode, "same") == 0    ? number == 1
                        : strcmp(mode, "turns") == 0 ? (now() - begun) / 150 % 4 == number
                                                     : strcmp(mode, "all") == 0;
    const int fails = strcmp(mode, "fail") == 0 && i % 2;
    struct timespec t = {0, (fails ? 0 : is_slow ? slow : 2) * 1000000};
    callsig_task_begin(stage, NULL);
    nanosleep(&t, NULL);
    callsig_task_end(stage, fails);
  }
  return NULL;
}
int main(int argc, char **argv)
{
  pthread_t threads[4];
  struct callsig_stage_options options = {.size = sizeof options, .index = 1, .name = "decode", .concurrency = 4};
  mode = argv[1];
  slow = argc > 2 ? atol(argv[2]) : 2;
  begun = now();
  callsig_stage_open(&options, &stage);
  for (long i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
"""


class Recorded(Case):
    """What sums, files and text say, however busy the machine is."""

    def setUp(self):
        super().setUp()
        self.compile("program", PROGRAM, "-I" + INCLUDE, instrument=False,
                     libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))

    def record(self, *arguments, output="p.out", rank=None):
        if rank is not None:
            self.environment["OMPI_COMM_WORLD_RANK"] = str(rank)
        self.assertEqual(self.callsig("run", "-o", output, "./program", *arguments).returncode, 0)

    def verdict(self, path="p.out"):
        return json.loads(self.callsig("stages", "--format", "json", path).stdout)["verdicts"][0]

    def failures(self):
        self.record("fail")
        whole = json.loads(self.callsig("stages", "--format", "json", "p.out").stdout)
        stage, verdict = whole["stages"][0], whole["verdicts"][0]
        value = verdict["stages"][0]
        self.assertAlmostEqual(value["failures_per_second"], stage["num_failures"] / verdict["window"], 6)
        self.assertAlmostEqual(value["failed_ave_time"], stage["failed_time"] / stage["num_failures"], 9)
        # All tasks count in the rate, not only those that succeed.
        self.assertAlmostEqual(value["effective_rate"] * (stage["total_time"] + stage["failed_time"]) / stage["num_tasks"], value["replicas"], 6)
        text = self.callsig("stages", "p.out").stdout
        self.assertRegex(text, r"each, of a failure \S+\); it did \d+\.\d tasks/s, of which \d+\.\d failed\n")
        return value, stage

    def test_failures(self):
        self.failures()

    def record_ranks(self):
        """The text on three ranks, of which the second is slow; merged, they give the same."""
        for rank, (mode, slow) in enumerate((("all", "3"), ("all", "30"), ("all", "3"))):
            self.record(mode, slow, output="p.out", rank=rank)
        files = ["p.out.rank%d" % rank for rank in range(3)]
        text = self.callsig("stages", *files).stdout
        self.assertEqual(self.callsig("merge", "-o", "m.out", *files).returncode, 0)
        return text, self.callsig("stages", "m.out").stdout

    def test_ranks(self):
        texts = self.record_ranks()
        stages = [json.loads(self.callsig("stages", "--format", "json", "p.out.rank%d" % rank).stdout)["stages"][0] for rank in range(3)]
        times = [stage["total_time"] + stage["failed_time"] for stage in stages]
        for text in texts:
            self.assertEqual(text.count("Total tasks processed: "), 3, text)
            # All of them together, in a row.
            row, = re.findall(r"^ +(\d+) +(\d+) +3 +(\S+) +(\S+) +(\S+) +(\S+) +(\S+)%  0:1:decode\[4\] \[least: rank (\d)\] \[most: rank (\d)\] p50 (\S+)ms, p99 (\S+)ms$", text, re.M)
            self.assertEqual((int(row[0]), int(row[1])), (sum(stage["num_tasks"] for stage in stages), 0))
            mean = sum(times) / 3
            for shown, expected in zip(row[2:6], (sum(times), min(times), mean, max(times))):
                self.assertAlmostEqual(float(shown), expected, delta=0.0006)
            self.assertAlmostEqual(float(row[6]), 100 * (max(times) - mean) / max(times) * 3 / 2, delta=0.1)
            self.assertEqual((int(row[7]), int(row[8])), (times.index(min(times)), times.index(max(times))))
            # Every task of the second rank sleeps 30 ms, those of the others 3, and these are more.
            least = min(stage["p50_time"] for stage in stages) * 1e3
            self.assertTrue(least * 0.98 <= float(row[9]) <= stages[1]["p50_time"] * 1.02e3, row)
            self.assertGreaterEqual(float(row[10]), 29.5)


class Stragglers(Recorded):
    """Who is slower, on a machine that does nothing else."""

    def test_always_the_same_thread(self):
        self.record("same", "20")
        verdict = self.verdict()
        straggler, = verdict["stragglers"]
        self.assertEqual((straggler["stage"], verdict["straggling_in_turns"]), ("0:1:decode[4]", []))
        self.assertGreaterEqual(straggler["parts"], 6)
        self.assertGreaterEqual(straggler["slowest_in"], straggler["parts"] - 1)
        self.assertGreater(straggler["ave_time"], 2 * straggler["others_ave_time"])
        text = self.callsig("stages", "p.out").stdout
        self.assertRegex(text, r"thread program \(%d\) is a straggler: .* a task, the others .*: \d+\.\d times as long, (always|in \d of \d parts of the time)\n"
                         % straggler["tid"])

    def test_in_turns(self):
        self.record("turns", "15")
        turns, = self.verdict()["straggling_in_turns"]
        self.assertEqual(turns["stage"], "0:1:decode[4]")
        self.assertGreaterEqual(turns["threads"], 2)
        self.assertGreaterEqual(2 * turns["slow"], turns["parts"])
        self.assertIn("but not always the same one: %d threads do\n" % turns["threads"], self.callsig("stages", "p.out").stdout)

    def test_programs_are_not_compared(self):
        """A stage of the same name in another program is another one."""
        self.record("all", "30", output="slow.out")
        self.record("all", "3", output="fast.out")
        self.assertIn("slow.out: 0:1:decode[4] is a straggler: ", self.callsig("stages", "slow.out", "fast.out").stdout)
        os.rename(self.path("program"), self.path("other"))
        self.assertEqual(self.callsig("run", "-o", "fast.out", "./other", "all", "3").returncode, 0)
        self.assertNotIn("straggler", self.callsig("stages", "slow.out", "fast.out").stdout)

    def test_nobody(self):
        self.record("all", "20")
        verdict = self.verdict()
        self.assertEqual((verdict["stragglers"], verdict["straggling_in_turns"]), ([], []))

    def test_ranks(self):
        for text in self.record_ranks():
            self.assertRegex(text, r"p\.out\.rank1 \(rank 1\): 0:1:decode\[4\] is a straggler: .* a task, elsewhere .*: \d+\.\d times as long")

    def test_failures(self):
        value, stage = self.failures()
        self.assertLess(value["failed_ave_time"], stage["ave_time"])


if __name__ == "__main__":
    harness.main()
