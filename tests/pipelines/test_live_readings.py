#!/usr/bin/env python3
# ctest: case - quick
# ctest: case _long full --seconds 60
"""While a thousand threads a second begin and end, no counter of a live reading falls, and the intervals sum to the lifetime.

    test_live_readings.py [--seconds SECONDS]
"""

import json
import os
import sqlite3
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from harness import INCLUDE, RUNTIME, Case, main  # noqa: E402

SECONDS = "2.5"
IS_LONG = "--seconds" in sys.argv
if IS_LONG:
    place = sys.argv.index("--seconds")
    SECONDS = sys.argv[place + 1]
    del sys.argv[place:place + 2]

TASKS = ("SELECT name, num_tasks, num_failures, dropped, total_time, failed_time FROM task_stats"
         " JOIN task_intervals ON task = task_stats.id ORDER BY interval")
QUEUES = ("SELECT name, num_items, puts, failed, put_time, get_time FROM queue_stats"
          " JOIN queue_intervals ON queue = queue_stats.id ORDER BY interval")


class LiveReadings(Case):
    def setUp(self):
        super().setUp()
        source = (HERE / "short_threads.c").read_text()
        self.compile("short_threads", source, "-I" + INCLUDE, "-pthread",
                     libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))

    def assert_no_fall(self, rows):
        """Counts are exact; times follow the clock's calibration, which gets better while a program runs: the long case looks at them."""
        for row in rows:
            self.assertGreaterEqual(min(row[1:4]), 0, row)
            if IS_LONG:
                self.assertGreater(min(row[4:]), -1e-4, row)

    def test_intervals(self):
        done = self.callsig("run", "--db", "r.db", "--interval", "0.01", "-o", "r.out", "./short_threads", SECONDS, "1000",
                            timeout=120 + 2 * float(SECONDS))
        self.assertEqual(done.returncode, 0, done.stderr)
        items, steady = map(int, done.stdout.split())
        self.assertGreater(items, 64, "threads must have been folded")
        base = sqlite3.connect(self.path("r.db"))
        self.addCleanup(base.close)
        tasks, queues = base.execute(TASKS).fetchall(), base.execute(QUEUES).fetchall()
        self.assertGreater(len(queues), 5 if IS_LONG else 1)
        self.assert_no_fall(tasks)
        self.assert_no_fall(queues)
        self.assertEqual(sum(row[1] for row in tasks if row[0] == "0:0:item"), items)
        self.assertEqual(sum(row[1] for row in tasks if row[0] == "0:1:steady"), steady)
        self.assertEqual(sum(row[1] for row in queues), items)
        for (count,) in base.execute("SELECT SUM(ncalls) FROM function_stats WHERE function LIKE '%run_item%'"):
            self.assertEqual(count, items)
        for (fallen,) in base.execute("SELECT COUNT(*) FROM function_stats WHERE ncalls < 0"):
            self.assertEqual(fallen, 0)

    def test_readings(self):
        """Readings by another process, one after the other, as `callsig stages` makes them."""
        import subprocess
        with subprocess.Popen([os.path.join(self.folder, "short_threads"), SECONDS, "1000"], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, env=dict(self.environment, CALLSIG_OUTPUT=self.path("r.out"))) as program:
            last, readings = {}, 0
            while program.poll() is None:
                done = self.callsig("stages", "--format", "json", "r.out")
                if done.returncode != 0:
                    self.assertEqual(last, {}, done.stderr)
                    continue
                value = json.loads(done.stdout)
                for each in value["stages"] + value["queues"]:
                    for field in ("num_tasks", "num_items", "puts"):
                        if field in each:
                            key = each["label"], field
                            self.assertGreaterEqual(each[field], last.get(key, 0), key)
                            last[key] = each[field]
                readings += bool(last)
            items, steady = map(int, program.stdout.read().split())
        self.assertGreater(readings, 3 if IS_LONG else 0)
        value = json.loads(self.callsig("stages", "--format", "json", "r.out").stdout)
        self.assertEqual([stage["num_tasks"] for stage in value["stages"]], [items, steady])


if __name__ == "__main__":
    main()
