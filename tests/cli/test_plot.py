"""callsig stages --plot: what is drawn is what is printed, whatever names are in it, however long it ran."""

import html.parser
import json
import os
import re
import sqlite3
import xml.etree.ElementTree

import harness
from harness import Case, INCLUDE, RUNTIME
from test_stages import QUEUES

LIBS = (f"-L{RUNTIME}", "-lcallsig", "-pthread", f"-Wl,-rpath,{RUNTIME}")
SVG = "{http://www.w3.org/2000/svg}"
POINTS = 1000  # OUT_PLOT_POINTS
DRAWN = {"stage": {"tasks_per_second", "busy", "failure_rate", "ave_time", "p90_time", "p99_time", "num_tasks", "num_failures"},
         "queue": {"qps", "occupancy_rate", "ave_put_time", "p90_put_time", "p99_put_time", "ave_get_time", "p90_get_time", "p99_get_time"}}
HOSTILE = ["</script><script>alert(1)</script>", "<!--<script>", "\"'><img src=x onerror=alert(1)>", "a]]>b&amp;&#60;", "\u202edesrever\u202c",
           "x\x01y\x1b[31m", "long" * 2500, "\\u003c/script>", "{{7*7}}${7*7}"]

SPDL = """
CREATE TABLE task_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL, name TEXT NOT NULL, num_tasks INTEGER NOT NULL,
  num_failures INTEGER NOT NULL, ave_time REAL NOT NULL, p90_time REAL NOT NULL, p99_time REAL NOT NULL);
CREATE TABLE queue_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL, name TEXT NOT NULL, elapsed REAL NOT NULL,
  num_items INTEGER NOT NULL, ave_put_time REAL NOT NULL, ave_get_time REAL NOT NULL, p90_put_time REAL NOT NULL, p99_put_time REAL NOT NULL,
  p90_get_time REAL NOT NULL, p99_get_time REAL NOT NULL, occupancy_rate REAL NOT NULL);
CREATE TABLE event_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL, event_name TEXT NOT NULL);
"""

# Two stages with a queue between them: for half of the items the first is slow, then the second. Each tenth task fails.
MOVING = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <unistd.h>
enum { ITEMS = 160 };
static struct callsig_fifo *queue;
static struct callsig_stage *stages[2];
static void work(int stage, uint64_t item)
{
  callsig_task_begin(stages[stage], NULL);
  usleep((item < ITEMS / 2) == (stage == 0) ? 9000 : 300);
  callsig_task_end(stages[stage], item % 10 == 9);
}
static void *run_resize(void *data)
{
  struct callsig_fifo_item item;
  while (callsig_fifo_get(queue, &item, UINT64_MAX) == 0)
    work(1, item.item);
  return data;
}
int main(void)
{
  struct callsig_queue_options between = {.size = sizeof between, .index = 0, .name = "decode", .capacity = 4};
  pthread_t resize;
  for (unsigned i = 0; i < 2; i++) {
    struct callsig_stage_options named = {.size = sizeof named, .index = i, .name = i ? "resize" : "decode"};
    if (callsig_stage_open(&named, &stages[i]) < 0)
      return 3;
  }
  if (callsig_fifo_open(&between, &queue) < 0 || pthread_create(&resize, NULL, run_resize, NULL) != 0)
    return 4;
  for (uint64_t i = 0; i < ITEMS; i++) {
    work(0, i);
    callsig_fifo_put(queue, (struct callsig_fifo_item){.item = i}, UINT64_MAX);
  }
  callsig_fifo_shut(queue);
  return pthread_join(resize, NULL);
}
"""


# A stage of each name, with a few tasks.
NAMED = r"""
#include <callsig/callsig.h>
#include <unistd.h>
int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    struct callsig_stage *stage;
    struct callsig_stage_options named = {.size = sizeof named, .index = (uint32_t)i, .name = argv[i]};
    if (callsig_stage_open(&named, &stage) < 0)
      return 3;
    for (int j = 0; j < 20; j++) {
      CALLSIG_TASK(stage);
      usleep(1000);
    }
  }
  return 0;
}
"""


class Page(html.parser.HTMLParser):
    """The elements of a page, the attributes that they have, and the text of scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.scripts, self.words = [], set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.attributes |= {name for name, _ in attrs}
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == "script" and self.cdata_elem == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)


def steps(path):
    """The level parts of a line: (from, until, height)."""
    x = y = None
    found = []
    for letter, text in re.findall(r"([MVH])([^MVH]*)", path):
        numbers = [float(number) for number in text.split()]
        if letter == "M":
            x, y = numbers
        elif letter == "V":
            y, = numbers
        else:
            found.append((x, numbers[0], y))
            x = numbers[0]
    return found


class Plot(Case):
    def draw(self, *files, out="out.svg"):
        done = self.callsig("stages", "--plot", out, *files)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.path(out), encoding="utf-8") as file:
            return file.read()

    def svg(self, *files):
        return xml.etree.ElementTree.fromstring(self.draw(*files))

    def page(self, *files):
        return Page(self.draw(*files, out="out.html"))

    def printed(self, file):
        done = self.callsig("stages", "--format", "json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def run_queues(self, *arguments, interval="0.1"):
        program = self.compile("queues", QUEUES, "-I", INCLUDE, libs=LIBS)
        done = self.callsig("run", "--db", "runs.db", "--interval", interval, "--", program, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def database(self, tasks=(), queues=(), events=(), name="spdl.db"):
        with sqlite3.connect(self.path(name)) as database:
            database.executescript(SPDL)
            database.executemany("INSERT INTO task_stats (timestamp, name, num_tasks, num_failures, ave_time, p90_time, p99_time)"
                                 " VALUES (?, ?, ?, ?, ?, ?, ?)", tasks)
            database.executemany("INSERT INTO queue_stats (timestamp, name, elapsed, num_items, ave_put_time, ave_get_time, p90_put_time,"
                                 " p99_put_time, p90_get_time, p99_get_time, occupancy_rate) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", queues)
            database.executemany("INSERT INTO event_stats (timestamp, event_name) VALUES (?, ?)", events)
        database.close()
        return name

    def check_line(self, field, path, top, series, start, end):
        """A line has a step for each point of the series that is known, where the point is."""
        width, height = float(field.get("width")), float(field.get("height")) - 2
        at = lambda time: width * (time - start) / (end - start) if end > start else width / 2  # noqa: E731
        measure = path.get("data-measure")
        known = [(at(begin), at(until), height * (1 - value / top))
                 for begin, until, value in zip(series["from"], series["until"], series[measure]) if value is not None]
        drawn = steps(path.get("d"))
        self.assertEqual(len(drawn), len(known), measure)
        for number, (got, wanted) in enumerate(zip(drawn, known)):
            self.assertAlmostEqual(got[2], wanted[2], delta=0.006, msg=(series["label"], measure, number))
            self.assertAlmostEqual(got[1], wanted[1], delta=0.02, msg=(series["label"], measure, number))
            self.assertAlmostEqual(got[0], wanted[0], delta=1.0, msg=(series["label"], measure, number))

    def check_charts(self, svg, sources, start, end):
        """Every chart is of what was printed, and all that there is to draw is drawn. `sources`: name -> series."""
        wanted = {(series["label"], series["kind"], measure, source) for source, list_ in sources.items() for series in list_
                  for measure in DRAWN[series["kind"]] if any(value is not None for value in series[measure])}
        if "intervals" in sources:  # which come first
            wanted -= {(label, kind, measure, "over_time") for label, kind, measure, _ in set(wanted) if measure != "busy"}
        drawn = set()
        for chart in svg.iter(SVG + "svg"):
            if chart.get("class") != "chart":
                continue
            field = next(node for node in chart if node.get("class") == "lines")
            for path in field.iter(SVG + "path"):
                label, kind, source = chart.get("data-label"), chart.get("data-kind"), path.get("data-source")
                series = next(one for one in sources[source] if one["label"] == label and one["kind"] == kind)
                if steps(path.get("d")):
                    drawn.add((label, kind, path.get("data-measure"), source))
                self.check_line(field, path, float(chart.get("data-top")), series, start, end)
        self.assertEqual(drawn, wanted)
        return drawn


class Drawn(Plot):
    def test_recording_and_database(self):
        # Items take so long that what a busy machine has threads wait for a processor does not bound the pipeline.
        self.run_queues("20", "10:1", "40:1", "10:1")
        recording, database = self.printed("callsig.out"), self.printed("runs.db")
        run, = database["runs"]
        self.assertEqual((database["schema"], run["pid"]), ("callsig.intervals/1", recording["pid"]))
        slots = recording["over_time"]["series"]
        moments = [time for series in slots + run["series"] for key in ("from", "until") for time in series[key]]
        svg = self.svg("callsig.out", "runs.db")
        drawn = self.check_charts(svg, {"intervals": run["series"], "over_time": slots}, min(moments), max(moments))
        self.assertIn(("0:2:second", "stage", "busy", "over_time"), drawn)
        self.assertIn(("0:2:second", "stage", "p99_time", "intervals"), drawn)
        self.assertIn(("0:1:first", "queue", "occupancy_rate", "intervals"), drawn)
        for series in run["series"]:
            counted, key = ("num_tasks", "stages") if series["kind"] == "stage" else ("num_items", "queues")
            whole = next(one for one in recording[key] if one["label"] == series["label"])
            self.assertEqual(sum(series[counted]), whole[counted])
        # A long sentence takes more than one line.
        words = " ".join("".join(svg.itertext()).split())
        self.assertIn("Pipeline 0: " + recording["verdicts"][0]["sentence"], words)
        self.assertIn("0:2:second bounds it: it works", recording["verdicts"][0]["sentence"])
        self.assertIn("bounds it", [node.text for node in svg.iter(SVG + "tspan")])

    def test_a_recording_alone_says_what_it_lacks(self):
        self.run_queues("40", "1:1", "4:1")
        recording = self.printed("callsig.out")
        slots = recording["over_time"]["series"]
        moments = [time for series in slots for key in ("from", "until") for time in series[key]]
        svg = self.svg("callsig.out")
        self.check_charts(svg, {"over_time": slots}, min(moments), max(moments))
        self.assertEqual([sum(series["num_tasks"]) for series in slots], [40, 40])
        self.assertIn("A recording tells over time how many tasks ended and how busy stages were.", " ".join(svg.itertext()))

    def test_a_page_holds_what_is_printed(self):
        self.run_queues("40", "1:1", "4:1")
        page = self.page("callsig.out", "runs.db")
        data = json.loads(page.scripts[0])
        self.assertEqual(data["schema"], "callsig.plot/1")
        picture, = data["pictures"]
        self.assertEqual(picture["recording"], self.printed("callsig.out"))
        self.assertEqual(picture["intervals"], self.printed("runs.db")["runs"][0])
        svg, pages = self.draw("callsig.out", "runs.db"), self.draw("callsig.out", "runs.db", out="again.html")
        lines = re.compile(r'<path class="line[^>]*>')
        self.assertEqual(lines.findall(svg), lines.findall(pages))
        self.assertGreater(len(lines.findall(svg)), 20)

    def test_a_bound_that_moves(self):
        program = self.compile("moving", MOVING, "-I", INCLUDE, libs=LIBS)
        self.assertEqual(self.callsig("run", program).returncode, 0)
        recording = self.printed("callsig.out")
        verdict, = recording["verdicts"]
        self.assertEqual([phase["stage"] for phase in verdict["phases"]], ["0:0:decode", "0:1:resize"])
        series = {one["label"]: one for one in recording["over_time"]["series"]}
        busy = series["0:0:decode"]["busy"]
        known = [share for share in busy if share is not None]
        self.assertGreater(known[1], 0.8)
        self.assertLess(known[-2], 0.3)
        svg = self.svg("callsig.out")
        words = " ".join(svg.itertext())
        self.assertIn(verdict["sentence"], words)
        self.assertEqual(len([node for node in svg.iter(SVG + "tspan") if node.get("class") == "bounds"]), 2, "both are marked")

    def test_one_interval(self):
        self.run_queues("10", "1:1", interval="100")
        run, = self.printed("runs.db")["runs"]
        self.assertEqual({len(series["from"]) for series in run["series"]}, {1})
        svg = self.svg("runs.db")
        start, end = run["start"], run["end"]
        self.check_charts(svg, {"intervals": run["series"]}, start, end)

    def test_of_spdl(self):
        tasks = [(1000.0 + i, "0:1:decode[4]", 10 + i, i % 3, 0.25, 0.5, 1.0) for i in range(20)]
        queues = [(1000.0 + i, "0:1:decode[4]", 1.0, 7, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, i / 20) for i in range(20)]
        events = [(1003.0, "gc_start"), (1003.25, "gc_stop"), (1005.0, "gc_start"), (1005.5, "gc_start"), (1006.0, "gc_stop"),
                  (1007.0, "gc_stop"), (1008.0, "gc_stop"), (1009.0, "epoch")]
        name = self.database(tasks, queues, events)
        run, = self.printed(name)["runs"]
        self.assertIsNone(run["run"])
        self.assertEqual([(event["name"], event["from"], event["until"]) for event in run["events"]],
                         [("gc", 1003.0, 1003.25), ("gc", 1005.0, 1006.0), ("gc", 1005.5, 1007.0), ("gc_stop", 1008.0, 1008.0),
                          ("epoch", 1009.0, 1009.0)])
        stage, queue = run["series"]
        self.assertEqual(stage["num_tasks"], [row[2] for row in tasks])
        self.assertEqual(stage["tasks_per_second"], [None] + [row[2] for row in tasks[1:]])
        self.assertEqual(stage["p50_time"], [None] * 20)
        self.assertEqual(queue["occupancy_rate"], [i / 20 for i in range(20)])
        svg = self.svg(name)
        self.check_charts(svg, {"intervals": run["series"]}, run["start"], run["end"])
        bands = [(float(node.get("x")), float(node.get("width"))) for node in svg.iter(SVG + "rect") if node.get("class") == "band"]
        width = (1019 - 999) and 220 / (run["end"] - run["start"])
        self.assertAlmostEqual(bands[0][0], (1003.0 - run["start"]) * width, delta=0.01)
        self.assertAlmostEqual(bands[0][1], 0.25 * width, delta=0.01)
        self.assertAlmostEqual(bands[1][1], 2.0 * width, delta=0.01, msg="two that overlap are one band")
        self.assertEqual(len(bands), 4)
        colours = [node.get("data-event") for node in svg.iter(SVG + "rect") if node.get("class") == "band"]
        self.assertEqual(colours, ["0", "0", "1", "2"])
        self.assertEqual(self.legend(svg), [("0", "gc, 3 times"), ("1", "gc_stop, 1 time"), ("2", "epoch, 1 time")])

    def legend(self, svg):
        """The colours of events, and what stands behind each."""
        group, = (node for node in svg.iter(SVG + "g") if node.get("class") == "bands")
        return [(box.get("data-event"), words.text) for box, words in zip(group[::2], group[1::2])]

    def test_events_beyond_the_colours_share_one(self):
        tasks = [(1000.0 + i, "0:1:decode", 10, 0, 0.25, 0.5, 1.0) for i in range(20)]
        svg = self.svg(self.database(tasks, (), [(1001.0 + 2 * i, f"event <{i % 6}>") for i in range(9)]))
        self.assertEqual(self.legend(svg), [("0", "event <0>, 2 times"), ("1", "event <1>, 2 times"), ("2", "event <2>, 2 times"),
                                            ("3", "event <3>, 1 time"), ("4", "other events, 2 times")])
        self.assertEqual([node.get("data-event") for node in svg.iter(SVG + "rect") if node.get("class") == "band"],
                         ["0", "1", "2", "3", "4", "4", "0", "1", "2"])

    def test_without_events_there_is_no_legend(self):
        svg = self.svg(self.database([(1000.0 + i, "0:1:decode", 10, 0, 0.25, 0.5, 1.0) for i in range(20)], (), ()))
        self.assertEqual([node for node in svg.iter(SVG + "g") if node.get("class") == "bands"], [])

    def test_many_intervals_are_joined_and_it_says_so(self):
        count = 10000
        tasks = [(1e6 + i, "0:1:decode", 3, i % 2, 0.001 * (1 + i % 7), 0.002, 0.003 + i * 1e-6) for i in range(count)]
        events = [(1e6 + i, f"event {i % 3}") for i in range(count)]
        name = self.database(tasks, (), events)
        whole, = self.printed(name)["runs"]
        self.assertEqual(len(whole["series"][0]["from"]), count)
        page = self.page(name)
        joined, = json.loads(page.scripts[0])["pictures"]
        series, = joined["intervals"]["series"]
        self.assertLessEqual(len(series["from"]), POINTS)
        self.assertEqual((sum(series["num_tasks"]), sum(series["num_failures"]), series["intervals"]), (3 * count, count // 2, count))
        part = tasks[10:20]
        successes = [row[2] - row[3] for row in part]
        self.assertAlmostEqual(series["ave_time"][1], sum(n * row[4] for n, row in zip(successes, part)) / sum(successes), places=12)
        self.assertAlmostEqual(series["p99_time"][1], part[-1][6], places=12)
        self.assertIn("Downsampled: a point stands for up to 10 intervals", " ".join(page.words))
        svg = self.svg(name)
        self.check_charts(svg, {"intervals": [series]}, whole["start"], whole["end"])
        self.assertIn("Downsampled: a point stands for up to 10 intervals", " ".join(svg.itertext()))
        self.assertLess(os.path.getsize(self.path("out.svg")), 2e6, "bands that are one are drawn once")

    def test_joined_percentiles_are_of_all_their_tasks(self):
        self.run_queues("300", "1:1", interval="0.02")
        with sqlite3.connect(self.path("runs.db")) as database:
            rows = database.execute("SELECT COUNT(*) FROM intervals").fetchone()[0]
            # As often again, until neighbours are joined.
            for _ in range(7):
                database.executescript("""
                    CREATE TEMP TABLE old AS SELECT t.*, ti.*, t.rowid AS o FROM task_stats t JOIN task_intervals ti ON ti.task = t.id ORDER BY t.id;
                    INSERT INTO task_stats (timestamp, name, num_tasks, num_failures, ave_time, p90_time, p99_time)
                      SELECT timestamp, name, num_tasks, num_failures, ave_time, p90_time, p99_time FROM old;
                    INSERT INTO task_intervals SELECT id + (SELECT COUNT(*) FROM old), interval, dropped, open, total_time, failed_time, p50_time,
                      min_time, max_time, tick, histogram FROM old;
                    DROP TABLE old;""")
            times = database.execute("SELECT num_tasks, p50_time FROM task_stats JOIN task_intervals ON task = id WHERE num_tasks > 0"
                                     " ORDER BY id LIMIT ?", (rows,)).fetchall()
        database.close()
        picture, = json.loads(self.page("runs.db").scripts[0])["pictures"]
        stage = next(series for series in picture["intervals"]["series"] if series["kind"] == "stage")
        self.assertGreater(stage["intervals"], len(stage["from"]))
        lowest, highest = min(p50 for _, p50 in times), max(p50 for _, p50 in times)
        for p50 in filter(None, stage["p50_time"]):
            self.assertTrue(lowest * 0.98 <= p50 <= highest * 1.02, (lowest, p50, highest))
        for p50, p99 in zip(stage["p50_time"], stage["p99_time"]):
            self.assertTrue(p50 is None or p50 <= p99)

    def test_rows_without_a_time_are_told(self):
        name = self.database([(float("inf"), "0:1:decode", 3, 0, 0.1, 0.1, 0.1), (10.0, "0:1:decode", 3, 0, 0.1, 0.1, 0.1)])
        run, = self.printed(name)["runs"]
        self.assertEqual((run["unreadable"], sum(run["series"][0]["num_tasks"])), (1, 3))
        self.assertIn("1 rows of the database have no time", " ".join(self.svg(name).itertext()))

    def test_hostile_figures(self):
        rows = [(10.0 + i, "0:1:decode", n, f, t, t, t) for i, (n, f, t) in enumerate(
            [(-5, 3, -1.0), (2 ** 62, 0, 1e300), (1, 1, float("inf")), (0, 7, float("-inf")), (3, 0, 1e-300)])]
        self.svg(self.database(rows, [(10.0, "0:1:decode", -1.0, -1, -1, -1, -1, -1, -1, -1, 99.0)]))
        self.page("spdl.db")


class Names(Plot):
    def test_hostile_names(self):
        labels = [f"0:{i}:{name}" for i, name in enumerate(HOSTILE)] + HOSTILE
        name = self.database([(10.0 + i, label, 3, 1, 0.1, 0.2, 0.3) for label in labels for i in range(3)],
                             [(10.0 + i, label, 1.0, 3, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.5) for label in labels for i in range(3)],
                             [(10.0 + i, label) for i, label in enumerate(HOSTILE)])
        svg = self.svg(name)
        self.assertEqual([node.tag for node in svg.iter() if node.tag.endswith(("script", "img", "foreignObject", "}a"))], [])
        self.assertEqual([key for node in svg.iter() for key in node.keys() if key.startswith("on")], [])
        page = self.page(name)
        self.assertEqual([attributes.get("type") for tag, attributes in page.elements if tag == "script"], ["application/json", None, None])
        self.assertEqual({tag for tag, _ in page.elements} & {"img", "a", "iframe", "form", "link", "object", "base"}, set())
        self.assertEqual({name for name in page.attributes if name.startswith("on") or name in ("style", "src", "srcdoc")}, set())
        labels_there = {series["label"] for series in json.loads(page.scripts[0])["pictures"][0]["intervals"]["series"]}
        self.assertEqual(len(labels_there), len(labels))
        self.assertIn("0:0:</script><script>alert(1)</script>", labels_there)
        self.assertIn("x\\x01y\\x1b[31m", labels_there)

    def test_hostile_names_in_a_recording(self):
        program = self.compile("named", NAMED, "-I", INCLUDE, libs=LIBS)
        names = [name[:60] for name in HOSTILE]
        self.assertEqual(self.callsig("run", "--db", "runs.db", "--interval", "0.05", "--", program, *names).returncode, 0)
        self.svg("callsig.out", "runs.db")
        page = self.page("callsig.out", "runs.db")
        self.assertEqual([attributes.get("type") for tag, attributes in page.elements if tag == "script"], ["application/json", None, None])
        picture, = json.loads(page.scripts[0])["pictures"]
        labels = {series["label"] for series in picture["recording"]["over_time"]["series"]}
        self.assertEqual(len(labels), len(names))
        self.assertEqual(labels, {series["label"] for series in picture["intervals"]["series"]})
        charts = [attributes["data-label"] for tag, attributes in page.elements if attributes.get("class") == "chart"]
        self.assertEqual({label: charts.count(label) for label in charts}, {label: 4 for label in labels}, "a page finds the series of each chart")

    def test_what_is_wider_than_the_window_is_reached_by_keys(self):
        page = self.page(self.database([(10.0 + i, "0:0:decode", 3, 1, 0.1, 0.2, 0.3) for i in range(3)]))
        wide = [attributes for tag, attributes in page.elements if attributes.get("class") == "scroll"]
        self.assertEqual([(one.get("tabindex"), one.get("role"), one.get("aria-label")) for one in wide],
                         [("0", "region", "diagram of the pipeline"), ("0", "region", "figures of the whole time")])

    def test_a_page_asks_for_nothing(self):
        text = self.draw(self.database([(10.0, "0:1:decode", 3, 0, 0.1, 0.1, 0.1)]), out="out.html")
        page = Page(text)
        policy = next(attributes["content"] for tag, attributes in page.elements if attributes.get("http-equiv"))
        self.assertTrue(policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'sha256-"), policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual({value for tag, attributes in page.elements for key, value in attributes.items() if key.endswith("href")},
                         {"#bands0"})
        self.assertEqual([node for node in ("@import", "url(") if node in "".join(re.findall(r"<style>.*?</style>", text, re.S))], [])


class Errors(Plot):
    def test_options(self):
        for out in ("out.png", "out", "svg", "out.svg.gz"):
            self.assert_fails(self.callsig("stages", "--plot", out), 2, "--plot", "neither .svg nor .html")
        for other in (["--actions"], ["--db", "x.db"], ["--format", "json"]):
            self.assert_fails(self.callsig("stages", "--plot", "out.svg", *other), 2, "--plot")

    def test_nothing_to_draw(self):
        program = self.compile("plain", harness.CALLS)
        self.assertEqual(self.callsig("run", program).returncode, 0)
        self.assert_fails(self.callsig("stages", "--plot", "out.svg"), 1, "no stages and no queues")
        self.assertFalse(os.path.exists(self.path("out.svg")))
        self.assert_fails(self.callsig("stages", "--plot", "out.svg", "none.out"), 1, "none.out")
        self.assertFalse(os.path.exists(self.path("out.svg")))

    def test_an_empty_database(self):
        svg = self.svg(self.database())
        self.assertIn("There are no intervals of it in the database.", " ".join(svg.itertext()))
        self.write("bad.db", "SQLite format 3\0 and nothing else")
        self.assert_fails(self.callsig("stages", "--plot", "out.svg", "bad.db"), 1, "bad.db")

    def test_the_file_is_whole_or_not_at_all(self):
        name = self.database([(10.0, "0:1:decode", 3, 0, 0.1, 0.1, 0.1)])
        self.write("target", "stays")
        os.symlink(self.path("target"), self.path("link.svg"))
        self.assert_fails(self.callsig("stages", "--plot", "link.svg", name), 1, "link.svg")
        self.assert_fails(self.callsig("stages", "--plot", "no/folder.svg", name), 1, "no/folder.svg")
        with open(self.path("target")) as file:
            self.assertEqual(file.read(), "stays")
        done = self.callsig("stages", "--plot", "/dev/full", name)
        self.assertEqual(done.returncode, 2)

    @harness.with_own_allocator
    def test_memory_that_fails(self):
        name = self.database([(10.0 + i, "0:1:decode", 3, 0, 0.1, 0.1, 0.1) for i in range(3)], (), [(10.0, "gc_start"), (11.0, "gc_stop")])
        for out in ("out.svg", "out.html"):
            for done in self.failed_allocations("stages", "--plot", out, name):
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertEqual(done.returncode == 1, bool(done.stderr), done.stderr)


if __name__ == "__main__":
    harness.main()
