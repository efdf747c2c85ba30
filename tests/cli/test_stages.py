"""callsig stages, and callsig run --db: real programs, killed ones, and databases that cannot be used."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
import unittest

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

PLAIN = r"""
#include <unistd.h>
static int __attribute__((noinline)) work(int n) { usleep(1000); return n; }
int main(void) { int sum = 0; for (int i = 0; i < 400; i++) sum += work(i % 4); return sum == 0; }
"""


class Stages(Case):
    def pipeline(self, name="pipeline"):
        return self.compile(name, PIPELINE, "-I" + INCLUDE, libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))

    def simulated(self):
        path = self.path("simulated.out")
        done = self.run_command(os.path.join(BUILD, "tests", "write_pipeline"), path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def open(self, name="r.db"):
        base = sqlite3.connect(self.path(name), timeout=20)
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

    def test_json(self):
        value = self.json(self.simulated())
        self.assertEqual(value["schema"], "callsig.stages/1")
        self.assertEqual([s["label"] for s in value["stages"]], ["0:1:decode[4]", "0:2:resize[2]", "0:3:encode"])
        self.assertEqual(value["events"], [{"name": "flush", "count": 12, "total_time": 0.0}])
        verdict = value["verdicts"][0]
        self.assertEqual((verdict["bound"], verdict["stage"], verdict["equal"], verdict["step"]), ("stage", "0:2:resize[2]", None, "0:2:resize[2]"))
        self.assertEqual([s["state"] for s in verdict["stages"]], ["blocked", "busy", "starved"])

    def test_several_files(self):
        path = self.simulated()
        done = self.callsig("stages", path, self.path("none"), path)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count(path + ":\n"), 2)
        self.assertEqual(done.stderr, "callsig: %s: cannot open: No such file or directory\n" % self.path("none"))

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
        verdict = value["verdicts"][0]
        self.assertEqual((verdict["bound"], verdict["stage"]), ("stage", "0:2:encode"))
        self.assertTrue(any("store(number=" in f["function"] for f in verdict["functions"]), verdict["functions"])
        self.assertTrue(all("scale" not in f["function"] for f in verdict["functions"]))
        table = self.callsig("stages", "--actions", "p.out")
        self.assertEqual(table.returncode, 0, table.stderr)
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.stdout.splitlines() if line.startswith("|")]
        self.assertEqual(lines[0], ["Action", "Mean duration (s)", "Num calls", "Total time (s)", "Percentage %"])
        self.assertEqual(lines[1][:3] + lines[1][4:], ["Total", "-", str(encode["num_tasks"]), "100 %"])
        self.assertEqual(lines[2][0], "save")

    def test_nothing_there(self):
        self.compile("plain", PLAIN)
        self.callsig("run", "-o", "p.out", "./plain")
        self.assert_fails(self.callsig("stages", "p.out"), 1, "p.out: no stages and no queues are recorded in it")
        self.assert_fails(self.callsig("stages", "--actions", "p.out"), 1, "p.out: no actions are recorded in it")
        self.assert_fails(self.callsig("stages"), 1, "callsig.out: cannot open")
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
        self.assertGreater(base.execute("SELECT COUNT(*) FROM intervals").fetchone()[0], 3)
        self.assertEqual(base.execute("SELECT complete, exit_status FROM runs").fetchall(), [(1, 0)])
        self.assert_sums(base, "p.out")
        process = base.execute("SELECT SUM(minor_faults), SUM(user_time), SUM(voluntary_switches), MAX(threads), MAX(resident_bytes) FROM process_stats").fetchone()
        self.assertTrue(process[0] > 10 and process[1] > 0 and process[2] > 100 and process[3] == 5 and process[4] > 100000, process)
        # A second run goes to the same file, and what is complete is not added again.
        self.assertEqual(self.callsig("run", "-o", "q.out", "--db", "r.db", "./pipeline", "50").returncode, 0)
        self.assertEqual(self.callsig("stages", "--db", "r.db", "p.out", "q.out").returncode, 0)
        self.assertEqual(base.execute("SELECT COUNT(*), SUM(complete) FROM runs").fetchall(), [(2, 2)])

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

    def start(self, database, *program):
        return subprocess.Popen([CALLSIG, "run", "-o", "p.out", "--db", database, "--interval", "0.02", *program], cwd=self.folder,
                                env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def recorded(self, name):
        """The process whose intervals are in the database; None while there are none."""
        try:
            base = sqlite3.connect("file:%s?mode=ro" % self.path(name), uri=True, timeout=20)
            try:
                row = base.execute("SELECT pid FROM runs JOIN intervals ON run = runs.id").fetchone()
                return row and row[0]
            finally:
                base.close()
        except sqlite3.OperationalError:
            return None

    def wait_for(self, found, seconds=20):
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
            base = sqlite3.connect("file:%s?mode=ro" % self.path(name), uri=True, timeout=20)
            try:
                return base.execute("SELECT COUNT(*), SUM(elapsed) FROM intervals").fetchone()
            finally:
                base.close()
        except sqlite3.OperationalError:
            return (0, 0)

    def test_killed_program(self):
        program = self.pipeline()
        delays = random.Random(5)
        for number in range(KILLS):
            name = "killed%d.db" % number
            run = self.start(name, program, "20000")
            pid = self.wait_for(lambda: self.recorded(name))
            time.sleep(delays.random() * 0.1)
            before = self.accepted(name)
            os.kill(pid, signal.SIGKILL)
            errors = run.communicate(timeout=60)[1]
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
            run.communicate(timeout=60)
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


if __name__ == "__main__":
    harness.main()
