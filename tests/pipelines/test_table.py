#!/usr/bin/env python3
# ctest: case - full
"""A table of all cases, each run three times: at least 95 % of the verdicts are right, and what is promised of doubling the bounding
stage's threads comes true within 15 %, where the program is run so.

    test_table.py [--runs N] [--cases NAME,...]

The two runs have the same machine: where tasks sleep, both are run at once; where they compute, which two at once would not do as fast, the
one with twice the threads is between two as it was. Where a promise is missed, and the same stage's tasks took longer in one of the two all
the same, both are run again: as often as it takes, up to six times, and then the promise counts as missed.
"""

import argparse
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import COMPUTING, GRAPHS, RANDOM, SLEEPING, THREADS, WAITING  # noqa: E402
from pipeline_case import PipelineCase, failure, is_same, stage_of  # noqa: E402
from harness import main  # noqa: E402

RIGHT = 0.95
MISSED = 0.85
WORTH = 1.05  # a gain that is one
TRIES = 6  # until the machine was the same for both runs
ASKED = argparse.Namespace(runs=3, cases=None)


def doubled(truth, stage):
    """The case with twice the threads of the stage."""
    arguments = []
    for argument in truth["run"]:
        if argument.startswith(stage + "="):
            threads = re.search(r",threads=(\d+)", argument)
            argument = re.sub(r",threads=\d+", "", argument) + ",threads=%d" % (2 * int(threads.group(1)) if threads else 2)
        arguments.append(argument)
    return dict(truth, run=arguments)


def promised(whole):
    """What is promised of a stage that bounds; None: nothing is."""
    verdict = whole["verdicts"][0]
    return verdict["doubling_promised"] if verdict["bound"] == "stage" else None


def number(value):
    return "" if value is None else format(value, "5.2f")


class Table(PipelineCase):
    def pair(self, name, truth, stage):
        """The answer of a run and its rate, and those of one with twice the threads of a stage (None: of none) at the same time."""
        with ThreadPoolExecutor() as both:
            other = both.submit(self.record, name + "_doubled", doubled(truth, stage)) if stage else None
            path, rate = self.record(name, truth)
            return self.answer(path), rate, other and (self.answer(other.result()[0]), other.result()[1])

    def in_turn(self, name, truth, stage, whole, rate):
        """The same of tasks that compute, whose runs would keep one another from their processors."""
        path, twice = self.record(name + "_doubled", doubled(truth, stage))
        return whole, (rate + self.record(name + "_again", truth)[1]) / 2, (self.answer(path), twice)

    def compare(self, name, truth, run):
        """The answer, what it promises, what twice the threads gave, and whether that is as much: where it is not, and tasks took longer
        in the second run, of another try."""
        known = isinstance(truth["stage"], str) and truth["bound"] == "stage" and "cores" not in truth
        whole, rate, twice = first = self.pair(f"{name}_{run}", truth, truth["stage"] if known else None)
        if promised(whole) is None or promised(whole) < WORTH:
            return whole, promised(whole), twice[1] / rate if twice and "measure" in truth else None, True
        for again in range(TRIES):
            stage = stage_of(whole["verdicts"][0])
            if "cores" in truth:
                whole, rate, twice = self.in_turn(f"{name}_{run}_{again}", truth, stage, *first[:2])
            elif again > 0 or not twice or stage != truth["stage"]:
                whole, rate, twice = self.pair(f"{name}_{run}_{again}", truth, stage)
            if stage_of(whole["verdicts"][0]) == stage and promised(whole) is not None and \
                    (twice[1] >= MISSED * promised(whole) * rate or is_same(whole, twice[0])):
                break
        least = promised(whole)
        return first[0], least, twice[1] / rate, least is not None and twice[1] >= MISSED * least * rate

    def row(self, name, truth, run):
        """Whether the verdict of a run is right, and whether its promise comes true."""
        whole, least, gained, kept = self.compare(name, truth, run)
        verdict = whole["verdicts"][0]
        wrong = failure(verdict, whole, truth)
        print(f"{name:26} {run} {verdict['bound']:10} {str(stage_of(verdict)):10} {number(verdict['doubling_gain']):5} {number(least):5} "
              f"{number(gained):5} {'right' if wrong is None else 'WRONG: ' + wrong}{'' if kept else ' MISSED'}", flush=True)
        return wrong is None, kept

    def test_table(self):
        rows = []
        print(f"\n{'case':26} # {'bound':10} {'stage':10} {'gain':>5} {'least':>5} {'got':>5}")
        for name, truth in dict(SLEEPING, **COMPUTING, **WAITING, **THREADS, **GRAPHS, **RANDOM).items():
            if truth.get("cores", 1) <= len(os.sched_getaffinity(0)) and (ASKED.cases is None or name in ASKED.cases):
                rows += [self.row(name, truth, run) for run in range(ASKED.runs)]
        right = sum(is_right for is_right, _ in rows) / len(rows)
        print(f"{right * 100:.1f} % of {len(rows)} verdicts are right")
        self.assertGreaterEqual(right, RIGHT)
        self.assertTrue(all(kept for _, kept in rows), "a promised gain was missed")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=ASKED.runs)
    parser.add_argument("--cases", type=lambda names: names.split(","))
    rest = parser.parse_known_args(namespace=ASKED)[1]
    sys.argv[1:] = rest
    main()
