#!/usr/bin/env python3
# ctest: case - full
"""A table of all cases, each run three times: at least 95 % of the verdicts are right, and what is promised of doubling the bounding
stage's threads comes true within 15 %, where the program is run so.

    test_table.py
"""

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import COMPUTING, RANDOM, SLEEPING  # noqa: E402
from pipeline_case import PipelineCase, failure, stage_of  # noqa: E402
from harness import main  # noqa: E402

RUNS = 3
RIGHT = 0.95
MISSED = 0.85
WORTH = 1.05  # a gain that is one


def doubled(run, stage):
    """The arguments with twice the threads of the stage."""
    arguments = []
    for argument in run:
        if argument.startswith(stage + "="):
            threads = re.search(r",threads=(\d+)", argument)
            argument = re.sub(r",threads=\d+", "", argument) + ",threads=%d" % (2 * int(threads.group(1)) if threads else 2)
        arguments.append(argument)
    return arguments


class Table(PipelineCase):
    def gain_of(self, name, truth, rate):
        """What doubling the threads of the bounding stage gives."""
        return self.record(name + "_doubled", dict(truth, run=doubled(truth["run"], truth["doubled"])))[1] / rate

    def row(self, name, truth, run):
        """Whether the verdict of a run is right, and whether its promise comes true."""
        path, rate = self.record(f"{name}_{run}", truth)
        whole = self.answer(path)
        verdict = whole["verdicts"][0]
        wrong = failure(verdict, whole, truth)
        promised, gained = verdict["doubling_gain"], None
        if verdict["bound"] == "stage" and promised is not None and promised >= WORTH:
            gained = self.gain_of(name, dict(truth, doubled=stage_of(verdict)), rate)
        kept = gained is None or gained >= MISSED * promised
        print(f"{name:26} {run} {verdict['bound']:10} {str(stage_of(verdict)):10} {'' if promised is None else format(promised, '5.2f'):5} "
              f"{'' if gained is None else format(gained, '5.2f'):5} {'right' if wrong is None else 'WRONG: ' + wrong}"
              f"{'' if kept else ' MISSED'}", flush=True)
        return wrong is None, kept

    def test_table(self):
        rows = []
        print(f"\n{'case':26} # {'bound':10} {'stage':10} {'gain':>5} {'got':>5}")
        for name, truth in dict(SLEEPING, **COMPUTING, **RANDOM).items():
            if truth.get("cores", 1) <= len(os.sched_getaffinity(0)):
                rows += [self.row(name, truth, run) for run in range(RUNS)]
        right = sum(is_right for is_right, _ in rows) / len(rows)
        print(f"{right * 100:.1f} % of {len(rows)} verdicts are right")
        self.assertGreaterEqual(right, RIGHT)
        self.assertTrue(all(kept for _, kept in rows), "a promised gain was missed")


if __name__ == "__main__":
    main()
