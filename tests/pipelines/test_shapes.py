#!/usr/bin/env python3
# ctest: case - quick Shapes.test_not_told Shapes.test_two_queues Shapes.test_no_queue Shapes.test_as_many_as_there_are
# ctest: case _full full
"""Verdicts on pipelines as programs have them (real_shapes.c, waiting_shapes.c): what is told of each is held against what is known of it,
and what is promised of twice the threads against a run with these.

    test_shapes.py [CLASS[.TEST]...]
"""

import collections
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import view  # noqa: E402
from pipeline_case import HERE, LACKING, LITTLE, PipelineCase, is_same, own_waits  # noqa: E402
from harness import INCLUDE, RUNTIME, main  # noqa: E402

MISSED = 0.85
WORTH = 1.05
TRIES = 6
NAMED = 0.75  # of the runs whose threads did not lack the processor; all were when this was written
SLIGHTLY = 1.02  # by so much the program's own rate, which has its beginning and its end in it, may be another than the recording's

# By shape: threads of "work", what may be named, and the most that twice these threads can give.
SHAPES = {
    "real_shapes": {
        "sockets": ((1, 2, 4), {"receive"}, 1.1), "sockets_in": ((1, 2, 4), {"send"}, 1.1), "epoll": ((1, 2), {"work"}, 2.1),
        "polled_ring": ((1,), {"work"}, 2.1), "spun_ring": ((1,), {"make"}, 2.1), "stealing": ((1, 2, 4), {"work"}, 2.1),
        "priorities": ((1, 2, 4), {"work"}, 2.1), "coroutines": ((2, 4), {"work"}, 2.1), "processes": ((1, 2), {"work"}, 2.1),
    },
    "waiting_shapes": {
        "condition": ((1, 2, 4), {"make"}, 1.1), "batches": ((1, 2), {"work"}, 2.1), "bucket": ((1, 2, 4), {"work"}, 2.1),
        "bucket_outside": ((1, 2, 4), {"work", None}, 1.1), "disk": ((1, 2), {"work"}, 2.1), "device": ((1, 2, 4), {"work"}, 1.1),
        "connections": ((1, 3), {"work"}, 1.1),
        "barrier": ((2, 4), {"work"}, 2.1), "reorder": ((1, 2, 4), {"work"}, 2.1), "readers": ((1, 2, 4), {"work"}, 2.1),
        "loading": ((1, 2, 4), {"work"}, 2.1), "retries": ((1, 2, 4), {"work"}, 2.1), "camera": ((1, 2), {"work"}, 2.1),
    },
}


# They compute, or look again and again whether there is something: that the processor bounds them may be right by itself.
COMPUTING = {"spun_ring"}


def name_of(label):
    return label and label.split(":")[2].split("[")[0]


class Shapes(PipelineCase):
    def build(self, program):
        self.compile(program, (HERE / (program + ".c")).read_text(), "-I" + INCLUDE, "-I" + str(HERE), instrument=False,
                     libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))

    def run_shape(self, program, shape, threads):
        """The answer, the text of the verdict and the items a second."""
        path = f"{shape}_{threads}.out"
        done = self.callsig("run", "-o", path, "./" + program, shape, str(threads))
        self.assertEqual(done.returncode, 0, done.stderr)
        seconds, items = done.stdout.split()[:2]
        self.ready = own_waits(done.stdout).get("all", 0)
        return self.first(path), self.callsig("stages", path).stdout, float(items) / float(seconds)

    def first(self, path):
        """Of several processes that of the first."""
        done = self.callsig("stages", "--format", "json", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.JSONDecoder().raw_decode(done.stdout)[0]

    def one(self, program, shape, threads):
        self.build(program)
        whole, text, _ = self.run_shape(program, shape, threads)
        return whole["verdicts"][0], text

    def test_not_told(self):
        """Of two stages that a socket connects, which is not told, either may wait for the other inside of its tasks."""
        for shape, other in (("sockets", "receive"), ("sockets_in", "send")):
            verdict, text = self.one("real_shapes", shape, 1)
            if verdict["bound"] == "stage":
                self.assertIn(other, {name_of(verdict["stage"]), name_of(verdict["either"])}, text)
            self.assertIn(verdict["doubling_promised"], (None, 1), text)

    def test_two_queues(self):
        """One thread puts into two queues: while it waits for one it puts nothing into the other, which then bounds nothing."""
        verdict, text = self.one("real_shapes", "priorities", 1)
        self.assertIn("may be one thread, which waits for one", verdict["what_would_help"]["not_predicted"], text)

    def test_no_queue(self):
        """A stage without queues takes from none, whatever its index is, where another one was seen to take all of it."""
        verdict, text = self.one("waiting_shapes", "readers", 1)
        self.assertIsNone(view(verdict, "update")["input"], text)
        self.assertNotIn("items a task", text)

    def test_as_many_as_there_are(self):
        """Two threads, and two channels of a device: no task waits for another, and more threads give nothing but what these two lacked of
        being always at work, which others on the machine may have kept them from."""
        self.build("waiting_shapes")
        for _ in range(TRIES):
            whole, text, rate = self.run_shape("waiting_shapes", "device", 2)
            if self.ready < LITTLE:
                break
        verdict, work = whole["verdicts"][0], next(stage for stage in whole["stages"] if name_of(stage["label"]) == "work")
        if verdict["bound"] == "stage" and not verdict["what_would_help"]["not_predicted"]:
            most = SLIGHTLY * max(1, 2 / (work["ave_time"] * rate))
            for least in (verdict["doubling_promised"], *(each["least"] for each in verdict["what_would_help"]["proposals"])):
                self.assertTrue(1 <= least <= most, f"{least}, at most {most}: {text}")
            self.assertIn("more than 2 at once were not seen", text)

    def check(self, program, shape, threads, names, most):
        whole, text, rate = self.run_shape(program, shape, threads)
        verdict = whole["verdicts"][0]
        if self.ready < LACKING or verdict["bound"] == "stage":
            self.named[shape].append(verdict["bound"] == "stage")
        said = f"{shape} with {threads}, whose threads waited {self.ready * 100:.1f}% of their time for a processor: {text}"
        bounds = {"stage", "unknown", "processor"} if shape in COMPUTING or self.ready >= LACKING else {"stage", "unknown"}
        self.assertIn(verdict["bound"], bounds, said)
        if verdict["bound"] == "stage":
            self.assertTrue({name_of(verdict["stage"]), name_of(verdict["either"])} & names, said)
        least = verdict["doubling_promised"]
        if least is None or least < WORTH or verdict["bound"] != "stage" or name_of(verdict["stage"]) != "work":
            return
        self.assertLessEqual(least, most, said)
        for again in range(TRIES):
            more, _, doubled = self.run_shape(program, shape, 2 * threads)
            if doubled >= MISSED * least * rate or is_same(whole, more):
                break
        self.assertGreaterEqual(doubled, MISSED * least * rate, said)

    def test_all(self):
        self.named = collections.defaultdict(list)
        for program, shapes in SHAPES.items():
            self.build(program)
            for shape, (counts, names, most) in shapes.items():
                for threads in counts:
                    with self.subTest(shape=shape, threads=threads):
                        self.check(program, shape, threads, names, most)
        self.check_named(self.named)

    def check_named(self, named):
        """That nothing is known is right of some runs, and not of all: most are told a stage, and each shape that is run often in one of them."""
        runs = [is_named for several in named.values() for is_named in several]
        self.assertGreaterEqual(sum(runs), NAMED * len(runs), named)
        self.assertEqual([shape for shape, several in named.items() if len(several) > 2 and not any(several)], [])


if __name__ == "__main__":
    main()
