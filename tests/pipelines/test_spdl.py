#!/usr/bin/env python3
# ctest: case - full
"""What SPDL's tools say of a database of `callsig run --db`, beside what the program measured by itself: means, rates and the bands of
events, of a program with threads that live for one item.

    test_spdl.py [--spdl FOLDER]

The queries and sums are those of SPDL's examples/sqlite_stats_logger.py and performance_analysis_plot.py, as of its commit ff33a9f4
(July 2026). With --spdl, a checkout of https://github.com/facebookresearch/spdl, that script itself runs, unchanged (it needs
matplotlib), and what it logs and draws is held against the program's figures as well.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from harness import INCLUDE, RUNTIME, Case, main  # noqa: E402

SPDL = None
if "--spdl" in sys.argv:
    place = sys.argv.index("--spdl")
    SPDL = os.path.abspath(sys.argv[place + 1])
    del sys.argv[place:place + 2]

SECONDS, INTERVAL = "30", "1"
WITHIN = 0.01
LOAD, SINK = "0:1:load[8]", "0:2:sink"

# What the script's modules need of SPDL's package itself: the names of two types.
TYPES = "class TaskPerfStats:\n    pass\n\n\nclass QueuePerfStats:\n    pass\n"
# The script, and the spans that it draws, which it does not print.
DRAW = """
import json, sys
import matplotlib
matplotlib.use("Agg")
from examples import performance_analysis_plot as script
bands = []
add = script.add_gc_events_to_plot
def add_gc_events_to_plot(ax, gc_pairs, label_first=True):
    bands.append(gc_pairs)
    return add(ax, gc_pairs, label_first)
script.add_gc_events_to_plot = add_gc_events_to_plot
script.main()
print("BANDS " + json.dumps(bands))
"""


class Spdl(Case):
    def record(self):
        self.compile("spdl_shape", (HERE / "spdl_shape.c").read_text(), "-I" + INCLUDE, "-pthread",
                     libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))
        done = self.callsig("run", "--db", "r.db", "--interval", INTERVAL, "-o", "r.out", "./spdl_shape", SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.own = json.loads(done.stdout)
        self.base = sqlite3.connect(self.path("r.db"))
        self.addCleanup(self.base.close)

    def near(self, said, own, what, rounded=0.0):
        least, most = own
        self.assertTrue(least * (1 - WITHIN) - rounded <= said <= most * (1 + WITHIN) + rounded, f"{what}: {said}, its own {own}")

    def check_summary(self, stages, queue, rounded=0.0):
        """As log_stats_summary() has them: stages by label, and the queue. Times are rounded by so much, and the rate to 0.01. Means of
        waits to put are weighted by what was got, which adds some tenths of a percent."""
        for label, name in ((LOAD, "load"), (SINK, "sink")):
            for count in ("num_tasks", "num_failures"):
                self.assertEqual(stages[label][count], self.own[name][count], (label, count))
            self.near(stages[label]["ave_time"], self.own[name]["ave_time"], label, rounded)
        self.assertEqual(queue["num_items"], self.own["queue"]["num_items"])
        for figure in ("qps", "ave_put_time", "ave_get_time"):
            self.near(queue[figure], self.own["queue"][figure], figure, 0.005 if figure == "qps" and rounded else rounded)

    def check_bands(self, bands):
        self.assertGreater(len(bands), 5)
        self.assertEqual(len(bands), len(self.own["collections"]))
        for (start, stop), (own_start, own_stop) in zip(bands, self.own["collections"]):
            width = own_stop[0] - own_start[1], own_stop[1] - own_start[0]
            self.near(stop - start, width, "a band's width")
            for said, own in ((start, own_start), (stop, own_stop)):
                self.assertTrue(own[0] - WITHIN * width[0] <= said <= own[1] + WITHIN * width[0], "a band's place")

    def check_queries(self):
        stages = {}
        for name, tasks, failures, time in self.base.execute("SELECT name, SUM(num_tasks), SUM(num_failures), SUM(ave_time * num_tasks)"
                                                             " FROM task_stats GROUP BY name"):
            stages[name] = {"num_tasks": tasks, "num_failures": failures, "ave_time": time / tasks}
        rows = self.base.execute("SELECT SUM(num_items), SUM(elapsed), SUM(ave_put_time * num_items), SUM(ave_get_time * num_items)"
                                 " FROM queue_stats").fetchall()
        items, elapsed, put, get = rows[0]
        self.check_summary(stages, {"num_items": items, "qps": items / elapsed, "ave_put_time": put / items, "ave_get_time": get / items})
        starts, bands = [], []
        for name, timestamp in self.base.execute("SELECT event_name, timestamp FROM event_stats ORDER BY timestamp"):
            if name == "gc_start":
                starts.append(timestamp)
            elif name == "gc_stop":
                bands.append((starts.pop(0), timestamp))
        self.check_bands(bands)

    def check_intervals(self):
        """What is drawn over time: no row is empty of time, or below zero, and rows are at their intervals' ends."""
        for table in ("task_stats", "queue_stats"):
            for row in self.base.execute(f"SELECT * FROM {table}"):
                self.assertGreaterEqual(min(value for value in row if isinstance(value, (int, float))), 0, row)
                self.assertNotIn(None, row)
        ends = {end for (end,) in self.base.execute("SELECT ended FROM intervals")}
        self.assertEqual({time for (time,) in self.base.execute("SELECT timestamp FROM task_stats")}, ends)
        self.assertGreater(len(ends), float(SECONDS) / float(INTERVAL) / 2)

    def check_script(self):
        (Path(self.folder) / "spdl").mkdir()
        self.write("spdl/pipeline.py", TYPES)
        environment = dict(self.environment, PYTHONPATH=self.folder + os.pathsep + SPDL)
        done = subprocess.run([sys.executable, "-c", DRAW, "--db-path", "r.db", "--output", "plots"], cwd=self.folder, env=environment,
                              text=True, capture_output=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = re.sub(r"(?m)^.*\[I\]: ", "", done.stderr)

        def figures(heading, names):
            part = said[said.index(heading):].split("\n\n")[0]
            return {key: float(re.search(name + r": ([\d.]+)", part).group(1)) for key, name in names.items()}

        stages = {label: figures("Stage: " + label, {"num_tasks": "Total tasks processed", "num_failures": "Total failures",
                                                     "ave_time": "Average task time"}) for label in (LOAD, SINK)}
        queue = figures("Queue: 0:1:load", {"num_items": "Total items processed", "qps": "Average QPS", "ave_put_time": "Average put time",
                                            "ave_get_time": "Average get time"})
        own = {name: self.own[name] for name in ("load", "sink", "queue")}
        print("\nSPDL:", json.dumps(stages), json.dumps(queue), "The program itself:", json.dumps(own), sep="\n")
        self.check_summary(stages, queue, rounded=0.00005)
        for bands in json.loads(done.stdout.split("BANDS ")[1]):
            self.check_bands(bands)
        self.assertEqual(sorted(os.listdir(self.path("plots"))), ["queue_stats_combined.png", "task_stats_combined.png"])

    def test_all(self):
        self.record()
        self.check_queries()
        self.check_intervals()
        if SPDL:
            self.check_script()


if __name__ == "__main__":
    main()
