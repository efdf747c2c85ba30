#!/usr/bin/env python3
# ctest: name output.timeline
# ctest: skips
# ctest: case .Timeline quick Timeline
# ctest: case .Speedscope.test_speedscope_reads_chrome quick Speedscope.test_speedscope_reads_chrome
"""The timeline, exported to Chrome's trace events and to Perfetto, beside what the call tree and the stages counted of the same
run. Chrome's is read by speedscope's importer too.

    test_timeline.py
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli"), str(HERE.parent / "guest"), str(HERE.parent / "oracle" / "exports")]
import perfetto  # noqa: E402
import readers  # noqa: E402
import recording  # noqa: E402
import speedscope_package  # noqa: E402
from harness import BUILD, CFLAGS, INCLUDE, RUNTIME, Case, main  # noqa: E402

ITEMS, KEYS = 40, 300
CALL = 1  # the kind of a call's span, FMT_SPAN_CALL
PACKAGE = Path(BUILD) / "tests" / "speedscope"


def row_name(name, category, notes):
    """The row that a span is of: by its signature, or by its function, which of a task without a signature is {LABEL}."""
    return notes.get("signature") or ("{%s}" % name if category == "task" else name)


class Timeline(Case):
    def setUp(self):
        super().setUp()
        self.program = self.path("program")
        done = self.run_command("cc", "-O1", *CFLAGS, "-I", INCLUDE, str(HERE / "program.c"), "-o", self.program, "-L", RUNTIME,
                                f"-Wl,-rpath,{RUNTIME}", "-lcallsig", "-lpthread")
        self.assertEqual(done.returncode, 0, done.stderr)

    def record(self, *arguments, least="0"):
        done = self.callsig("run", "-o", self.path("recording"), f"--timeline={least}", self.program, *arguments)
        self.assertIn(done.returncode, (0, 134), done.stderr)

    def export(self, form, *options):
        out = self.path(f"out.{form}")
        done = self.callsig("export", "--to", form, *options, "-o", out, self.path("recording"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def chrome(self, *options):
        with open(self.export("chrome", *options)) as file:
            return json.load(file)

    def report(self, by):
        done = self.callsig("report", "--format", "json", "--by", by, self.path("recording"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]

    def stages(self):
        done = self.callsig("stages", "--format", "json", self.path("recording"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def rows(self):
        """What the tree counted: {(signature or function, stage): (calls, seconds)}."""
        return {(row["signature"] or row["function"], row["stage"]): (row["ncalls"], row["cumtime"])
                for row in self.report("signature,stage")}

    def assert_rows(self, found):
        """`found` [(signature, stage, seconds)] is what the tree counted: each call, and its time to the nanosecond. Where hooks stopped the
        clock meanwhile, as they do on a busy machine, the timeline alone has that."""
        counted, summed = Counter(), Counter()
        for signature, stage, seconds in found:
            counted[signature, stage] += 1
            summed[signature, stage] += seconds
        rows = self.rows()
        spans = recording.Recording(self.path("recording"), recording.read_layout(str(self.folder))).spans
        stood_still = sum(ticks for kind, _, _, _, ticks in spans if kind == CALL)
        self.assertEqual(dict(counted), {key: calls for key, (calls, _) in rows.items()})
        for key, (calls, seconds) in rows.items():
            self.assertGreaterEqual(summed[key], seconds - 1.1e-9 * calls, key)
            if not stood_still:
                self.assertLessEqual(summed[key], seconds + 1.1e-9 * calls, key)

    def test_chrome(self):
        self.record()
        trace = self.chrome()
        self.assertEqual(trace["otherData"]["overwritten"], 0)
        events = trace["traceEvents"]
        spans = [event for event in events if event["ph"] == "X"]
        calls = [event for event in spans if event["cat"] in ("function", "task")]
        self.assert_rows([(row_name(event["name"], event["cat"], event["args"]), event["args"].get("stage"), event["dur"] / 1e6)
                          for event in calls])
        self.check_nesting(spans)
        self.check_rows(events)
        self.check_waits(spans, events)
        self.check_flows(events)
        self.assertEqual(Counter(e["name"] for e in events if e["ph"] == "i"), {"made": ITEMS})
        self.assertEqual(Counter((e["ph"], e["name"]) for e in events if e["ph"] in "be"),
                         {("b", "first"): 1, ("e", "first"): 1, ("b", "second"): 1, ("e", "second"): 1})
        self.assertEqual(len({event["name"] for event in calls if event["name"].startswith("{key")}), KEYS)
        failed = sorted(e["args"]["item"] for e in calls if e["cat"] == "task" and e["args"]["failed"])
        self.assertEqual(failed, [10, 20, 30, 40])

    def check_nesting(self, spans):
        """In a row, two spans are one inside the other or apart; a call in a task is of the task's stage."""
        rows = {}
        for span in spans:
            begin = round(span["ts"] * 1000)
            rows.setdefault((span["pid"], span["tid"]), []).append((begin, begin + round(span["dur"] * 1000), span))
        for row in rows.values():
            row.sort(key=lambda span: (span[0], -span[1]))
            stack = []
            for begin, end, span in row:
                while stack and stack[-1][1] <= begin:
                    stack.pop()
                if stack:
                    self.assertLessEqual(end, stack[-1][1], span)
                tasks = [outer for _, _, outer in stack if outer["cat"] == "task"]
                if span["cat"] == "function":
                    self.assertEqual(span["args"].get("stage"), tasks[-1]["name"] if tasks else None)
                stack.append((begin, end, span))

    def check_rows(self, events):
        names = {event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
        self.assertEqual(sorted(name.split(": program")[0] for name in names if ":" in name), ["0:0:make 0", "0:1:use 0"])

    def check_waits(self, spans, events):
        waits = [span for span in spans if span["cat"] == "wait"]
        counts = Counter(span["name"] for span in waits if span["cname"] == "grey")
        queue = self.stages()["queues"][0]
        # The last get found the queue shut.
        self.assertEqual(counts["put 0:0:make"], queue["puts"])
        self.assertIn(counts["get 0:0:make"], (queue["num_items"], queue["num_items"] + 1))
        levels = [event["args"]["items"] for event in events if event["ph"] == "C"]
        self.assertTrue(levels and all(0 <= level <= 4 for level in levels), levels)

    def check_flows(self, events):
        """From each item's first task to its second."""
        flows = Counter(event["id"] for event in events if event["ph"] in "stf")
        self.assertEqual(set(flows.values()), {2})
        self.assertEqual(len(flows), ITEMS)
        tasks = {(event["tid"], event["ts"]): event for event in events if event["ph"] == "X" and event["cat"] == "task"}
        ends = {}
        for event in events:
            if event["ph"] in "sf":
                ends.setdefault(event["id"], {})[event["ph"]] = tasks[event["tid"], event["ts"]]
        for pair in ends.values():
            self.assertEqual((pair["s"]["name"], pair["f"]["name"]), ("0:0:make", "0:1:use"))
            self.assertEqual(pair["s"]["args"]["item"], pair["f"]["args"]["item"])

    def test_perfetto(self):
        self.record()
        tracks, events = perfetto.read(self.export("perfetto"))
        found = perfetto.slices(tracks, events)
        calls = [one for one in found if one[2] in ("function", "task")]
        self.assert_rows([(row_name(name, category, notes), notes.get("stage"), (end - begin) / 1e9)
                          for _, name, category, notes, begin, end, _ in calls])
        chrome = Counter((e["name"], e["cat"], round(e["dur"] * 1000)) for e in self.chrome()["traceEvents"] if e["ph"] == "X")
        self.assertEqual(Counter((name, category, end - begin) for _, name, category, _, begin, end, _ in found
                                 if category != "span"), chrome)
        self.assertEqual(Counter(e["name"] for e in events if e["type"] == 3), {"made": ITEMS})
        self.assertEqual({name for kind, name, _ in tracks.values() if kind == "counter"}, {"queue 0:0:make"})
        self.assertEqual(sorted(name for _, name, category, *_ in found if category == "span"), ["first", "second"])
        starts = Counter(flow for e in events for flow in e["flows"])
        self.assertEqual(starts, Counter(flow for e in events for flow in e["ends"]))
        self.assertEqual(len(starts), ITEMS)
        processes = [uuid for uuid, (kind, _, _) in tracks.items() if kind == "process"]
        self.assertEqual({parent for kind, _, parent in tracks.values() if kind != "process"}, set(processes))

    def test_threshold_and_filters(self):
        self.record(least="100s")
        kinds = Counter(event.get("cat") for event in self.chrome()["traceEvents"] if event["ph"] == "X")
        self.assertEqual(kinds["function"], 0)
        self.assertEqual(kinds["task"], 2 * ITEMS)
        trace = self.chrome("--stage", "make")
        self.assertEqual(Counter(e["name"] for e in trace["traceEvents"] if e["ph"] == "X"), {"0:0:make": ITEMS})

    def test_open_calls_are_there(self):
        self.record("die")
        opened = [e["name"] for e in self.chrome()["traceEvents"] if e["ph"] == "X" and e["args"].get("open")]
        self.assertEqual(opened, ["main"])

    def test_overwritten_spans_are_counted(self):
        self.environment["CALLSIG_TIMELINE_SPANS"] = "256"
        self.record()
        trace = self.chrome()
        calls = sum(calls for calls, _ in self.rows().values())
        kept = Counter(e["tid"] for e in trace["traceEvents"] if e["ph"] == "X")
        self.assertLessEqual(max(kept.values()), 256 + 1)
        self.assertGreater(trace["otherData"]["overwritten"], 0)
        self.assertGreater(calls + trace["otherData"]["overwritten"], sum(kept.values()))

    def exported(self, form, files, *options):
        out = self.path("files.out")
        done = self.callsig("export", "--to", form, *options, "-o", out, *files)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return Path(out).read_bytes()

    def merge(self, name, *files, fold=()):
        done = self.callsig("merge", *fold, "-o", name, *files)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_merged_recordings_keep_theirs(self):
        """Merged in any way, they export as the files do: open calls and what was overwritten too."""
        for name, spans, arguments in (("whole", "16384", ()), ("died", "16384", ("die",)), ("late", "256", ())):
            self.environment["CALLSIG_TIMELINE_SPANS"] = spans
            self.record(*arguments)
            os.rename(self.path("recording"), self.path(name))
        files = ["whole", "died", "late"]
        self.merge("two", *files[:2])
        self.merge("merged", "two", files[2])
        for form in ("chrome", "perfetto"):
            for options in ((), ("--by", "function"), ("--stage", "make")):
                self.assertEqual(self.exported(form, ["merged"], *options), self.exported(form, files, *options), (form, options))
        trace = json.loads(self.exported("chrome", ["merged"]))
        self.assertEqual(len({event["pid"] for event in trace["traceEvents"]}), 3)
        self.assertEqual([e["name"] for e in trace["traceEvents"] if e["ph"] == "X" and e["args"].get("open")], ["main"])
        self.assertGreater(trace["otherData"]["overwritten"], 0)

    def test_folded_threads_share_one(self):
        self.record()
        self.merge("folded", self.path("recording"), fold=["--fold"])

        def spans(files):
            trace = json.loads(self.exported("chrome", files))
            return sorted((e["ph"], e["name"], e["ts"], e.get("dur"), e.get("args", {}).get("signature"))
                          for e in trace["traceEvents"] if e["ph"] in "XibC")
        self.assertEqual(spans(["folded"]), spans([self.path("recording")]))

    def test_errors(self):
        done = self.callsig("run", "-o", self.path("none"), self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        for form in ("chrome", "perfetto"):
            self.assert_fails(self.callsig("export", "--to", form, self.path("none"), "-o", self.path("out")), 1, "none",
                              "no timeline", "callsig run --timeline")
        self.assertFalse(os.path.exists(self.path("out")))
        self.record()
        self.assert_fails(self.callsig("export", "--to", "chrome", self.path("recording"), "-o", "/dev/full"), 1, "/dev/full")


class Speedscope(Timeline):
    """Chrome's trace as speedscope's importer reads it: a case of its own, for which its package has to be had."""

    def test_speedscope_reads_chrome(self):
        release, _ = speedscope_package.find(PACKAGE)
        self.record()
        trace = self.export("chrome", "--function", "spin|twice")
        read = readers.speedscope(HERE.parent / "oracle" / "exports" / "speedscope_read.js", release, trace)[0]
        total = sum(frame["self"] for profile in read["profiles"] for frame in profile["frames"])
        rows = [row for row in self.report("function") if row["function"] in ("spin", "twice")]
        # What twice() does itself is outside of spin(): together they are the outermost of them.
        spans = [e for e in json.loads(Path(trace).read_text())["traceEvents"] if e["ph"] == "X"]
        self.assertEqual(len(spans), sum(row["ncalls"] for row in rows))
        wanted = sum(row["tottime"] for row in rows) * 1e6
        self.assertAlmostEqual(total, wanted, delta=wanted * 1e-3 + 0.01)


if __name__ == "__main__":
    if sys.argv[1:] == ["Speedscope.test_speedscope_reads_chrome"]:
        package, why = speedscope_package.find(PACKAGE)
        if not package:
            print(f"SKIPPED: output.timeline.Speedscope: {why}")
            sys.exit(77)
    main()
