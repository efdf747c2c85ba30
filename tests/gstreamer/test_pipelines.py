#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick Pipelines.test_counts
# ctest: case _verdicts full Pipelines.test_verdicts
# ctest: case _times full Pipelines.test_empty_queue Pipelines.test_own_times Pipelines.test_short_own_times
"""Six pipelines under the tracers `stats` and callsig at once: each element's tasks are the buffers that `stats` saw come to it, also
at the end of the stream, and each queue's puts and gets those that went in and out. And the verdict on each, with one element slowed, and its own
time beside that of the tracer `latency`.

    test_pipelines.py [Pipelines.TEST]
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "cli"))
from harness import BUILD, Case  # noqa: E402

PLUGINS = os.path.join(BUILD, "profiler", "gstreamer")
ELEMENT = re.compile(r"new-element, .*?ix=\(uint\)(\d+), .*?name=\(string\)([^,]+),")
BUFFER = re.compile(r" buffer, .*?pad-ix=\(uint\)\d+, element-ix=\(uint\)(\d+), .*?peer-element-ix=\(uint\)(\d+),")
LATENCY = re.compile(r"element-latency, .*?element=\(string\)([^,]+), .*?time=\(guint64\)(\d+)")
WITHIN = 0.05
TRIES = 4
SLOW = "identity sleep-time=25000 name=slow !"
VIDEO = "videotestsrc num-buffers={count} ! video/x-raw,width=160,height=120 !"

# What is pulled from: `stats` tells a pull as a buffer from who pulls.
PULLED = {"typefind", "filesrc0", "d"}

# A pipeline with a place for the slow element, and the elements with a thread of their own, whose tasks are what they push.
PIPELINES = {
    "decode": ("filesrc location={film} ! decodebin name=d ! videoconvert ! {slow} fakesink d. ! audioconvert ! fakesink", {"oggdemux0"}),
    "encode": (VIDEO + " {slow} theoraenc ! queue ! oggmux name=m ! filesink location={out} audiotestsrc num-buffers={count} ! vorbisenc ! "
               "queue ! m.", {"videotestsrc0", "audiotestsrc0"}),
    "tee": (VIDEO + " tee name=t ! queue name=qa ! theoraenc ! oggmux ! fakesink t. ! queue name=qb ! {slow} theoraenc ! fakesink",
            {"videotestsrc0"}),
    "compositor": (VIDEO + " queue ! c.sink_0 " + VIDEO + " c.sink_1 compositor name=c ! {slow} fakesink",
                   {"videotestsrc0", "videotestsrc1", "c"}),
    "app": ("appsrc name=source format=time max-bytes=40960 block=true ! queue max-size-buffers=4 ! {slow} "
            "appsink name=sink sync=false", {"source"}),
    "live": ("videotestsrc is-live=true num-buffers={live} ! video/x-raw,width=160,height=120,framerate=200/1 ! queue leaky=downstream "
             "max-size-buffers=2 ! {slow} fakesink sync=false", {"videotestsrc0"}),
}

# Elements that take little, and what is around them: between elements that do nothing.
BETWEEN = ("videotestsrc num-buffers={count} ! video/x-raw,format=I420,width=80,height=60 ! identity ! identity name=nothing ! {slow} identity ! "
           "fakesink")
SHORT = {
    "convert": "videoconvert name=short ! video/x-raw,format=RGB !",
    "scale": "videoscale name=short ! video/x-raw,width=160,height=120 !",
    "wait": "identity sleep-time=100 name=short !",
    "theora": "theoraenc name=short quality=0 speed-level=2 !",
}


class Pipelines(Case):
    def setUp(self):
        super().setUp()
        self.environment.update(GST_PLUGIN_PATH=PLUGINS, GST_REGISTRY=self.path("registry"), CALLSIG_OUTPUT=self.path("recording"))
        self.film = self.path("film.ogg")
        self.run_pipeline(VIDEO + " theoraenc ! oggmux name=m ! filesink location={film} audiotestsrc num-buffers={count} ! vorbisenc ! m.", "", 120)

    def run_pipeline(self, pipeline, slow, count=60, **environment):
        if os.path.exists(self.path("recording")):
            os.unlink(self.path("recording"))
        text = pipeline.format(film=self.film, out=self.path("out.ogg"), slow=slow, count=count, live=5 * count)
        command = ["gst-launch-1.0", "-q", *text.split()]
        if "appsrc" in text:
            flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gstreamer-1.0"], capture_output=True, text=True, check=True)
            with open(os.path.join(HERE, "app.c"), encoding="utf-8") as source:
                self.compile("app", source.read(), instrument=False, libs=tuple(flags.stdout.split()))
            command = [self.path("app"), text, str(count)]
        done = self.run_command(*command, env=dict({"GST_TRACERS": ""}, **environment))
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def read(self):
        done = self.callsig("stages", "--format", "json", self.path("recording"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def buffers(self, log):
        """How many buffers each element was given, and gave."""
        names = dict(ELEMENT.findall(log))
        came, went = {}, {}
        for sender, receiver in BUFFER.findall(log):
            came[names.get(receiver)] = came.get(names.get(receiver), 0) + 1
            if not (names.get(sender) in {"oggdemux0"} | PULLED and names.get(receiver) in PULLED):
                went[names.get(sender)] = went.get(names.get(sender), 0) + 1
        return came, went

    def check_counts(self, whole, drivers, came, went):
        for stage in whole["stages"]:
            name = stage["name"]
            self.assertEqual(stage["num_tasks"], (went if name in drivers else came).get(name, 0), name)
            self.assertEqual((stage["num_failures"], stage["open"]), (0, 0), name)
        for element in {queue["name"].split(".")[0] for queue in whole["queues"]}:
            queues = [queue for queue in whole["queues"] if queue["name"].split(".")[0] == element]
            self.assertEqual(sum(queue["puts"] for queue in queues), came[element], element)
            self.assertEqual(sum(queue["num_items"] for queue in queues), went[element], element)
        for queue in whole["queues"]:
            if queue["capacity"]:
                self.assertLessEqual(queue["high_water"], queue["capacity"], queue["label"])

    def test_counts(self):
        for name, (pipeline, drivers) in PIPELINES.items():
            with self.subTest(pipeline=name):
                self.run_pipeline(pipeline, "", GST_TRACERS="stats;callsig", GST_DEBUG="GST_TRACER:7", GST_DEBUG_NO_COLOR="1",
                                  GST_DEBUG_FILE=self.path("log"))
                with open(self.path("log"), encoding="utf-8") as log:
                    came, went = self.buffers(log.read())
                self.check_counts(self.read(), drivers, came, went)

    def test_empty_queue(self):
        """What takes from the queue waits for a live source nearly all the time, and takes an item before its push returns: the queue is empty."""
        self.run_pipeline("audiotestsrc is-live=true num-buffers={count} ! queue ! fakesink sync=false", "", 40, GST_TRACERS="callsig")
        queue = self.read()["queues"][0]
        self.assertEqual((queue["puts"], queue["num_items"], queue["items"]), (40, 40, 0))
        self.assertLess(queue["occupancy_rate"], 0.3)

    def test_verdicts(self):
        """The slow element bounds the pipeline, or its thread does; on a machine that others use, the processor may."""
        for name, (pipeline, _) in PIPELINES.items():
            with self.subTest(pipeline=name):
                self.run_pipeline(pipeline, SLOW, 150, GST_TRACERS="callsig")
                verdict = self.read()["verdicts"][0]
                text = self.callsig("stages", self.path("recording")).stdout.split("Verdict:")[-1]
                if verdict["bound"] == "processor":
                    self.assertLess(verdict["processors_used"], verdict["processors"], text)
                    continue
                self.assertIn(verdict["bound"], ("stage", "thread"), text)
                self.assertEqual(verdict["stage"].split(":")[2], "slow", text)

    def times(self, pipeline, slow, count):
        """Of each element in one run what callsig says, and the seconds that `latency` saw each buffer take."""
        self.run_pipeline(pipeline, slow, count, GST_TRACERS="latency(flags=element);callsig", GST_DEBUG="GST_TRACER:7",
                          GST_DEBUG_NO_COLOR="1", GST_DEBUG_FILE=self.path("log"))
        took = {}
        with open(self.path("log"), encoding="utf-8") as log:
            for name, time in LATENCY.findall(log.read()):
                took.setdefault(name, []).append(int(time) / 1e9)
        return {stage["name"]: (stage, took.get(stage["name"], [])) for stage in self.read()["stages"]}

    def test_own_times(self):
        """Of the slow element the mean; of encoders, which may lose their processor between the two tracers' clocks, the shortest."""
        for name, (pipeline, _) in PIPELINES.items():
            with self.subTest(pipeline=name):
                stage, took = self.times(pipeline, SLOW, 60)["slow"]
                own = sum(took) / len(took)
                print(f"{name:10} slow {stage['ave_time'] * 1e3:.3f} ms, by latency {own * 1e3:.3f}", flush=True)
                self.assertEqual(stage["num_tasks"], len(took))
                self.assertLessEqual(abs(stage["ave_time"] / own - 1), WITHIN)
        for name in ("encode", "tee"):
            found = {}
            for _ in range(TRIES):
                for element, (stage, took) in self.times(PIPELINES[name][0], SLOW, 60).items():
                    if element.startswith("theoraenc"):
                        found.setdefault(element, []).append(stage["min_time"] / min(took))
            print(f"{name:10} {found}", flush=True)
            for element, ratios in found.items():
                self.assertLessEqual(min(abs(ratio - 1) for ratio in ratios), WITHIN, element)

    def test_short_own_times(self):
        """Elements of 30 to 250 us: the median is that of `latency`. An element that does nothing takes what the two tracers' hooks do there,
        which is in both times, and not the same of two places: it is printed, and compared with nothing."""
        for name, element in SHORT.items():
            ratios = []
            for _ in range(TRIES):
                found = self.times(BETWEEN, element, 600)
                medians = [(stage["p50_time"], statistics.median(took)) for stage, took in (found["short"], found["nothing"])]
                self.assertEqual(found["short"][0]["num_tasks"], len(found["short"][1]))
                ratios.append(medians[0][0] / medians[0][1] - 1)
                print(f"{name:12} {medians[0][0] * 1e6:6.1f} us, by latency {medians[0][1] * 1e6:6.1f}; "
                      f"nothing {medians[1][0] * 1e6:5.1f}, by latency {medians[1][1] * 1e6:5.1f}", flush=True)
                if abs(ratios[-1]) <= WITHIN:
                    break
            self.assertLessEqual(min(map(abs, ratios)), WITHIN, name)


if __name__ == "__main__":
    if not shutil.which("gst-launch-1.0") or not shutil.which("pkg-config") or not os.path.exists(os.path.join(PLUGINS, "libgstcallsig.so")):
        print("SKIPPED: gstreamer: the tracer was not built, or gst-launch-1.0 or pkg-config is missing")
        sys.exit(77)
    unittest.main(verbosity=2)
