#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick Tracer
# ctest: case _times full Times
"""The GStreamer tracer on real pipelines, beside GStreamer's own tracers `stats` (every buffer that was pushed or pulled) and
`latency` (how long each element took), which watch the same run.

    test_tracer.py [CLASS[.TEST]]
"""

import json
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))
from harness import BUILD, Case  # noqa: E402

PLUGINS = os.path.join(BUILD, "profiler", "gstreamer")
ELEMENT = re.compile(r"new-element, .*?ix=\(uint\)(\d+), .*?name=\(string\)(\w+),")
BUFFER = re.compile(r" buffer, .*?pad-ix=\(uint\)(\d+), element-ix=\(uint\)(\d+), .*?peer-element-ix=\(uint\)(\d+),")
LATENCY = re.compile(r"element-latency, .*?element=\(string\)(\w+), .*?time=\(guint64\)(\d+)")


class Tracer(Case):
    def setUp(self):
        super().setUp()
        self.environment["GST_PLUGIN_PATH"] = PLUGINS
        self.environment["GST_REGISTRY"] = self.path("registry")
        self.environment["CALLSIG_OUTPUT"] = self.path("recording")
        self.film = self.path("film.ogg")

    def launch(self, *pipeline, tracers="callsig", status=0, **environment):
        done = self.run_command("gst-launch-1.0", "-q", *pipeline, env=dict(GST_TRACERS=tracers, **environment))
        self.assertEqual(done.returncode, status, done.stderr[-2000:])
        return done.stderr

    def make_film(self, frames):
        self.launch("videotestsrc", f"num-buffers={frames}", "!", "video/x-raw,format=I420,width=320,height=240", "!", "theoraenc", "!",
                    "oggmux", "!", "filesink", f"location={self.film}", tracers="")

    def decode(self, *rest):
        return ["filesrc", f"location={self.film}", "!", "oggdemux", "!", "queue", "!", "theoradec", "!", "videoconvert", "!",
                *rest, "fakesink"]

    def stages(self):
        done = self.callsig("stages", "--format", "json", self.path("recording"))
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = json.loads(done.stdout)
        stages = {stage["name"]: stage for stage in whole["stages"]}
        queues = {queue["name"]: queue for queue in whole["queues"]}
        return stages, queues, whole["verdicts"][0]

    def count_buffers(self):
        """Tasks of an element are the buffers that came to it, of a source those that it gave; puts and gets of a queue are the
        buffers that went in and out. Returns GStreamer's own log of the run, the stages and the verdict."""
        self.make_film(80)
        pipeline = self.decode("videoscale", "!", "video/x-raw,width=160,height=120,format=RGB", "!", "queue", "!", "identity",
                               "sleep-time=3000", "!")
        log = self.launch(*pipeline, tracers="stats;callsig;latency(flags=element)", GST_DEBUG="GST_TRACER:7",
                          GST_DEBUG_NO_COLOR="1")
        names = dict(ELEMENT.findall(log))
        pushed, pulled = {}, 0
        for _, sender, receiver in BUFFER.findall(log):
            edge = names.get(sender), names.get(receiver)
            if edge == ("oggdemux0", "filesrc0"):
                pulled += 1  # stats tells a pull as a buffer from the pad that pulled
            else:
                pushed[edge] = pushed.get(edge, 0) + 1
        stages, queues, verdict = self.stages()
        self.assertEqual(stages["filesrc0"]["num_tasks"], pulled)
        self.assertEqual(stages["oggdemux0"]["num_tasks"], pushed["oggdemux0", "queue0"])
        for (sender, receiver), count in pushed.items():
            if receiver in stages:
                self.assertEqual(stages[receiver]["num_tasks"], count, receiver)
            elif receiver in queues:
                self.assertEqual(queues[receiver]["puts"], count, receiver)
            if sender in queues:
                self.assertEqual(queues[sender]["num_items"], count, sender)
        self.assertGreaterEqual(pushed["identity0", "fakesink0"], 80)
        self.assertEqual([s["num_failures"] for s in stages.values()], [0] * len(stages))
        return log, stages, verdict

    def test_counts_are_those_of_the_buffers(self):
        self.count_buffers()

    # How many buffers, and for how many microseconds each is held up: so long that what others wait for a processor does not matter.
    SLOWED = (12, 100000)

    def assert_slow_bounds(self, verdict, slow, message):
        """That stages wait for the processor may be the verdict on a busy machine."""
        if verdict["bound"] != "processor":
            self.assertEqual(verdict["stage"], slow, message)

    def test_the_verdict_is_the_element_that_is_slow(self):
        buffers, held = self.SLOWED
        self.make_film(buffers)
        slow = ["identity", f"sleep-time={held}", "name=slow", "!"]
        for place in range(2):
            rest = ["identity", "name=quick", "!"]
            ends = [slow, rest] if place == 0 else [rest, slow]
            self.launch(*self.decode(*ends[0], "queue", "!", *ends[1]))
            stages, _, verdict = self.stages()
            self.assert_slow_bounds(verdict, stages["slow"]["label"], f"slow at place {place}")
            os.unlink(self.path("recording"))

    def test_caps_tell_tasks_apart(self):
        self.make_film(20)
        self.launch(*self.decode("video/x-raw,format=RGB", "!"))
        done = self.callsig("report", "--by", "signature", "--format", "json", self.path("recording"))
        rows = {row["signature"] for row in json.loads(done.stdout)["rows"]}
        self.assertIn("{0:3:videoconvert0(media=video/x-raw, format=I420, width=320, height=240)}", rows)
        self.assertIn("{0:5:fakesink0(media=video/x-raw, format=RGB, width=320, height=240)}", rows)

    def test_an_error_is_the_failure_of_the_element_that_had_it(self):
        self.launch("videotestsrc", "num-buffers=50", "!", "identity", "name=before", "!", "identity", "error-after=10",
                    "name=broken", "!", "fakesink", status=1)
        stages, _, _ = self.stages()
        self.assertEqual(stages["broken"]["num_failures"], 1)
        self.assertEqual(stages["broken"]["num_tasks"], 10)
        self.assertEqual([stages[name]["num_failures"] for name in ("videotestsrc0", "before", "fakesink0")], [0, 0, 0])

    def test_bins_and_mixers(self):
        """The pads of bins are looked through; a mixer, which pushes from a thread of its own, has a task for what it pushes."""
        self.launch("videotestsrc", "num-buffers=30", "!", "(", "identity", "name=inner", ")", "!", "c.sink_0", "videotestsrc",
                    "num-buffers=30", "!", "c.sink_1", "compositor", "name=c", "!", "identity", "name=after", "!", "fakesink")
        stages, _, _ = self.stages()
        self.assertEqual(stages["inner"]["num_tasks"], 30)
        self.assertEqual(stages["c"]["num_tasks"], stages["after"]["num_tasks"])
        self.assertLess(stages["inner"]["index"], stages["c"]["index"])

    def test_under_callsig_run(self):
        done = self.callsig("run", "-o", self.path("run"), "gst-launch-1.0", "-q", "videotestsrc", "num-buffers=5", "!",
                            "fakesink", env=dict(GST_TRACERS="callsig"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("stages", "--format", "json", self.path("run"))
        self.assertEqual({s["name"]: s["num_tasks"] for s in json.loads(done.stdout)["stages"]},
                         {"videotestsrc0": 5, "fakesink0": 5})


class Times(Tracer):
    """Times agree with GStreamer's own of the same run, on a machine that does nothing else."""
    SLOWED = (40, 8000)

    def assert_slow_bounds(self, verdict, slow, message):
        self.assertEqual(verdict["stage"], slow, message)

    def test_times_are_those_of_gstreamer(self):
        log, stages, verdict = self.count_buffers()
        self.assertEqual(verdict["stage"], stages["identity0"]["label"])
        took = {}
        for element, time in LATENCY.findall(log):
            took.setdefault(element, []).append(int(time) / 1e9)
        for element in ("identity0", "theoradec0"):
            own = sorted(took[element])[len(took[element]) // 2]
            self.assertAlmostEqual(stages[element]["p50_time"] / own, 1, delta=0.25, msg=f"{element}: {own}")


if __name__ == "__main__":
    if not shutil.which("gst-launch-1.0") or not os.path.exists(os.path.join(PLUGINS, "libgstcallsig.so")):
        print("SKIPPED: gstreamer: the tracer was not built, or gst-launch-1.0 is missing")
        sys.exit(77)
    unittest.main(verbosity=2)
