#!/usr/bin/env python3
# ctest: case - quick Recorded
# ctest: case _full full Verdicts
"""The verdict on pipelines of real threads, of which it is known what bounds them.

    test_verdicts.py [CLASS[.TEST]...]

Some that sleep; test_table.py has all of them. The quick run has what a loaded machine cannot change.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import SLEEPING, WAITING  # noqa: E402
from pipeline_case import PipelineCase, failure  # noqa: E402
from harness import main  # noqa: E402

SOME = ("one_is_slow", "moves", "called_directly", "waits_between_tasks", "higher_branch", "texts_tell_which", "schedule", "warm_up",
         "source_ends_early", "a_lock", "a_lock_plain", "its_own_lock", "many_threads_lock", "no_lock", "puts_inside")


# One stage takes so much longer that what a task waits for a processor does not matter.
ITEMS = 12
SLOW = dict(run=["items=%d" % ITEMS, "read=1", "decode=150", "write=1"], bound={"stage", "processor"}, stage="decode")


class Recorded(PipelineCase):
    def test_slow_stage(self):
        path, _ = self.record("slow", SLOW)
        whole = self.answer(path)
        self.assertEqual([stage["num_tasks"] for stage in whole["stages"]], [ITEMS] * 3)
        self.assertEqual({(queue["num_items"], queue["puts"], queue["items"]) for queue in whole["queues"]}, {(ITEMS, ITEMS, 0)})
        self.assertIsNone(failure(whole["verdicts"][0], whole, SLOW), self.callsig("stages", path).stdout)

    def test_merged(self):
        """Merged, a recording's verdict is the same."""
        for name, truth in (("moves", SLEEPING["moves"]), ("latency_2", WAITING["latency_2"])):
            path, _ = self.record(name, truth)
            self.assertEqual(self.callsig("merge", "-o", "m.out", path).returncode, 0)
            self.assertEqual(self.answer("m.out")["verdicts"], self.answer(path)["verdicts"])

    def test_cpu_clock(self):
        """CPU times tell nothing of waiting: there are no shares of time, and there is no verdict."""
        path, _ = self.record("cpu", SLEEPING["short"], "--clock", "cpu")
        text = self.callsig("stages", path).stdout
        self.assertIn("Pipeline 0: no verdict: its times are CPU times", text)
        self.assertNotIn("waits for items", text)
        verdict = self.answer(path)["verdicts"][0]
        self.assertEqual((verdict["bound"], verdict["stage"]), ("unknown", None))


class Verdicts(PipelineCase):
    def check(self, name, truth):
        path, _ = self.record(name, truth)
        whole = self.answer(path)
        said = self.callsig("stages", path).stdout.split("Verdict:")[-1]
        self.assertIsNone(failure(whole["verdicts"][0], whole, truth), said)

    def test_cases(self):
        for name in SOME:
            with self.subTest(case=name):
                self.check(name, SLEEPING[name])


if __name__ == "__main__":
    main()
