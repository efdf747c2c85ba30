#!/usr/bin/env python3
"""The verdict on pipelines of real threads, of which it is known what bounds them.

    test_verdicts.py [CASE...]

Some that sleep, which hold on a loaded machine as well; test_table.py has all of them.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import SLEEPING  # noqa: E402
from pipeline_case import PipelineCase, failure  # noqa: E402
from harness import main  # noqa: E402

QUICK = ("one_is_slow", "moves", "called_directly", "waits_between_tasks", "higher_branch", "texts_tell_which", "schedule", "warm_up",
         "source_ends_early", "a_lock", "a_lock_plain", "its_own_lock", "many_threads_lock", "no_lock", "puts_inside")


class Verdicts(PipelineCase):
    def check(self, name, truth):
        path, _ = self.record(name, truth)
        whole = self.answer(path)
        said = self.callsig("stages", path).stdout.split("Verdict:")[-1]
        self.assertIsNone(failure(whole["verdicts"][0], whole, truth), said)

    def test_cases(self):
        for name in QUICK:
            with self.subTest(case=name):
                self.check(name, SLEEPING[name])

    def test_merged(self):
        """Merged, a recording's verdict is the same."""
        path, _ = self.record("moves", SLEEPING["moves"])
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


if __name__ == "__main__":
    main()
