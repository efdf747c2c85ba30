#!/usr/bin/env python3
"""examples/thumbnails, the pipeline of `make demo`: what it makes, and that its stages add up to the whole.

    test_thumbnails.py
"""

import glob
import json
import os
import re
import sqlite3
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from harness import CALLSIG_CC, INCLUDE, RUNTIME, TOP, Case, main  # noqa: E402

EXAMPLE = os.path.join(TOP, "examples", "thumbnails")
GOOD = {"320x200": (256, 160), "640x480": (256, 192), "800x600": (256, 192), "1200x900": (256, 192), "100x300": (100, 300), "8x5": (8, 5)}
BROKEN = 2
TIMES = 3
LABELS = ["0:0:read", "0:1:decode[3]", "0:2:resize[2]", "0:3:encode", "0:4:write"]


def jpeg_size(path):
    """Width and height of a JPEG file, by its own frame header."""
    data = Path(path).read_bytes()
    at = 2
    while data[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(data[at + 2:at + 4], "big")
    return int.from_bytes(data[at + 7:at + 9], "big"), int.from_bytes(data[at + 5:at + 7], "big")


class Thumbnails(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("in"))
        os.mkdir(self.path("out"))
        sources = [os.path.join(EXAMPLE, name) for name in ("image.c", "jpeg.c", "resize.c")]
        self.build("cc", self.path("pictures"), [str(HERE / "pictures.c"), *sources[:2]])
        done = self.run_command(self.path("pictures"), self.path("in"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.program = self.path("thumbnails")
        self.build(CALLSIG_CC, self.program, sorted(glob.glob(os.path.join(EXAMPLE, "*.c"))))
        self.pictures = sorted(glob.glob(self.path("in", "*.jpg")))

    def build(self, compiler, program, sources):
        done = self.run_command(compiler, "-O2", "-Wall", "-Wextra", "-I", INCLUDE, "-I", EXAMPLE, *sources, "-o", program, "-L",
                                RUNTIME, f"-Wl,-rpath,{RUNTIME}", "-lcallsig", "-ljpeg", "-lpthread")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def run_pipeline(self, *options):
        return self.callsig("run", "-o", self.path("recording"), *options, self.program, "-d", "3", "-r", "2", "-n", str(TIMES),
                            "-o", self.path("out"), *self.pictures)

    def report(self, *options):
        done = self.callsig("report", "--format", "json", *options, self.path("recording"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_thumbnails_are_made(self):
        done = self.run_pipeline()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({Path(path).stem: jpeg_size(path) for path in glob.glob(self.path("out", "*.jpg"))}, GOOD)
        self.assertIn(f"{len(GOOD) * TIMES} thumbnails", done.stdout)
        self.assertEqual(len(re.findall("not a whole JPEG", done.stderr)), BROKEN * TIMES)

    def test_stages_add_up(self):
        """To the call, and to a nanosecond of seconds that are printed whole."""
        self.run_pipeline()
        whole = self.report("--by", "signature")
        for by in ("stage", "function,stage", "stage,signature", "stage,thread", "stage,module"):
            parts = self.report("--by", by)
            self.assertEqual(sum(row["ncalls"] for row in parts["rows"]), whole["total_calls"], by)
            self.assertAlmostEqual(sum(row["tottime"] for row in parts["rows"]), whole["total_time"], delta=1e-9, msg=by)
        labels = [row["stage"] for row in self.report("--by", "stage")["rows"]]
        self.assertEqual(sorted(label for label in labels if label), LABELS)
        calls = sum(self.report("--stage", label.replace("[", "?").replace("]", "?"))["total_calls"] for label in LABELS)
        outside = sum(row["ncalls"] for row in self.report("--by", "stage")["rows"] if not row["stage"])
        self.assertEqual(calls + outside, whole["total_calls"])

    def test_tasks_queues_and_database(self):
        self.run_pipeline("--db", self.path("runs.db"), "--interval", "0.05")
        done = self.callsig("stages", "--format", "json", self.path("recording"))
        stages = {stage["label"]: stage for stage in json.loads(done.stdout)["stages"]}
        good, broken = len(GOOD) * TIMES, BROKEN * TIMES
        counts = {label: (stage["num_tasks"], stage["num_failures"]) for label, stage in stages.items()}
        self.assertEqual({row["stage"].split(":")[2] for row in json.loads(done.stdout)["counters"] if row["key"] == "bytes"},
                         {"read", "write"})
        self.assertEqual(counts, dict(zip(LABELS, [(good + broken, 0), (good + broken, broken), (good, 0), (good, 0), (good, 0)])))
        rows = sqlite3.connect(self.path("runs.db")).execute(
            "SELECT name, sum(num_tasks), sum(num_failures) FROM task_stats GROUP BY name").fetchall()
        self.assertEqual({name: (tasks, failures) for name, tasks, failures in rows}, counts)
        queues = {queue["name"]: queue for queue in json.loads(done.stdout)["queues"]}
        self.assertEqual({name: queue["num_items"] for name, queue in queues.items()},
                         {"read": good + broken, "decode": good, "resize": good, "encode": good})

    def test_every_picture_has_its_way(self):
        self.run_pipeline("--timeline=100s")
        out = self.path("trace.json")
        self.assertEqual(self.callsig("export", "--to", "chrome", "-o", out, self.path("recording")).returncode, 0)
        ways = {}
        for event in json.loads(Path(out).read_text())["traceEvents"]:
            if event["ph"] in "stf":
                ways.setdefault(event["id"], []).append(event["ph"])
        lengths = sorted("".join(sorted(way)) for way in ways.values())
        self.assertEqual(lengths, sorted(["fs"] * BROKEN * TIMES + ["fsttt"] * len(GOOD) * TIMES))


if __name__ == "__main__":
    main()
