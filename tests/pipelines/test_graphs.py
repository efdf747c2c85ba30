#!/usr/bin/env python3
# ctest: case - quick
"""Verdicts on pipelines that are no row of stages in one process: rings, slots of which nothing is told, batches by time, a pool that two
pipelines share, and stages in processes of their own. What bounds them is known by their times.

    test_graphs.py [CLASS[.TEST]...]
"""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pipeline_case import HERE, TRIES, PipelineCase, is_disturbed  # noqa: E402
from harness import CALLSIG, INCLUDE, RUNTIME, main  # noqa: E402


class Graphs(PipelineCase):
    def verdict(self, name, *arguments):
        path, verdict = self.recorded(name, *arguments)
        return verdict, self.callsig("stages", path).stdout.split("Verdict:")[-1]

    def test_few_blocks(self):
        """One block for three stages: it bounds them, more blocks are what helps, and threads are not."""
        verdict, text = self.verdict("few", "items=25", "alone", "blocks=1", "read=20", "decode=40", "write=20")
        self.assertEqual((verdict["bound"], verdict["before"]), ("ring", "0:3:free"), text)
        self.assertIn("too few items bound it: 1 goes round by 0:3:free", text)
        self.assertAlmostEqual(verdict["doubling_gain"], 1, delta=0.02)
        first = verdict["what_would_help"]["proposals"][0]
        self.assertEqual([(change["queue"], "threads" in change) for change in first["changes"]], [("0:3:free", False)])
        self.assertAlmostEqual(first["gain"], 2, delta=0.2)
        self.assertRegex(text, r"What would help: \d items going round by 0:3:free: ")

    def test_few_blocks_without_processors(self):
        """Two threads compute by turns on one processor, so that both blocks are at work most of the time: more blocks only wait for it."""
        path, _ = self.record("one", dict(run=["items=100", "alone", "blocks=2", "read=1", "decode=6,cpu,threads=2", "write=1"], plain=True, cores=1))
        verdict = self.answer(path)["verdicts"][0]
        self.assertEqual((verdict["bound"], verdict["stage"]), ("processor", "0:2:decode[2]"), self.callsig("stages", path).stdout)

    def test_asked_for_blocks(self):
        for number in range(TRIES):
            path, _ = self.record(f"asked_{number}", dict(run=["items=30", "alone", "blocks=8", "read=10", "decode=40", "write=10"], plain=True))
            whole = json.loads(self.callsig("stages", "--format", "json", "--what-if", "queue:free=1", path).stdout)
            if not is_disturbed(whole["verdicts"][0]):
                break
        asked = whole["verdicts"][0]["what_would_help"]["what_if"]
        self.assertEqual(asked["changes"], [{"queue": "0:3:free", "items": 1}])
        self.assertAlmostEqual(asked["gain"], 40 / 60, delta=0.1)

    def test_slots(self):
        """What the first stage waits for is not told: neither is what would help, nor that nothing does."""
        verdict, text = self.verdict("slots", "items=60", "alone", "slots=2", "read=5", "decode=20", "write=5")
        self.assertIsNone(verdict["doubling_gain"])
        self.assertIsNone(verdict["doubling_promised"])
        self.assertIn("for what is not told", verdict["what_would_help"]["not_predicted"])
        self.assertEqual(verdict["what_would_help"]["proposals"], [])
        self.assertRegex(text, r"What would help is not predicted: threads of 0:1:read wait \d\d\.\d% of their time between their tasks")
        self.assertNotIn("Twice its concurrency", text)

    def test_batches_by_time(self):
        verdict, text = self.verdict("timed", "items=200", "alone", "read=3", "infer=8,gather=64/10")
        self.assertRegex(verdict["what_would_help"]["not_predicted"] or "", r"0:2:infer takes \d+\.\d items a task, by what there is or by time", text)
        verdict, text = self.verdict("counted", "items=200", "alone", "read=3", "infer=40,gather=8/5000")
        self.assertNotIn("by time", verdict["what_would_help"]["not_predicted"] or "", text)

    def build(self, name):
        self.compile(name, (HERE / (name + ".c")).read_text(), "-I" + INCLUDE, instrument=False,
                     libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))

    def run_program(self, name, *arguments):
        done = subprocess.run([CALLSIG, "run", "-o", name + ".out", "./" + name, *map(str, arguments)], cwd=self.folder, env=self.environment,
                              text=True, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return name + ".out", float(done.stdout)

    def test_shared_pool(self):
        """Three threads of two pipelines work all of the time, 60 of 96 ms for the first one: they bound both."""
        self.build("shared_pool")
        path, _ = self.run_program("shared_pool", 3, 24, 60, 36)
        verdicts = self.answer(path)["verdicts"]
        text = self.callsig("stages", path).stdout
        self.assertEqual([(verdict["bound"], verdict["stage"]) for verdict in verdicts], [("pool", "0:2:work[3]"), ("pool", "1:2:work[3]")], text)
        worked = {stage["label"]: stage["total_time"] for stage in self.answer(path)["stages"]}
        both = worked["0:2:work[3]"] + worked["1:2:work[3]"]
        for number in range(2):
            share = worked[f"{number}:2:work[3]"] / both
            self.assertRegex(text, rf"Pipeline {number}: the pool of 3 threads that it shares with pipeline {1 - number} bounds it")
            self.assertAlmostEqual(verdicts[number]["pool"]["here"], share, delta=0.05)
            self.assertGreater(verdicts[number]["pool"]["busy"], 0.85)
            self.assertIn("stages of other pipelines", verdicts[number]["what_would_help"]["not_predicted"])

    def test_threads_that_ended(self):
        """Threads that live for one item are told together when they have ended, with that of the sink: the queue that these put into and took
        from is between both stages, and no loop of either."""
        self.build("spdl_shape")
        done = self.callsig("run", "-o", "spdl_shape.out", "./spdl_shape", "1.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = json.loads(self.callsig("stages", "--format", "json", "spdl_shape.out").stdout)
        self.assertGreater(whole["stages"][0]["num_tasks"], 64, "threads must have been folded")
        queues = [(stage["input"], stage["output"]) for stage in whole["verdicts"][0]["stages"]]
        self.assertEqual(queues, [(None, "0:1:load"), ("0:1:load", None)])

    def test_processes(self):
        """Two workers of 30 ms in processes of their own, between 5 ms of each of the first one's stages: they bound the whole."""
        self.build("forked_stages")
        path, _ = self.run_program("forked_stages", 2, 40, 5, 30, 5)
        text = self.callsig("stages", path).stdout
        parts, whole = text.split("Processes that queues connect, as one:")
        self.assertEqual(parts.count("in this process: if another one does"), 6)
        self.assertIn("Pipeline 0: 0:1:decode[2] bounds it", whole)
        self.assertNotIn("in this process", whole)
        decoder, documents, at = json.JSONDecoder(), [], 0
        answer = self.callsig("stages", "--format", "json", path).stdout
        while at < len(answer.rstrip()):
            document, at = decoder.raw_decode(answer, at)
            documents.append(document)
            at += len(answer[at:]) - len(answer[at:].lstrip())
        self.assertEqual([document["processes"] for document in documents], [1, 1, 1, 3])
        joined = documents[-1]
        self.assertEqual([stage["num_tasks"] for stage in joined["stages"]], [40] * 3)
        self.assertEqual({(queue["puts"], queue["num_items"]) for queue in joined["queues"]}, {(40, 40)})
        verdict = joined["verdicts"][0]
        self.assertEqual((verdict["bound"], verdict["stage"]), ("stage", "0:1:decode[2]"))
        for document in documents[:-1]:
            self.assertIsNone(document["verdicts"][0]["doubling_gain"])
        if not is_disturbed(verdict):
            self.assertTrue(1.4 < verdict["doubling_gain"] <= 2, text)


if __name__ == "__main__":
    main()
