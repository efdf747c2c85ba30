#!/usr/bin/env python3
# ctest: case - quick Forecast.test_what_if Forecast.test_threads_of_several_stages Forecast.test_one_thread_shows_nothing
# ctest: case _full full Forecast.test_one Forecast.test_all
"""What is predicted of pipelines is what they do: each is run as it is, and again with what was proposed.

    test_forecast.py

Tasks sleep for so long that a busy machine does not change much of it; where the same stage's tasks took longer in one of the two runs all the
same, the machine is not the same, and both are run again.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pipeline_case import TRIES, PipelineCase, is_same  # noqa: E402
from harness import main  # noqa: E402

WITHIN = 0.10

# Seventeen pipelines: what helps one is not what helps another.
PIPELINES = {
    "one_is_slow": ["items=150", "read=4", "decode=24,threads=2", "resize=18", "write=2"],
    "two_are_slow": ["items=120", "capacity=2", "read=20", "decode=40,threads=2", "write=4"],
    "many_stages": ["items=120", "a=5", "b=24,threads=2", "c=16", "d=30,threads=3", "e=20", "f=6"],
    "large_items": ["items=160", "read=8", "decode=10,every=8/80", "write=6"],
    "in_turns": ["items=160", "capacity=1", "read=8,every=5/40", "decode=14", "write=8,every=4/20"],
    "moves": ["items=160", "resize=24,then=8", "decode=8,then=30", "write=5"],
    "branches": ["items=120", "demux=5,fan", "video=30", "audio=12"],
    "batches": ["items=160", "read=4,batch=4", "infer=60", "write=5"],
    "fails": ["items=160", "read=5", "decode=20,fail=4/2", "write=14"],
    "source": ["items=120", "source=16", "read=5", "decode=28", "write=3"],
    "sink": ["items=120", "sink=12", "read=5", "decode=26", "write=3"],
    "in_one_thread": ["items=80", "source=12", "read=6,calls,own", "decode=24,calls,own", "write=12,own"],
    "in_two_threads": ["items=120", "read=12", "scale=16,calls,own,threads=2", "encode=40,own"],
    "pool": ["items=120", "source=8", "scale=14,pool,threads=2", "encode=34", "write=6"],
    "ring": ["items=90", "alone", "blocks=2", "read=16", "decode=72,threads=3", "write=12"],
    "ring_and_source": ["items=70", "blocks=1", "read=20", "decode=40", "write=16"],
    "slow_thread": ["items=160", "read=6", "decode=40,threads=3,slow=120", "write=6"],
}


def changed(run, changes):
    """The arguments with other settings. A queue has the index of the stage that puts into it, which begins with 1."""
    stages = [argument for argument in run if not re.match("items|capacity|source|sink|alone|blocks", argument)]
    added = {}
    for change in changes:
        if "items" in change:
            run = [re.sub("blocks=.*", f"blocks={change['items']}", argument) for argument in run]
            continue
        label = change.get("stage") or change["queue"]
        name = label.split(":")[2].split("[")[0] if "stage" in change else stages[int(label.split(":")[1]) - 1].split("=")[0]
        added[name] = added.get(name, "") + (f",threads={change['threads']}" if "stage" in change else f",space={change['capacity']}")
    return [argument + added.get(argument.split("=")[0], "") for argument in run]


# Of these times, what a busy machine adds is a small part.
ONE = ["items=50", "read=8", "decode=60,threads=2", "resize=45", "write=4"]


class Forecast(PipelineCase):
    def run_both(self, name, run):
        """The best that is proposed and what it gave, on a machine that was the same for both."""
        why = None
        for number in range(TRIES):
            path, rate = self.record(f"{name}_{number}", dict(run=run, plain=True))
            whole = self.answer(path)
            helps = whole["verdicts"][0]["what_would_help"]
            if helps["not_predicted"]:
                why = helps["not_predicted"]
                continue
            self.assertTrue(helps["proposals"], f"{name}: nothing is proposed")
            best = max(helps["proposals"], key=lambda proposal: proposal["gain"])
            again, now = self.record(f"{name}_{number}_best", dict(run=changed(run, best["changes"]), plain=True))
            why = "the machine was not the same for two runs"
            if is_same(whole, self.answer(again)):
                return best, now / rate
        return self.fail(f"{name}: {why}")

    def check(self, name, run):
        best, gained = self.run_both(name, run)
        told = ", ".join(f"{c.get('stage') or c['queue']} {c.get('threads') or c.get('capacity') or c['items']}" for c in best["changes"])
        print(f"{name:14} {best['gain']:5.2f} +-{best['error'] * 100:2.0f} % {gained:5.2f}  {told}", flush=True)
        self.assertLessEqual(abs(gained / best["gain"] - 1), WITHIN, f"{name}: {told}")

    def test_one(self):
        self.check("one", ONE)

    def test_all(self):
        print()
        for name, run in PIPELINES.items():
            with self.subTest(pipeline=name):
                self.check(name, run)

    def test_threads_of_several_stages(self):
        """They are one station, with the queues that others put into or get from: which they call, and which they have a queue to."""
        for run, threads, takes, gives in ((["items=20", "read=4,calls,own", "decode=20,own", "write=4"], 1, ["0:0:source"], ["0:2:decode"]),
                                           (["items=20", "read=4,pool,threads=2", "decode=20", "write=4"], 2, ["0:0:source"], ["0:2:decode"])):
            station = self.recorded("several", *run)[1]["what_would_help"]["stations"][0]
            self.assertEqual((station["stage"].split("[")[0], station["with"], station["threads"]), ("0:1:read", ["0:2:decode"], threads))
            self.assertEqual(([port["queue"] for port in station["takes"]], [port["queue"] for port in station["gives"]]), (takes, gives))
            self.assertGreater(station["task_time"], 0.023)

    def test_one_thread_shows_nothing(self):
        """Of threads that may wait for one lock nothing is promised: neither twice as many, nor those that are proposed or asked for."""
        path, verdict = self.recorded("unseen", "items=20", "read=2", "decode=5,held=30", "write=2")
        helps = verdict["what_would_help"]
        self.assertIsNone(helps["not_predicted"])
        self.assertEqual(verdict["not_seen"], "0:2:decode")
        self.assertGreater(verdict["doubling_gain"], 1.5)
        self.assertEqual({verdict["doubling_promised"], *(proposal["least"] for proposal in helps["proposals"])}, {1})
        text = self.callsig("stages", "--what-if", "decode=4", path).stdout
        self.assertEqual(text.count("if no task keeps another waiting, of which nothing can be promised"), 2 + len(helps["proposals"]))
        self.assertIn("    It is not known what tasks of 0:2:decode wait for ", text)
        self.assertNotIn("at least", text)

    def test_what_if(self):
        """What is asked for is told in text and in JSON; what nothing has, or is no setting, is one line."""
        path, _ = self.recorded("what_if", "items=24", "read=4", "decode=60", "write=4")
        settings = "decode=2,queue:0:1:read=4"
        done = self.callsig("stages", "--what-if", settings, path)
        self.assertRegex(done.stdout, r"What if: 0:2:decode with 2 threads, the queue 0:1:read for 4 items: \d\.\d\d times the throughput "
                                      r"\(predicted, \+-\d+ %\)")
        done = self.callsig("stages", "--format", "json", "--what-if", settings, path)
        self.assertIn('"what_if":{"changes":[{"stage":"0:2:decode","threads":2},{"queue":"0:1:read","capacity":4}]',
                      re.sub(r"\s", "", done.stdout))
        for wrong, status in (("encode=2", 1), ("decode=0", 1), ("decode", 2), ("queue:decode=x", 2), ("=2", 2), ("", 2)):
            done = self.callsig("stages", "--what-if", wrong, path)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (status, "", 1), wrong)
            self.assertIn(f"'{wrong}'", done.stderr)


if __name__ == "__main__":
    main()
