#!/usr/bin/env python3
# ctest: case - quick
# ctest: case _all full --all
"""The verdict on pipelines of real threads, of which it is known what bounds them.

    test_verdicts.py [--all] [CASE...]

A few sleeping ones, or all of them, those that compute included. Those hold on a loaded machine as well: where others
use the processors too, it is right that the processor bounds what computes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
sys.path.insert(0, str(HERE))
from cases import COMPUTING, SLEEPING  # noqa: E402
from harness import CALLSIG, INCLUDE, RUNTIME, Case, main  # noqa: E402

QUICK = ("one_is_slow", "moves", "called_directly", "waits_between_tasks", "higher_branch", "texts_tell_which", "schedule", "warm_up",
         "source_ends_early", "a_lock", "a_lock_plain", "its_own_lock", "many_threads_lock", "no_lock", "puts_inside")
ALL = "--all" in sys.argv
if ALL:
    sys.argv.remove("--all")


def fits(value, expected):
    return expected is None or value in (expected if isinstance(expected, set) else {expected})


def cores_are_lacking(verdict, truth):
    """On a machine whose processors others use, it is right that these bound even what sleeps most of its time."""
    return verdict["bound"] == "processor" != truth["bound"] and verdict["processors_used"] < verdict["processors"] / 2


class Verdicts(Case):
    def setUp(self):
        super().setUp()
        source = (HERE / "run_pipeline.c").read_text()
        libs = ("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread")
        self.compile("instrumented", source, "-I" + INCLUDE, libs=libs)
        self.compile("plain", source, "-I" + INCLUDE, instrument=False, libs=libs)

    def record(self, name, truth, *options):
        """The recording of a case, which uses as many processors as it states."""
        cores = truth.get("cores")
        allowed = sorted(os.sched_getaffinity(0))[:cores]
        if cores and len(allowed) < cores:
            return None
        program = "./plain" if truth.get("plain") else "./instrumented"
        done = subprocess.run([CALLSIG, "run", *options, "-o", name + ".out", program, *truth["run"]], cwd=self.folder,
                              env=self.environment, text=True, capture_output=True, timeout=300, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, allowed) if cores else None)
        self.assertEqual(done.returncode, 0, done.stderr)
        return name + ".out"

    def answer(self, path):
        done = self.callsig("stages", "--format", "json", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check(self, name, truth):
        path = self.record(name, truth)
        if path is None:
            return
        whole = self.answer(path)
        verdict = whole["verdicts"][0]
        stage = verdict["stage"].split(":")[2].split("[")[0] if verdict["stage"] else None
        if cores_are_lacking(verdict, truth):
            return
        said = self.callsig("stages", path).stdout.split("Verdict:")[-1]
        self.assertTrue(fits(verdict["bound"], truth["bound"]), said)
        self.assertTrue(fits(stage, truth["stage"]), said)
        self.assertLessEqual(verdict["doubling_gain"], truth.get("gain", 2.0) + 1e-9, said)
        for text, is_true in truth.get("all", ()):
            self.assertTrue(is_true(verdict, whole), text + said)

    def test_cases(self):
        cases = dict(SLEEPING, **COMPUTING) if ALL else {name: SLEEPING[name] for name in QUICK}
        for name, truth in cases.items():
            with self.subTest(case=name):
                self.check(name, truth)

    def test_merged(self):
        """Merged, a recording's verdict is the same."""
        path = self.record("moves", SLEEPING["moves"])
        self.assertEqual(self.callsig("merge", "-o", "m.out", path).returncode, 0)
        self.assertEqual(self.answer("m.out")["verdicts"], self.answer(path)["verdicts"])

    def test_cpu_clock(self):
        """CPU times tell nothing of waiting: there are no shares of time, and there is no verdict."""
        path = self.record("cpu", SLEEPING["short"], "--clock", "cpu")
        text = self.callsig("stages", path).stdout
        self.assertIn("Pipeline 0: no verdict: its times are CPU times", text)
        self.assertNotIn("waits for items", text)
        verdict = self.answer(path)["verdicts"][0]
        self.assertEqual((verdict["bound"], verdict["stage"]), ("unknown", None))


if __name__ == "__main__":
    main()
