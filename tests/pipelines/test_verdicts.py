#!/usr/bin/env python3
# ctest: case - quick Recorded
# ctest: case _threads full OddThreads
# ctest: case _full full Verdicts
"""The verdict on pipelines of real threads, of which it is known what bounds them.

    test_verdicts.py [CLASS[.TEST]...]

Some that sleep; test_table.py has all of them. The quick run has what a loaded machine cannot change.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import COMPUTING, SLEEPING, THREADS, WAITING, view  # noqa: E402
from pipeline_case import HERE, LITTLE, TRIES, PipelineCase, failure, own_waits, stage_of  # noqa: E402
from harness import INCLUDE, RUNTIME, main  # noqa: E402

SOME = ("one_is_slow", "moves", "called_directly", "waits_between_tasks", "higher_branch", "texts_tell_which", "schedule", "warm_up",
         "source_ends_early", "a_lock", "a_lock_plain", "its_own_lock", "many_threads_lock", "no_lock", "puts_inside")


# Of a thread's time, in which it waited for a processor: so little that this does not bound it, and so much that nothing else does. The
# verdict's own bound is half of the time of tasks.
SOME_TIME, MOST_TIME = 0.4, 0.6

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

    def test_fewer_threads(self):
        """A stage that was opened for four tasks at a time, and has two threads, has the time of these, and says so."""
        truth = dict(SLOW, run=["items=%d" % ITEMS, "read=1", "decode=150,threads=2,declared=4", "write=1"])
        # The second thread is made as the first one is: it is there all the time, but for what others have it wait for a processor.
        for _ in range(TRIES):
            path, _ = self.record("fewer", truth)
            whole = self.answer(path)
            if max(whole["own_waits"].values()) < LITTLE:
                break
        decode = view(whole["verdicts"][0], "decode")
        text = self.callsig("stages", path).stdout
        self.assertIsNone(failure(whole["verdicts"][0], whole, truth), text)
        self.assertEqual((decode["threads_seen"], decode["replicas"], decode["state"]), (2, 2, "busy"), text)
        self.assertGreater(decode["busy"], 0.8, text)
        self.assertIn("declared 4, 2 threads seen: its shares are of their time", text)

    def test_reserved_slot(self):
        """Of a put that begins before the work whose result it puts, the work is none."""
        path, _ = self.record("reserved", dict(SLOW, run=["items=%d" % ITEMS, "read=1", "decode=150,reserve", "write=1"]))
        queue = next(queue for queue in self.answer(path)["queues"] if queue["name"] == "decode")
        self.assertLess(queue["put_time"], 0.5)
        self.assertLess(view(self.answer(path)["verdicts"][0], "decode")["put_wait"], 0.3)

    def test_switched_off(self):
        """Time in which the program had recording switched off is in no rate and no share, and it is told."""
        path, _ = self.record("off", dict(SLOW, run=["items=%d" % ITEMS, "read=1", "decode=150", "write=1", "off=300-1100"]))
        whole, text = self.answer(path), self.callsig("stages", path).stdout
        off = whole["elapsed"] - whole["recorded"]
        self.assertTrue(0.7 < off < 0.95, text)
        self.assertLess(abs(whole["elapsed"] - off - whole["verdicts"][0]["window"]), 0.25, text)
        self.assertRegex(text, r"Recorded: \d\.\d\d s of \d\.\d\d s; recording was off for the rest")
        self.assertRegex(self.callsig("report", path).stdout, r"recording was off for 0\.[789]\d* of \d\.\d+ seconds")
        self.assertEqual(self.callsig("merge", "-o", "m.out", path).returncode, 0)
        self.assertEqual(self.answer("m.out")["verdicts"], whole["verdicts"])

    def test_database(self):
        """A database of many intervals has the means, rates and shares of the recording that it was made beside."""
        path, _ = self.record("beside", dict(SLOW, run=["items=200", "read=0.5", "decode=3,fail=7/1", "write=0.5"]),
                              "--db", "d.db", "--interval", "0.05")
        averages = [[line for line in self.callsig("stages", each).stdout.splitlines() if "Average" in line] for each in (path, "d.db")]
        self.assertEqual(len(averages[0]), 3 + 4 * 3)
        self.assertEqual(*averages)

    def test_merged(self):
        """Merged, a recording's verdict is the same."""
        for name, truth in (("moves", SLEEPING["moves"]), ("latency_2", WAITING["latency_2"])):
            path, _ = self.record(name, truth)
            self.assertEqual(self.callsig("merge", "-o", "m.out", path).returncode, 0)
            self.assertEqual(self.answer("m.out")["verdicts"], self.answer(path)["verdicts"])

    def test_processor_that_others_use(self):
        """A stage that computes on the one processor there is, of which another program has a quarter: it still is what bounds it."""
        one = {sorted(os.sched_getaffinity(0))[0]}
        with subprocess.Popen(["nice", "-n", "5", sys.executable, "-c", "while True: pass"],
                              preexec_fn=lambda: os.sched_setaffinity(0, one)) as other:
            try:
                path, _ = self.record("others", COMPUTING["one_core"])
            finally:
                other.kill()
        whole = self.answer(path)
        self.assertIsNone(failure(whole["verdicts"][0], whole, COMPUTING["one_core"]), self.callsig("stages", path).stdout)

    def test_cpu_clock(self):
        """CPU times tell nothing of waiting: there are no shares of time, and there is no verdict."""
        path, _ = self.record("cpu", SLEEPING["short"], "--clock", "cpu")
        text = self.callsig("stages", path).stdout
        self.assertIn("Pipeline 0: no verdict: its times are CPU times", text)
        self.assertNotIn("waits for items", text)
        verdict = self.answer(path)["verdicts"][0]
        self.assertEqual((verdict["bound"], verdict["stage"]), ("unknown", None))


class OddThreads(PipelineCase):
    """Threads that are made as items come, help out, take one another's place, or have several tasks open at a time."""

    def decode(self, bound, *mode):
        """The stage, in a pipeline that is bound so; or by the processor, where the kernel told the stage's threads that they waited for
        one most of their time: only there, and then it has to be."""
        self.compile("odd", (HERE / "odd_threads.c").read_text(), "-I" + INCLUDE, "-I" + str(HERE), instrument=False,
                     libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))
        done = self.callsig("run", "-o", "odd.out", "./odd", *mode)
        self.assertEqual(done.returncode, 0)
        waited = own_waits(done.stdout).get("decode", 0)
        text, verdict = self.callsig("stages", "odd.out").stdout, self.answer("odd.out")["verdicts"][0]
        bounds = {bound} if waited < SOME_TIME else {"processor"} if waited > MOST_TIME else {bound, "processor"}
        said = f"its threads waited {waited * 100:.1f}% of their time for a processor, says the kernel\n{text}"
        self.assertIn(verdict["bound"], bounds, said)
        self.assertEqual(stage_of(verdict), "decode", said)
        return view(verdict, "decode"), said

    def test_event_loop(self):
        """One thread is not what limits it, which has several tasks open at a time."""
        stage, text = self.decode("unknown", "event_loop")
        self.assertEqual(stage["replicas"], 16, text)
        self.assertLess(stage["busy"], 0.3, text)

    def test_thread_an_item(self):
        stage, text = self.decode("stage", "an_item")
        self.assertEqual(stage["state"], "busy", text)
        self.assertGreater(stage["busy"], 0.8, text)

    def test_helper(self):
        """Main, which does a task now and then, is none of the two threads, nor are its waits theirs."""
        stage, text = self.decode("stage", "helper")
        self.assertEqual((stage["replicas"], stage["threads_seen"], stage["state"]), (2, 2, "busy"), text)
        self.assertLess(stage["put_wait"], 0.15, text)

    def test_renewed(self):
        for after, what in (("10", r"\d+ threads seen, \d\.\d of them"), ("2", r"threads that came and went seen, \d\.\d of them")):
            stage, text = self.decode("stage", "renewed", after)
            self.assertGreater(stage["busy"], 0.8, text)
            self.assertEqual((stage["replicas"], stage["state"]), (2, "busy"), text)
            self.assertRegex(text, "declared 4, " + what)


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

    def test_threads(self):
        for name, truth in THREADS.items():
            with self.subTest(case=name):
                self.check(name, truth)


if __name__ == "__main__":
    main()
