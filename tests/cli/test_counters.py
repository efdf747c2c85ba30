"""callsig_counter_add() and callsig_level_set(): sums by stage and thread, bad use, forks, merges, databases, pictures, traces."""

import json
import sqlite3
import time

import harness
from harness import Case, INCLUDE, RUNTIME

# The argument says what is done; each use prints what the calls gave.
PROGRAM = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static struct callsig_stage *read_stage, *decode_stage;
static int until = 100;
static void pause_for(long ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000}; nanosleep(&t, NULL); }
static void *work(void *data)
{
  for (int i = 0; i < until; i++) {
    CALLSIG_TASK(read_stage);
    callsig_counter_add("bytes", 1000);
    callsig_level_set("fill", i % 7 - 3);
    {
      CALLSIG_TASK(decode_stage);
      callsig_counter_add("bytes", 1);
    }
  }
  return data;
}
static void threads(int count)
{
  for (int i = 0; i < count; i += 2) {
    pthread_t pair[2];
    for (int j = 0; j < 2; j++)
      pthread_create(&pair[j], NULL, work, NULL);
    for (int j = 0; j < 2; j++)
      pthread_join(pair[j], NULL);
  }
}
static void misuse(void)
{
  char key[2000], same[16];
  memset(key, 'x', sizeof key);
  key[1025] = 0;
  printf("%d %d %d ", callsig_counter_add(NULL, 1), callsig_counter_add("", 1), callsig_counter_add(key, 1));
  key[1024] = 0;
  printf("%d ", callsig_counter_add(key, 1));
  printf("%d ", callsig_counter_add("kind", 1));
  printf("%d ", callsig_level_set("kind", 1));
  /* One place in memory, several keys. */
  for (int i = 0; i < 6; i++) {
    sprintf(same, "same%d", i % 2);
    callsig_counter_add(same, 1);
  }
  int refused = 0, error = 0;
  for (int i = 0; i < 300; i++) {
    sprintf(same, "key%d", i);
    int result = callsig_counter_add(same, 1);
    refused += result != 0;
    error = result ? result : error;
  }
  callsig_disable();
  int stopped = callsig_counter_add("kind", 5);
  callsig_enable();
  callsig_counter_add("kind", 1);
  printf("%d %d %d\n", refused, error, stopped);
}
/* Keys that change where they lie, each at the end of a page with nothing behind it: every byte of them counts. */
static void changing_keys(void)
{
  char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(page + 4096, 4096, PROT_NONE);
  for (int length = 1; length <= 40; length++)
    for (int times = 0; times < 2; times++) {
      char *key = page + 4096 - length - 1;
      memset(key, 'a', length + 1);
      key[length] = 0;
      for (int i = 0; i < length; i += length > 8 ? 8 : 1) {
        key[i] = 'b';
        callsig_counter_add(key, 1);
        key[i] = 'a';
      }
      key[length / 2] = 0; /* the text ends nearer */
      if (length > 1)
        callsig_counter_add(key, 1);
    }
}
static void fork_two(void)
{
  callsig_counter_add("mine", 3);
  for (int i = 0; i < 2; i++)
    if (fork() == 0) {
      for (int j = 0; j < 5; j++) {
        CALLSIG_TASK(read_stage);
        callsig_counter_add("mine", 10);
        pause_for(until);
      }
      exit(0);
    }
  while (wait(NULL) > 0)
    ;
}
int main(int argc, char **argv)
{
  struct callsig_stage_options options = {.size = sizeof options, .index = 1, .name = "read", .concurrency = 2};
  callsig_stage_open(&options, &read_stage);
  options = (struct callsig_stage_options){.size = sizeof options, .index = 2, .name = "decode"};
  callsig_stage_open(&options, &decode_stage);
  callsig_counter_add("bytes", 5);
  if (strcmp(argv[1], "misuse") == 0)
    misuse();
  else if (strcmp(argv[1], "changing") == 0)
    changing_keys();
  else if (strcmp(argv[1], "fork") == 0) {
    until = argc > 2 ? atoi(argv[2]) : 1;
    fork_two();
  } else if (strcmp(argv[1], "events") == 0)
    for (int i = 0; i < 3; i++) {
      callsig_event("gc_start");
      {
        CALLSIG_SPAN("collect");
        pause_for(30);
      }
      callsig_event("gc_stop");
      pause_for(40);
      for (int j = 0; j < 100; j++)
        callsig_event("burst");
    }
  else if (strcmp(argv[1], "slow") == 0)
    for (int i = 0; i < 60; i++) {
      CALLSIG_TASK(read_stage);
      callsig_counter_add("steps", 2);
      callsig_level_set("depth", i < 30 ? -4 : 8);
      pause_for(10);
    }
  else
    threads(atoi(argv[1]));
  return 0;
}
"""


# Sixty-four threads at once, four in each of sixteen stages, count by 128 keys.
MANY = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
enum { STAGES = 16, THREADS = 64, KEYS = 128 };
static struct callsig_stage *stages[STAGES];
static pthread_barrier_t all;
static void *work(void *data)
{
  struct callsig_stage *stage = stages[(long)data % STAGES];
  callsig_task_begin(stage, NULL);
  for (int i = 0; i < KEYS; i++) {
    char key[16];
    sprintf(key, "key%d", i);
    callsig_counter_add(key, 1);
  }
  callsig_task_end(stage, 0);
  pthread_barrier_wait(&all);
  return NULL;
}
int main(void)
{
  pthread_t threads[THREADS];
  pthread_barrier_init(&all, NULL, THREADS);
  for (unsigned i = 0; i < STAGES; i++) {
    char name[16];
    sprintf(name, "stage%u", i);
    callsig_stage_open(&(struct callsig_stage_options){.size = sizeof(struct callsig_stage_options), .name = name, .index = i}, &stages[i]);
  }
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
"""


class Counted(Case):
    def setUp(self):
        super().setUp()
        self.compile("program", PROGRAM, "-I" + INCLUDE, instrument=False,
                     libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))

    def record(self, *arguments, options=(), output="p.out"):
        done = self.callsig("run", *options, "-o", output, "./program", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def stages(self, path="p.out"):
        done = self.callsig("stages", "--format", "json", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def rows(self, value):
        return {(row["key"], row["stage"]): row for row in value["counters"]}

    def listing(self):
        return sorted(self.run_command("ls").stdout.split())


class Counters(Counted):
    def test_stages_and_threads(self):
        self.record("2")
        value = self.stages()
        rows = self.rows(value)
        self.assertEqual({key: (row["kind"], row["count"], row["total"]) for key, row in rows.items() if row["key"] == "bytes"},
                         {("bytes", None): ("counter", 1, 5), ("bytes", "0:1:read[2]"): ("counter", 200, 200000),
                          ("bytes", "0:2:decode"): ("counter", 200, 200)})
        level = rows["fill", "0:1:read[2]"]
        self.assertEqual((level["kind"], level["count"], level["min"], level["max"], level["value"]), ("level", 200, -3, 3, 99 % 7 - 3))
        self.assertAlmostEqual(level["mean"], sum(i % 7 - 3 for i in range(100)) / 100)
        parts = [row for row in value["counters_by_thread"] if (row["key"], row["stage"]) == ("bytes", "0:1:read[2]")]
        self.assertEqual([row["total"] for row in parts], [100000, 100000])
        self.assertEqual(len({row["tid"] for row in parts}), 2)
        over_time = {series["label"]: series for series in value["over_time"]["series"]}
        self.assertEqual(sum(over_time["bytes in 0:1:read[2]"]["amount"]), 200000)
        self.assertEqual(sum(over_time["fill in 0:1:read[2]"]["count"]), 200)
        text = self.callsig("stages", "p.out").stdout
        self.assertIn("  Counter: bytes: 200205 (in 401 calls, 499.26 each", text)
        self.assertIn("    0:2:decode: 200 (in 200 calls, 1.00 each", text)
        self.assertIn("    outside of stages: 5 (in 1 call, 5.00 each", text)
        self.assertIn("  Level: fill: %d (from -3 to 3, mean %.2f, set 200 times)\n" % (level["value"], level["mean"]), text)

    def test_many_keys_in_many_stages(self):
        """None of what was counted is missing, however many keys, stages and threads there are."""
        program = self.compile("many", MANY, "-I" + INCLUDE, libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))
        self.assertEqual(self.callsig("run", "-o", "many.out", program).returncode, 0)
        done = self.callsig("stages", "--format", "json", "many.out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        counters = json.loads(done.stdout)["counters"]
        self.assertEqual((len(counters), {(row["total"], row["count"]) for row in counters}), (16 * 128, {(4, 4)}))

    def test_threads_that_ended(self):
        """Also those whose data is folded: nothing is lost, and nothing counts twice."""
        self.record("600")
        value = self.stages()
        self.assertEqual(self.rows(value)["bytes", "0:1:read[2]"]["total"], 600 * 100 * 1000)
        parts = [row for row in value["counters_by_thread"] if (row["key"], row["stage"]) == ("bytes", "0:1:read[2]")]
        self.assertEqual(sum(row["total"] for row in parts), 600 * 100 * 1000)
        self.assertEqual([row["tid"] for row in parts].count(0), 1)
        level = self.rows(value)["fill", "0:1:read[2]"]
        self.assertEqual((level["count"], level["min"], level["max"]), (60000, -3, 3))

    def test_bad_use(self):
        # "bytes", the long key, "kind" and two others are there before: 251 of the 300 are new.
        self.assertEqual(self.record("misuse").split(), ["-22", "-22", "-22", "0", "0", "-22", "49", "-28", "0"])
        rows = self.rows(self.stages())
        self.assertEqual(len(rows), 256)
        self.assertEqual((rows["kind", None]["total"], rows["same0", None]["total"], rows["same1", None]["total"]), (2, 3, 3))
        losses = self.callsig("report", "p.out")
        self.assertIn("49", losses.stdout + losses.stderr)

    def test_changing_keys(self):
        self.record("changing")
        counts = {}
        for length in range(1, 41):
            for at in range(0, length, 8 if length > 8 else 1):
                key = "a" * at + "b" + "a" * (length - at - 1)
                counts[key] = counts.get(key, 0) + 2
            if length > 1:
                counts["a" * (length // 2)] = counts.get("a" * (length // 2), 0) + 2
        rows = self.rows(self.stages())
        self.assertEqual({key: row["total"] for (key, _), row in rows.items() if key != "bytes"}, counts)

    def test_forked(self):
        self.record("fork", options=["--apart"])
        self.assertEqual(self.rows(self.stages())["mine", None]["total"], 3)
        children = [name for name in self.listing() if name.startswith("p.out.")]
        self.assertEqual(len(children), 2)
        for name in children:
            self.assertEqual({key: row["total"] for key, row in self.rows(self.stages(name)).items()}, {("mine", "0:1:read[2]"): 50})
        self.assertEqual(self.callsig("merge", "-o", "m.out", "p.out", *children).returncode, 0)
        self.assertEqual(self.callsig("stages", "m.out").stdout, self.callsig("stages", "p.out", *children).stdout)

    def test_merge_and_fold(self):
        self.record("4")
        before = self.stages()["counters"]
        for options in ((), ("--fold",)):
            self.assertEqual(self.callsig("merge", *options, "-o", "m.out", "p.out").returncode, 0)
            self.assertEqual(self.stages("m.out")["counters"], before, options)

    def test_merged_without_stages(self):
        """What a process counts outside of all stages is told of a merged recording as well."""
        self.compile("alone", "#include <callsig/callsig.h>\nint main(void) { return callsig_counter_add(\"bytes\", 5); }\n",
                     "-I" + INCLUDE, libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME))
        for name in ("a.out", "b.out"):
            self.assertEqual(self.callsig("run", "-o", name, self.path("alone")).returncode, 0)
        self.assertEqual(self.callsig("merge", "-o", "m.out", "a.out", "b.out").returncode, 0)
        done = self.callsig("stages", "m.out")
        self.assertEqual(done.stdout.count("Counter: bytes: 5 (in 1 call"), 2, done.stdout + done.stderr)

    def test_database(self):
        self.record("slow", options=("--db", "r.db", "--interval", "0.1"))
        base = sqlite3.connect(self.path("r.db"))
        self.addCleanup(base.close)
        self.assertEqual(base.execute("SELECT stage, kind, SUM(count), SUM(amount) FROM counter_stats WHERE key = 'steps' GROUP BY 1, 2").fetchall(),
                         [("0:1:read[2]", "counter", 60, 120)])
        levels = base.execute("SELECT count, amount, value FROM counter_stats WHERE key = 'depth' ORDER BY id").fetchall()
        self.assertGreater(len(levels), 3)
        self.assertEqual((sum(row[0] for row in levels), sum(row[1] for row in levels)), (60, 30 * -4 + 30 * 8))
        self.assertEqual([row[2] for row in levels], sorted(row[2] for row in levels))
        self.assertEqual({levels[0][2], levels[-1][2]}, {-4, 8})
        # What was not monitored is added later, and nothing of it twice.
        base.execute("DELETE FROM counter_stats WHERE interval > 2")
        base.execute("DELETE FROM intervals WHERE id > 2")
        base.execute("UPDATE runs SET complete = 0")
        base.commit()
        self.assertEqual(self.callsig("stages", "--db", "r.db", "p.out").returncode, 0)
        self.assertEqual(base.execute("SELECT SUM(count), SUM(amount) FROM counter_stats WHERE key = 'steps'").fetchone(), (60, 120))
        text = self.callsig("stages", "r.db").stdout
        self.assertIn("  Counter: steps\n    0:1:read[2]: 120 in 60 calls\n", text)
        self.assertIn("  Level: depth\n    0:1:read[2]: 8, set 60 times, mean 2.00\n", text)

    BY_THREAD = ("SELECT key, stage, SUM(t.count), SUM(t.amount) FROM counter_threads t JOIN counter_stats c ON c.id = counter"
                 " WHERE kind = 'counter' GROUP BY key, stage ORDER BY key, stage")

    def test_threads_in_databases(self):
        """What is told of a thread stays when it is folded; over all threads it is what is told of the key."""
        self.record("600", options=("--db", "r.db", "--interval", "0.01"))
        base = sqlite3.connect(self.path("r.db"))
        self.addCleanup(base.close)
        whole = [("bytes", "", 1, 5), ("bytes", "0:1:read[2]", 60000, 60000000), ("bytes", "0:2:decode", 60000, 60000)]
        self.assertEqual(base.execute(self.BY_THREAD).fetchall(), whole)
        self.assertEqual(base.execute("SELECT COUNT(*) FROM counter_threads WHERE count <= 0 OR (tid IS NULL) != (serial = 0)").fetchone(), (0,))
        threads = base.execute("SELECT SUM(t.count) FROM counter_threads t JOIN counter_stats c ON c.id = counter WHERE key = 'fill'"
                               " GROUP BY serial HAVING serial != 0").fetchall()
        self.assertGreater(len(threads), 2)
        self.assertLessEqual(max(threads), (100,), "no thread counts what others did")
        base.execute("DELETE FROM counter_threads WHERE counter IN (SELECT id FROM counter_stats WHERE interval > 2)")
        base.execute("DELETE FROM counter_stats WHERE interval > 2")
        base.execute("DELETE FROM intervals WHERE id > 2")
        base.execute("UPDATE runs SET complete = 0, ended = NULL")
        base.commit()
        self.assertEqual(self.callsig("stages", "--db", "r.db", "p.out").returncode, 0)
        self.assertEqual(base.execute(self.BY_THREAD).fetchall(), whole)

    def test_pictures_and_traces(self):
        self.record("slow", options=("--timeline", "--db", "r.db", "--interval", "0.1"))
        for files in (("p.out",), ("r.db",), ("p.out", "r.db")):
            self.assertEqual(self.callsig("stages", "--plot", "p.svg", *files).returncode, 0)
            with open(self.path("p.svg"), encoding="utf-8") as file:
                picture = file.read()
            for kind, label in (("counter", "steps in 0:1:read[2]"), ("level", "depth in 0:1:read[2]")):
                self.assertIn('data-label="%s" data-kind="%s"' % (label, kind), picture)
            self.assertIn(">-5</text>", picture)
        self.assertEqual(self.callsig("export", "--to", "chrome", "p.out", "-o", "t.json").returncode, 0)
        with open(self.path("t.json"), encoding="utf-8") as file:
            events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "C"]
        steps = [event["args"]["sum"] for event in events if event["name"] == "counter steps"]
        self.assertEqual((steps, steps[-1]), (sorted(steps), 120))
        self.assertEqual({event["args"]["value"] for event in events if event["name"] == "level depth"} & {-4, 8}, {-4, 8})
        self.assertEqual(self.callsig("export", "--to", "perfetto", "p.out", "-o", "t.perfetto").returncode, 0)
        with open(self.path("t.perfetto"), "rb") as file:
            self.assertIn(b"counter steps", file.read())


class Processes(Counted):
    """What callsig run --db keeps of processes that the program starts, and the choice of a run."""

    def database(self):
        base = sqlite3.connect(self.path("r.db"))
        self.addCleanup(base.close)
        return base

    def test_live_children(self):
        started = time.time()
        self.record("fork", "120", options=("--db", "r.db", "--interval", "0.1"))
        base = self.database()
        runs = base.execute("SELECT id, pid, ppid, complete FROM runs ORDER BY id").fetchall()
        self.assertEqual([row[3] for row in runs], [1, 1, 1])
        self.assertEqual({row[2] for row in runs[1:]}, {runs[0][1]})
        for run, *_ in runs[1:]:
            tasks = base.execute("SELECT i.ended, t.num_tasks FROM task_stats t JOIN task_intervals ti ON ti.task = t.id JOIN intervals i"
                                 " ON i.id = ti.interval WHERE i.run = ? AND t.num_tasks > 0 ORDER BY i.id", (run,)).fetchall()
            self.assertEqual(sum(row[1] for row in tasks), 5)
            # While they ran, that is: in several intervals, none of which has all.
            self.assertGreater(len(tasks), 1)
            self.assertTrue(all(started < row[0] < time.time() for row in tasks))

    def test_group(self):
        self.record("fork", "120", options=("--db", "r.db", "--interval", "0.1"))
        base = self.database()
        run, pid = base.execute("SELECT id, pid FROM runs ORDER BY id").fetchone()
        rows = base.execute("SELECT g.interval, g.pid, g.ppid, g.processes, g.threads, g.resident_bytes, g.pss_bytes, g.private_bytes,"
                            " g.written_bytes FROM group_stats g JOIN intervals i ON i.id = g.interval WHERE i.run = ?", (run,)).fetchall()
        whole = {row[0]: row for row in rows if row[1] is None}
        self.assertEqual(max(row[3] for row in whole.values()), 3)
        for interval, group in whole.items():
            members = [row for row in rows if row[0] == interval and row[1] is not None]
            self.assertIn(pid, [row[1] for row in members])
            self.assertEqual((group[3], group[4], group[5]), (len(members), sum(row[4] for row in members), sum(row[5] for row in members)))
            if group[6] is not None:
                self.assertEqual((group[6], group[7]), (sum(row[6] for row in members), sum(row[7] for row in members)))
                self.assertLessEqual(group[7], group[6])
                self.assertLess(group[6], group[5])
        self.assertTrue(any(group[6] is not None for group in whole.values()))
        text = self.callsig("stages", "r.db").stdout
        self.assertIn("\n  The group of run 1: at most 3 processes and 3 threads", text)
        self.assertIn("\n  Process %d (program): at most 1 threads" % pid, text)
        self.assertNotIn("group of run 2", text)
        # On another day a process has the pid that the parent of all had.
        base.execute("INSERT INTO runs (start_ns, pid, ppid, program, command, recording, host, clock, started, ended, complete)"
                     " SELECT start_ns + 86400000000000, ppid, 1, program, command, recording, host, clock, started + 86400, ended + 86400, 1"
                     " FROM runs WHERE id = ?", (run,))
        base.commit()
        self.assertIn("\n  The group of run 1: at most 3 processes", self.callsig("stages", "r.db").stdout)

    def test_times_of_events(self):
        """Each has its own, not the interval's: SPDL's collections are as wide as they were."""
        self.record("events", options=("--db", "r.db", "--interval", "100"))
        base = self.database()
        interval = base.execute("SELECT started, ended FROM intervals").fetchall()
        self.assertEqual(len(interval), 1)
        spans = base.execute("SELECT timestamp, count, total_time FROM event_stats JOIN event_intervals ON event = event_stats.id"
                             " WHERE event_name = 'collect' ORDER BY event_stats.id").fetchall()
        pairs = [[row[0] for row in base.execute("SELECT timestamp FROM event_stats WHERE event_name = ? ORDER BY id", (name,))]
                 for name in ("gc_start", "gc_stop")]
        self.assertEqual((len(spans), len(pairs[0]), len(pairs[1])), (3, 3, 3))
        for (begin, count, length), start, stop in zip(spans, *pairs):
            self.assertEqual(count, 1)
            self.assertGreaterEqual(length, 0.03)
            self.assertTrue(interval[0][0] < start <= begin <= begin + length <= stop + 1e-6 < interval[0][1])
        # The last 128 of many; the others are told with the interval's end.
        burst = base.execute("SELECT count, timestamp FROM event_stats JOIN event_intervals ON event = event_stats.id"
                             " WHERE event_name = 'burst' ORDER BY count").fetchall()
        self.assertEqual([row[0] for row in burst], [1] * 128 + [300 - 128])
        self.assertEqual(burst[-1][1], interval[0][1])
        self.assertGreater(min(row[1] for row in burst[:-1]), spans[1][0])
        events = json.loads(self.callsig("stages", "--format", "json", "r.db").stdout)["runs"][0]["events"]
        for name, lengths in (("collect", [row[2] for row in spans]), ("gc", [stop - start for start, stop in zip(*pairs)])):
            bands = [event["until"] - event["from"] for event in events if event["name"] == name]
            self.assertEqual(len(bands), 3)
            for band, length in zip(bands, lengths):
                self.assertAlmostEqual(band, length, 5)

    def test_run(self):
        self.record("2", options=("--db", "r.db"))
        self.record("4", options=("--db", "r.db"), output="q.out")
        for run, tasks in (("1", 200), ("2", 400), ("last", 400)):
            text = self.callsig("stages", "--run", run, "r.db").stdout
            self.assertIn("  Stage: 0:1:read[2]\n    Total tasks processed: %d\n" % tasks, text)
            value = json.loads(self.callsig("stages", "--run", run, "--format", "json", "r.db").stdout)
            self.assertEqual([each["run"] for each in value["runs"]], [int(run) if run.isdigit() else 2])
            self.assertEqual(self.callsig("stages", "--run", run, "--plot", "p.html", "r.db").returncode, 0)
            with open(self.path("p.html"), encoding="utf-8") as file:
                self.assertEqual(file.read().count("<article "), 1)
        text = self.callsig("stages", "r.db").stdout
        self.assertIn("Total tasks processed: 600\n", text)
        self.assertIn("--run chooses one", text)
        self.assertRegex(text, r"\n  Run 2: \S*program \(\d+\), \d+ intervals\n")
        self.assert_fails(self.callsig("stages", "--run", "3", "r.db"), 1, "r.db: there is no run 3 in it")
        for bad in ("0", "-1", "first", "1x", ""):
            self.assert_fails(self.callsig("stages", "--run", bad, "r.db"), 2, "is neither the number of a run nor last")
        self.assert_fails(self.callsig("stages", "--run", "1", "p.out"), 1, "p.out: --run chooses of a database, and this is a recording")
        self.assert_fails(self.callsig("stages", "--run", "1", "none.db"), 1, "none.db: cannot open: No such file")
        self.assert_fails(self.callsig("stages", "--run", "1", "--db", "r.db", "p.out"), 2, "--run chooses what is shown of a database")


if __name__ == "__main__":
    harness.main()
