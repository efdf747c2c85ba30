# ctest: case - quick Stages
# ctest: case _times full Times
"""callsig stages, and callsig run --db: real programs, killed ones, and databases that cannot be used."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import harness
from harness import BUILD, CALLSIG, Case, INCLUDE, RUNTIME

KILLS = int(os.environ.get("CALLSIG_TEST_KILLS", "6"))

# Four threads of a stage and one of another, with failures and actions, for a time that the argument gives in ms.
PIPELINE = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static struct callsig_stage *decode, *encode;
static long until;
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
static int __attribute__((noinline)) scale(int width) { volatile int sum = 0; for (int i = 0; i < width * 20; i++) sum += i; return sum; }
static int __attribute__((noinline)) store(int number) { usleep(200); return number; }
static void *run_decode(void *data)
{
  for (int i = 0; now() < until; i++) {
    callsig_task_begin(decode, NULL);
    scale(i % 2 ? 640 : 64);
    callsig_task_end(decode, i % 10 == 3);
    usleep(500);
  }
  return data;
}
int main(int argc, char **argv)
{
  pthread_t threads[4];
  struct callsig_stage_options options = {.size = sizeof options, .index = 1, .name = "decode", .concurrency = 4};
  until = now() + (argc > 1 ? atol(argv[1]) : 200);
  if (callsig_stage_open(&options, &decode) < 0)
    return 3;
  options = (struct callsig_stage_options){.size = sizeof options, .index = 2, .name = "encode"};
  if (callsig_stage_open(&options, &encode) < 0)
    return 3;
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, run_decode, NULL);
  for (int i = 0; now() < until; i++) {
    CALLSIG_TASK(encode);
    CALLSIG_ACTION("save");
    store(i % 3);
  }
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  callsig_stage_close(decode);
  callsig_stage_close(encode);
  return 0;
}
"""

# ITEMS MS:CONCURRENCY...: a source, stages that sleep, and a sink, between bounded queues.
QUEUES = r"""#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 8 };
static struct callsig_fifo *queues[MOST + 1];
static struct callsig_stage *stages[MOST];
static unsigned milliseconds[MOST];

static void *run_stage(void *data)
{
  unsigned number = (unsigned)(size_t)data;
  struct callsig_fifo_item item;
  while (callsig_fifo_get(queues[number], &item, UINT64_MAX) == 0) {
    {
      CALLSIG_TASK(stages[number]);
      usleep(milliseconds[number] * 1000);
    }
    callsig_fifo_put(queues[number + 1], item, UINT64_MAX);
  }
  return NULL;
}

static void *run_sink(void *data)
{
  struct callsig_fifo_item item;
  while (callsig_fifo_get(queues[(size_t)data], &item, UINT64_MAX) == 0)
    ;
  return NULL;
}

int main(int argc, char **argv)
{
  static const char *const names[MOST] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"};
  pthread_t threads[MOST][16], sink;
  unsigned concurrency[MOST], count = (unsigned)argc - 2;
  for (unsigned i = 0; i <= count; i++) {
    struct callsig_queue_options options = {.size = sizeof options, .index = i, .name = i ? names[i - 1] : "source", .capacity = 8};
    if (callsig_fifo_open(&options, &queues[i]) < 0)
      return 1;
  }
  for (unsigned i = 0; i < count; i++) {
    sscanf(argv[i + 2], "%u:%u", &milliseconds[i], &concurrency[i]);
    struct callsig_stage_options options = {.size = sizeof options, .index = i + 1, .name = names[i], .concurrency = concurrency[i]};
    if (callsig_stage_open(&options, &stages[i]) < 0)
      return 1;
    for (unsigned j = 0; j < concurrency[i]; j++)
      pthread_create(&threads[i][j], NULL, run_stage, (void *)(size_t)i);
  }
  pthread_create(&sink, NULL, run_sink, (void *)(size_t)count);
  for (int i = 0; i < atoi(argv[1]); i++)
    callsig_fifo_put(queues[0], (struct callsig_fifo_item){.item = (uint64_t)i + 1}, UINT64_MAX);
  for (unsigned i = 0; i < count; i++) {
    callsig_fifo_shut(queues[i]);
    for (unsigned j = 0; j < concurrency[i]; j++)
      pthread_join(threads[i][j], NULL);
  }
  callsig_fifo_shut(queues[count]);
  pthread_join(sink, NULL);
  return 0;
}
"""

# A million tasks each of three stages, by a clock that only they move; prints for each stage the exact percentiles.
DISTRIBUTIONS = r"""
#include <callsig/callsig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
enum { COUNT = 1000000 };
static uint64_t now, times[COUNT];
static unsigned long long state = 88172645463325252ull;
static uint64_t read_clock(void *data) { (void)data; return now; }
static double uniform(void)
{
  state ^= state >> 12; state ^= state << 25; state ^= state >> 27;
  return ((double)(state * 2685821657736338717ull >> 11) + 0.5) / 9007199254740992.0;
}
static double draw(int kind)
{
  if (kind == 0) return 40000 * uniform();
  if (kind == 1) return -25000 * log(uniform());
  double angle = 6.283185307179586 * uniform();
  return exp(8 + 2 * sqrt(-2 * log(uniform())) * cos(angle));
}
static int compare(const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}
int main(void)
{
  static const char *const names[] = {"uniform", "exponential", "lognormal"};
  struct callsig_options options = {.size = sizeof options};
  if (callsig_start(&options) < 0 || callsig_set_clock(read_clock, NULL, 1000000) < 0)
    return 3;
  for (int kind = 0; kind < 3; kind++) {
    struct callsig_stage *stage;
    struct callsig_stage_options named = {.size = sizeof named, .index = (uint32_t)kind, .name = names[kind]};
    if (callsig_stage_open(&named, &stage) < 0)
      return 4;
    for (int i = 0; i < COUNT; i++) {
      times[i] = (uint64_t)draw(kind);
      callsig_task_begin(stage, NULL);
      now += times[i];
      callsig_task_end(stage, 0);
    }
    callsig_stage_close(stage);
    qsort(times, COUNT, sizeof *times, compare);
    printf("%llu %llu %llu %llu %llu\n", (unsigned long long)times[0], (unsigned long long)times[COUNT / 2],
           (unsigned long long)times[COUNT / 10 * 9], (unsigned long long)times[COUNT / 100 * 99], (unsigned long long)times[COUNT - 1]);
  }
  return 0;
}
"""

PLAIN = r"""
#include <unistd.h>
static int __attribute__((noinline)) work(int n) { usleep(1000); return n; }
int main(void) { int sum = 0; for (int i = 0; i < 400; i++) sum += work(i % 4); return sum == 0; }
"""

# Makes the readings of clocks by the threads of callsig take long.
SLOW_CLOCK = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
  if (clock == CLOCK_MONOTONIC && strcmp(program_invocation_short_name, "callsig") == 0 && gettid() != getpid())
    usleep(30000);
  return (int)syscall(SYS_clock_gettime, clock, time);
}
"""


class Stages(Case):
    # Items, stages, which of them bounds the pipeline, and the states: of one that is so slow that load does not matter.
    BOUNDS = ((12, ("1:1", "150:1", "1:1"), "0:2:second", ["blocked", "busy", "starved"]),)
    # Of intervals and of switches there are more, but how many a busy machine leaves.
    INTERVALS, SWITCHES = 1, 10

    def link(self, name, source, *options, **more):
        """Compiles a program that uses the library."""
        return self.compile(name, source, "-I" + INCLUDE, *options, libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread", "-lm"), **more)

    def pipeline(self):
        return self.link("pipeline", PIPELINE)

    def simulated(self):
        path = self.path("simulated.out")
        done = self.run_command(os.path.join(BUILD, "tests", "write_pipeline"), path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def open(self, name="r.db"):
        base = sqlite3.connect(self.path(name), timeout=300)
        self.addCleanup(base.close)
        return base

    def json(self, *arguments):
        done = self.callsig("stages", "--format", "json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def report(self, path):
        done = self.callsig("report", "--format", "json", "--by", "signature,stage", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {self.row_key(row): row for row in json.loads(done.stdout)["rows"]}

    def row_key(self, row):
        name = row["function"] if row["file"] == "~" else "%s:%d(%s)" % (row["file"], row["line"], row["function"])
        return name, row["signature"] or "", row["stage"] or ""

    def assert_sums(self, base, path):
        """The database's intervals of the one run sum to what the recording has."""
        lifetime = self.json(path)
        for stage in lifetime["stages"]:
            sums = base.execute("SELECT SUM(num_tasks), SUM(num_failures), SUM(dropped), SUM(total_time), SUM(failed_time) FROM task_stats"
                                " JOIN task_intervals ON task = task_stats.id WHERE name = ?", (stage["label"],)).fetchone()
            self.assertEqual(sums[:3], (stage["num_tasks"], stage["num_failures"], stage["dropped"]))
            self.assertAlmostEqual(sums[3], stage["total_time"], 6)
            self.assertAlmostEqual(sums[4], stage["failed_time"], 6)
        self.assertAlmostEqual(base.execute("SELECT SUM(elapsed) FROM intervals").fetchone()[0], lifetime["elapsed"], 6)
        rows = self.report(path)
        sums = base.execute("SELECT function, signature, stage, SUM(ncalls), SUM(tottime), SUM(cumtime) FROM function_stats GROUP BY 1, 2, 3").fetchall()
        self.assertEqual({row[:3] for row in sums if row[3]}, set(rows))
        for function, signature, stage, ncalls, tottime, cumtime in sums:
            row = rows.get((function, signature, stage), {"ncalls": 0, "tottime": 0, "cumtime": 0})
            self.assertEqual(ncalls, row["ncalls"], function)
            self.assertAlmostEqual(tottime, row["tottime"], 6)
            self.assertAlmostEqual(cumtime, row["cumtime"], 6)

    def test_text(self):
        done = self.callsig("stages", self.simulated())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in ("PIPELINE PERFORMANCE SUMMARY", "📊 Task Statistics:", "  Stage: 0:1:decode[4]", "    Total tasks processed: 1000",
                     "    Total failures: 100", "    Average task time: 0.0250s", "    Success rate: 90.0%", "    Number of log entries: 1",
                     "📈 Queue Statistics:", "  Queue: 0:1:decode", "    Total items processed: 900", "    Average get time: 0.0001s",
                     "    0:1:decode[4]: 10.0% of its tasks failed: a concern (above 5%)"):
            self.assertIn("\n" + line + "\n", done.stdout)
        self.assertIn("Pipeline 0: 0:2:resize[2] bounds it: it works 99.8% of its time", done.stdout)
        self.assertIn("Effective rate: 50.0 tasks/s (2 at a time, 40.000ms each); it did 49.9 tasks/s", done.stdout)
        self.assertRegex(done.stdout, r"0:1:decode\[4\]: blocked")
        self.assertRegex(done.stdout, r"0:3:encode: starved")
        self.assertIn("\nEvents:\n" + "-" * 80 + "\n\n  Event: flush: 12 times\n\n", done.stdout)

    def test_events_alone(self):
        """A program that has nothing else is told of as well, also in a merged recording."""
        self.link("events", """
#include <callsig/callsig.h>
#include <unistd.h>
int main(void) {
  callsig_event("key frame");
  for (int i = 0; i < 2; i++) {
    CALLSIG_SPAN("reload");
    usleep(20000);
  }
  return 0; }
""")
        self.assertEqual(self.callsig("run", "-o", "e.out", "./events").returncode, 0)
        self.assertEqual(self.callsig("merge", "-o", "m.out", "e.out").returncode, 0)
        for name in ("e.out", "m.out"):
            done = self.callsig("stages", name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"(?m)^  Event: key frame: 1 time$")
            self.assertRegex(done.stdout, r"(?m)^  Event: reload: 2 times, 0\.[0-9]{4}s in all$")

    def test_json(self):
        value = self.json(self.simulated())
        self.assertEqual(value["schema"], "callsig.stages/1")
        self.assertEqual([s["label"] for s in value["stages"]], ["0:1:decode[4]", "0:2:resize[2]", "0:3:encode"])
        self.assertEqual(value["events"], [{"name": "flush", "count": 12, "total_time": 0.0}])
        verdict = value["verdicts"][0]
        self.assertEqual((verdict["bound"], verdict["stage"], verdict["equal"], verdict["step"]), ("stage", "0:2:resize[2]", None, "0:2:resize[2]"))
        self.assertEqual([s["state"] for s in verdict["stages"]], ["blocked", "busy", "starved"])

    def test_nothing_done(self):
        """Times of no task and no item are not known: in text, in JSON, and of a database."""
        program = self.link("idle", """
#include <callsig/callsig.h>
int main(void)
{
  struct callsig_stage *stage;
  struct callsig_queue *queue;
  callsig_stage_open(&(struct callsig_stage_options){.size = sizeof(struct callsig_stage_options), .name = "idle"}, &stage);
  callsig_queue_open(&(struct callsig_queue_options){.size = sizeof(struct callsig_queue_options), .name = "empty"}, &queue);
  return 0;
}
""")
        self.assertEqual(self.callsig("run", "--db", "i.db", "-o", "i.out", program).returncode, 0)
        for name in ("i.out", "i.db"):
            text = self.callsig("stages", name).stdout
            for line in ("Average task time: unknown", "Average put time: unknown", "Average get time: unknown"):
                self.assertIn("\n    " + line + "\n", text)
            self.assertNotIn(": 0.0000s", text)
        value = self.json("i.out")
        times = {key: each[key] for each in (value["stages"][0], value["queues"][0]) for key in each if key[:4] in ("ave_", "p50_", "p99_", "min_", "max_")}
        self.assertEqual((len(times), set(times.values())), (15, {None}))

    def test_several_files(self):
        path = self.simulated()
        done = self.callsig("stages", path, self.path("none"), path)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count(path + ":\n"), 2)
        self.assertEqual(done.stderr, "callsig: %s: cannot open: No such file or directory\n" % self.path("none"))

    def test_straggling_recording(self):
        self.link("queues", QUEUES)
        # At the same time, so that parts of it can be compared.
        with ThreadPoolExecutor() as runs:
            for done in runs.map(lambda run: self.callsig("run", "-o", run[0], "./queues", str(run[1]), "%d:1" % run[2]),
                                 (("a.out", 160, 5), ("b.out", 20, 40), ("c.out", 160, 5))):
                self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("stages", "a.out", "b.out", "c.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_straggling(done.stdout)
        self.assertEqual(self.callsig("merge", "-o", "m.out", "a.out", "b.out", "c.out").returncode, 0)
        self.assertEqual(self.callsig("stages", "m.out").stdout, done.stdout)
        self.assert_fails(self.callsig("stages", "--db", "m.db", "m.out"), 1, "m.out: holds the stages and queues of several processes")
        self.assertEqual(self.callsig("merge", "-o", "m.out", "a.out").returncode, 0)
        self.assertEqual(self.callsig("stages", "m.out").stdout, self.callsig("stages", "a.out").stdout)

    def assert_straggling(self, text):
        self.assertEqual([line for line in text.splitlines() if line.endswith(".out:")], ["a.out:", "b.out:", "c.out:"])

    def test_merged_processes(self):
        """Each is as in its own recording: tables, JSON, actions; also where one has actions and no stages."""
        self.pipeline()
        self.compile("plain", "int main(void) { return 0; }")
        source = '#include <callsig/callsig.h>\nint main(void) { callsig_action_begin("alone"); callsig_action_end("alone"); return 0; }'
        self.link("actions", source)
        for name, command in (("a.out", ["./pipeline", "600"]), ("b.out", ["./plain"]), ("c.out", ["./actions"]), ("d.out", ["./pipeline", "300"])):
            done = self.callsig("run", "-o", name, *command)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.callsig("merge", "-o", "m.out", "a.out", "b.out", "c.out", "d.out").returncode, 0)
        for options, files in (((), ["a.out", "d.out"]), (("--format", "json"), ["a.out", "c.out", "d.out"]),
                               (("--actions",), ["a.out", "c.out", "d.out"])):
            merged, apart = self.callsig("stages", *options, "m.out"), self.callsig("stages", *options, *files)
            self.assertEqual((merged.returncode, merged.stderr), (0, ""))
            self.assertEqual(merged.stdout, apart.stdout, options)
        # Where one process has stages alone, all of the file is that process's, as it was before.
        self.assertEqual(self.callsig("merge", "-o", "m.out", "b.out", "d.out").returncode, 0)
        self.assertEqual(self.callsig("stages", "m.out").stdout, self.callsig("stages", "d.out").stdout)

    def test_real_stages(self):
        self.pipeline()
        done = self.callsig("run", "-o", "p.out", "./pipeline", "600")
        self.assertEqual(done.returncode, 0, done.stderr)
        value = self.json("p.out")
        decode, encode = value["stages"]
        self.assertEqual((decode["label"], decode["concurrency"]), ("0:1:decode[4]", 4))
        self.assertEqual(encode["label"], "0:2:encode")
        self.assertGreater(decode["num_failures"], 0)
        self.assertEqual(value["actions"][0]["num_calls"], encode["num_tasks"])
        self.assert_encode_bounds(value["verdicts"][0])
        table = self.callsig("stages", "--actions", "p.out")
        self.assertEqual(table.returncode, 0, table.stderr)
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.stdout.splitlines() if line.startswith("|")]
        self.assertEqual(lines[0], ["Action", "Mean duration (s)", "Num calls", "Total time (s)", "Percentage %"])
        self.assertEqual(lines[1][:3] + lines[1][4:], ["Total", "-", str(encode["num_tasks"]), "100 %"])
        self.assertEqual(lines[2][0], "save")

    def assert_encode_bounds(self, verdict):
        self.assertEqual([stage["stage"] for stage in verdict["stages"]], ["0:1:decode[4]", "0:2:encode"])

    def test_real_queues(self):
        self.link("queues", QUEUES)
        for items, stages, expected, states in self.BOUNDS:
            with self.subTest(stages=stages):
                self.assertEqual(self.callsig("run", "-o", "q.out", "./queues", str(items), *stages).returncode, 0)
                value = self.json("q.out")
                self.assertEqual([stage["num_tasks"] for stage in value["stages"]], [items] * 3)
                self.assertEqual([(queue["num_items"], queue["puts"], queue["items"]) for queue in value["queues"]], [(items, items, 0)] * 4)
                self.assertEqual([queue["capacity"] for queue in value["queues"]], [8] * 4)
                self.assert_bounds(value["verdicts"][0], expected, states)

    def assert_bounds(self, verdict, expected, states):
        self.assertEqual(len(verdict["stages"]), len(states))
        if verdict["bound"] == "stage":
            self.assertEqual(verdict["stage"], expected, verdict)

    def test_recorded_percentiles(self):
        self.link("distributions", DISTRIBUTIONS, instrument=False)
        done = self.run_command("./distributions", env={"CALLSIG_OUTPUT": self.path("d.out")})
        self.assertEqual(done.returncode, 0, done.stderr)
        for stage, line in zip(self.json("d.out")["stages"], done.stdout.splitlines()):
            least, p50, p90, p99, most = (int(text) for text in line.split())
            self.assertEqual(stage["num_tasks"], 1000000)
            self.assertAlmostEqual(stage["min_time"] * 1e6, least, 3)
            self.assertAlmostEqual(stage["max_time"] * 1e6, most, 3)
            for name, exact in (("p50_time", p50), ("p90_time", p90), ("p99_time", p99)):
                self.assertLessEqual(abs(stage[name] * 1e6 - exact), exact / 64 + 1e-3, (stage["label"], name))

    def test_nothing_there(self):
        self.compile("plain", PLAIN)
        self.callsig("run", "-o", "p.out", "./plain")
        self.assert_fails(self.callsig("stages", "p.out"), 1, "p.out: no stages and no queues are recorded in it")
        self.assert_fails(self.callsig("stages", "--actions", "p.out"), 1, "p.out: no actions are recorded in it")
        self.assert_fails(self.callsig("stages"), 1, "stages: callsig.out: No such file", "callsig run PROGRAM")
        self.assert_fails(self.callsig("stages", "plain"), 1, "plain: not a callsig recording")
        self.assert_fails(self.callsig("stages", "--format", "xml", "p.out"), 2, "'xml' is neither text nor json")
        self.assert_fails(self.callsig("stages", "--format", "json", "--actions", "p.out"), 2, "--actions prints text")

    def test_database(self):
        self.pipeline()
        done = self.callsig("run", "-o", "p.out", "--db", "r.db", "--interval", "0.1", "./pipeline", "700")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        base = self.open()
        self.assertEqual(base.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(base.execute("PRAGMA journal_mode").fetchall(), [("wal",)])
        self.assertGreater(base.execute("SELECT COUNT(*) FROM intervals").fetchone()[0], self.INTERVALS)
        self.assertEqual(base.execute("SELECT complete, exit_status FROM runs").fetchall(), [(1, 0)])
        self.assert_sums(base, "p.out")
        process = base.execute("SELECT SUM(minor_faults), SUM(user_time), SUM(voluntary_switches), MAX(threads), MAX(resident_bytes) FROM process_stats").fetchone()
        self.assertTrue(process[0] > 10 and process[1] > 0 and process[2] > self.SWITCHES and process[3] == 5 and process[4] > 100000, process)
        # A second run goes to the same file, and what is complete is not added again.
        self.assertEqual(self.callsig("run", "-o", "q.out", "--db", "r.db", "./pipeline", "50").returncode, 0)
        self.assertEqual(self.callsig("stages", "--db", "r.db", "p.out", "q.out").returncode, 0)
        self.assertEqual(base.execute("SELECT COUNT(*), SUM(complete) FROM runs").fetchall(), [(2, 2)])

    def test_summary_of_database(self):
        """The figures of SPDL's summary, by SPDL's weights."""
        base = self.open("s.db")
        base.execute("CREATE TABLE task_stats (id INTEGER PRIMARY KEY, timestamp REAL, name TEXT, num_tasks INTEGER, num_failures INTEGER,"
                     " ave_time REAL, p90_time REAL, p99_time REAL)")
        base.execute("CREATE TABLE queue_stats (id INTEGER PRIMARY KEY, timestamp REAL, name TEXT, elapsed REAL, num_items INTEGER, ave_put_time REAL,"
                     " ave_get_time REAL, p90_put_time REAL, p99_put_time REAL, p90_get_time REAL, p99_get_time REAL, occupancy_rate REAL)")
        base.executemany("INSERT INTO task_stats VALUES (NULL, 0, '0:1:decode[10]', ?, ?, ?, 0, 0)", [(300, 3, 0.25), (100, 1, 0.75), (0, 0, 0)])
        base.executemany("INSERT INTO queue_stats VALUES (NULL, 0, '0:1:decode[10]_queue', ?, ?, ?, ?, 0, 0, 0, 0, ?)",
                         [(10, 300, 0.5, 0.125, 1.0), (10, 100, 0.1, 0.325, 0.2)])
        base.commit()
        done = self.callsig("stages", "s.db")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rule = "-" * 80
        self.assertEqual(done.stdout, "\n".join([
            "=" * 80, "PIPELINE PERFORMANCE SUMMARY", "=" * 80, "\U0001F4CA Task Statistics:", rule, "", "  Stage: 0:1:decode[10]",
            "    Total tasks processed: 400", "    Total failures: 4", "    Average task time: 0.3750s", "    Success rate: 99.0%",
            "    Number of log entries: 3", "", "\U0001F4C8 Queue Statistics:", rule, "", "  Queue: 0:1:decode[10]_queue",
            "    Total items processed: 400", "    Average QPS: 20.00", "    Average put time: 0.4000s", "    Average get time: 0.1750s",
            "    Average occupancy rate: 80.0%", "    Number of log entries: 2", ""]))
        series = json.loads(self.callsig("stages", "--format", "json", "s.db").stdout)["runs"][0]["series"]
        self.assertEqual([(one["label"], one["kind"]) for one in series], [("0:1:decode[10]", "stage"), ("0:1:decode[10]_queue", "queue")])
        self.assertEqual((series[0]["num_tasks"], series[0]["ave_time"], series[1]["qps"]), ([300, 100, 0], [0.25, 0.75, None], [30, 10]))
        self.assert_fails(self.callsig("stages", "--actions", "s.db"), 1, "s.db: a database has no actions")
        base.execute("DROP TABLE queue_stats")
        base.commit()
        self.assert_fails(self.callsig("stages", "s.db"), 1, "s.db: cannot be read as a database of intervals: no such table: queue_stats")

    def test_spdl_tables(self):
        self.compile("plain", PLAIN)
        self.callsig("run", "-o", "p.out", "--db", "r.db", "./plain")
        base = self.open()
        columns = lambda table: [row[1:4] for row in base.execute("PRAGMA table_info(%s)" % table)]
        head = [("id", "INTEGER", 0), ("timestamp", "REAL", 1)]
        reals = lambda *names: [(name, "REAL", 1) for name in names]
        self.assertEqual(columns("task_stats"), head + [("name", "TEXT", 1), ("num_tasks", "INTEGER", 1), ("num_failures", "INTEGER", 1)]
                         + reals("ave_time", "p90_time", "p99_time"))
        self.assertEqual(columns("queue_stats"), head + [("name", "TEXT", 1), ("elapsed", "REAL", 1), ("num_items", "INTEGER", 1)]
                         + reals("ave_put_time", "ave_get_time", "p90_put_time", "p99_put_time", "p90_get_time", "p99_get_time", "occupancy_rate"))
        self.assertEqual(columns("event_stats"), head + [("event_name", "TEXT", 1)])
        for table in ("task_stats", "queue_stats", "event_stats"):
            self.assertEqual([row[2] for row in base.execute("PRAGMA index_info(idx_%s_timestamp)" % table)], ["timestamp"])
            self.assertIn("AUTOINCREMENT", base.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0])

    def test_no_stages(self):
        self.compile("plain", PLAIN)
        done = self.callsig("run", "-o", "p.out", "--db", "r.db", "--interval", "0.1", "./plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        base = self.open()
        self.assertEqual(base.execute("SELECT COUNT(*) FROM task_stats").fetchone()[0], 0)
        self.assertGreater(base.execute("SELECT COUNT(*) FROM process_stats").fetchone()[0], 1)
        rows = self.report("p.out")
        sums = {row[:3]: row[3] for row in base.execute("SELECT function, signature, stage, SUM(ncalls) FROM function_stats GROUP BY 1, 2, 3")}
        self.assertEqual(sums, {key: row["ncalls"] for key, row in rows.items()})

    def start(self, database, *program, **environment):
        return subprocess.Popen([CALLSIG, "run", "-o", "p.out", "--db", database, "--interval", "0.02", *program], cwd=self.folder,
                                env=dict(self.environment, **environment), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def recorded(self, name):
        """The process whose intervals are in the database; None while there are none."""
        try:
            base = sqlite3.connect("file:%s?mode=ro" % self.path(name), uri=True, timeout=300)
            try:
                row = base.execute("SELECT pid FROM runs JOIN intervals ON run = runs.id").fetchone()
                return row and row[0]
            finally:
                base.close()
        except sqlite3.OperationalError:
            return None

    def wait_for(self, found, seconds=300):
        for _ in range(seconds * 200):
            value = found()
            if value:
                return value
            time.sleep(0.005)
        self.fail("nothing came of waiting")

    def ended(self, pid):
        try:
            with open("/proc/%d/stat" % pid) as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            return True

    def accepted(self, name="r.db"):
        """What a reader sees committed."""
        try:
            base = sqlite3.connect("file:%s?mode=ro" % self.path(name), uri=True, timeout=300)
            try:
                return base.execute("SELECT COUNT(*), SUM(elapsed) FROM intervals").fetchone()
            finally:
                base.close()
        except sqlite3.OperationalError:
            return (0, 0)

    def test_killed_program(self):
        self.kill_programs(KILLS)

    def test_killed_while_a_clock_is_read(self):
        """No interval ends later than the program: the clock of a reading is not read after the process was looked at."""
        self.write("slow.c", SLOW_CLOCK)
        done = self.run_command("cc", "-shared", "-fPIC", self.path("slow.c"), "-o", self.path("slow.so"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.kill_programs(8, LD_PRELOAD=self.path("slow.so"))

    def kill_programs(self, kills, **environment):
        program = self.pipeline()
        delays = random.Random(5)
        for number in range(kills):
            name = "killed%d.db" % number
            run = self.start(name, program, "20000", **environment)
            pid = self.wait_for(lambda: self.recorded(name))
            time.sleep(delays.random() * 0.1)
            before = self.accepted(name)
            os.kill(pid, signal.SIGKILL)
            errors = run.communicate(timeout=600)[1]
            self.assertEqual((run.returncode, errors), (128 + signal.SIGKILL, ""))
            base = self.open(name)
            self.assertEqual(base.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            after = base.execute("SELECT COUNT(*), SUM(elapsed) FROM intervals").fetchone()
            self.assertGreaterEqual(after[0], before[0])
            self.assertEqual(base.execute("SELECT complete, exit_status FROM runs").fetchall(), [(1, signal.SIGKILL)])
            self.assert_sums(base, "p.out")

    def test_killed_monitor(self):
        program = self.pipeline()
        delays = random.Random(7)
        for number in range(max(2, KILLS // 3)):
            name = "orphan%d.db" % number
            run = self.start(name, program, "1200")
            pid = self.wait_for(lambda: self.recorded(name))
            time.sleep(delays.random() * 0.1)
            before = self.accepted(name)
            run.kill()
            run.communicate(timeout=600)
            # The program goes on, and its recording is complete.
            self.wait_for(lambda: self.ended(pid))
            base = self.open(name)
            self.assertEqual(base.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            after = base.execute("SELECT COUNT(*), SUM(elapsed) FROM intervals").fetchone()
            self.assertGreaterEqual(after[0], before[0])
            self.assertEqual(self.callsig("stages", "--db", name, "p.out").returncode, 0)
            self.assert_sums(base, "p.out")
            self.assertEqual(base.execute("SELECT complete FROM runs").fetchall(), [(1,)])

    def test_unusable_databases(self):
        self.compile("plain", PLAIN)
        os.mkdir(self.path("folder"))
        self.assert_fails(self.callsig("run", "--db", "folder", "./plain"), 1, "folder: cannot be opened for writing: Is a directory")
        self.assert_fails(self.callsig("run", "--db", "none/r.db", "./plain"), 1, "none/r.db: cannot be opened for writing: No such file")
        self.write("text.db", "this is no database\n" * 100)
        self.assert_fails(self.callsig("run", "--db", "text.db", "./plain"), 1, "text.db: cannot be used as a database: file is not a database")
        self.assertFalse(os.path.exists(self.path("callsig.out")))


class Times(Stages):
    """What bounds pipelines whose stages differ by milliseconds, on a machine that does nothing else."""
    BOUNDS = ((60, ("5:1", "30:1", "5:1"), "0:2:second", ["blocked", "busy", "starved"]),
              (60, ("40:4", "30:1", "60:4"), "0:2:second", ["blocked", "busy", "starved"]),
              (100, ("30:1", "5:1", "40:4"), "0:1:first", ["busy", "starved", "starved"]),
              (60, ("5:1", "40:4", "30:1"), "0:3:third", ["blocked", "blocked", "busy"]))
    INTERVALS, SWITCHES = 3, 100

    def assert_straggling(self, text):
        self.assertEqual([line.split(" is a straggler: ")[0] for line in text.splitlines() if "straggler" in line], ["b.out: 0:1:first"])
        self.assertRegex(text, r"b\.out: 0:1:first is a straggler: .* a task, elsewhere .*: [5-9]\.\d times as long, (always|in \d+ of \d+ parts of the time)\n")

    def assert_encode_bounds(self, verdict):
        self.assertEqual((verdict["bound"], verdict["stage"]), ("stage", "0:2:encode"))
        self.assertTrue(any("store(number=" in f["function"] for f in verdict["functions"]), verdict["functions"])
        self.assertTrue(all("scale" not in f["function"] for f in verdict["functions"]))

    def assert_bounds(self, verdict, expected, states):
        self.assertEqual((verdict["bound"], verdict["stage"]), ("stage", expected), verdict)
        self.assertEqual([stage["state"] for stage in verdict["stages"]], states, verdict)


if __name__ == "__main__":
    harness.main()
