# ctest: case - full
# ctest: skips
"""The page of a profile in Chromium: every view, filters, order, links and keys; hostile names stay names; nothing is asked for."""

import html
import json
import re
import shutil
import subprocess
import sys
import unittest

from harness import Case, INCLUDE
from test_page import LIBS, SHAPES
from test_plot import HOSTILE, NAMED, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Waits until the page is there, does what a test asks for, and leaves what came of it in the title.
DRIVE = """
const wait = () => document.documentElement.dataset.ready || document.querySelector("[role=alert]");
const timer = setInterval(() => {
  if (!wait()) return;
  clearInterval(timer);
  const type = (id, text) => { const field = document.getElementById(id); field.value = text; field.dispatchEvent(new Event("input")); };
  const key = (node, key) => node.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const cells = (row) => Array.from(row.children, (cell) => cell.title && cell.tagName === "TD" ? cell.title : cell.querySelector(".who")?.textContent ?? cell.textContent);
  const rows = () => Array.from(document.querySelectorAll("tbody tr:not(.space)"), cells);
  const shown = [];
  const tell = (value) => shown.push(value);
  ACTIONS
  document.title = JSON.stringify(shown);
}, 5);
"""


class Browser(Case):
    def setUp(self):
        super().setUp()
        program = self.compile("shapes", SHAPES, libs=("-pthread",))
        self.assertEqual(self.callsig("run", "--times", "exact", program).returncode, 0)
        self.export()

    def export(self, *arguments):
        done = self.callsig("export", "--to", "html", "-o", "out.html", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def open(self, name, address="", width=1200):
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", f"--user-data-dir={self.path('user')}",
                   f"--window-size={width},900", "--dump-dom", "file://" + self.path(name) + address]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=True)
        return done.stdout.decode()

    def drive(self, actions, address="", width=1200):
        """What the actions told, in a page whose policy is taken out: nothing else may run in one with it."""
        with open(self.path("out.html"), encoding="utf-8") as file:
            text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", file.read())
        self.write("driven.html", text.replace("</body>", "<script>" + DRIVE.replace("ACTIONS", actions) + "</script></body>"))
        dom = self.open("driven.html", address, width)
        return json.loads(html.unescape(re.search(r"<title>(.*?)</title>", dom, re.S).group(1)))

    def told(self, *arguments):
        done = self.callsig("report", "--format", "json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]

    def test_its_scripts_run_and_no_other(self):
        dom = self.open("out.html")
        self.assertIn('data-ready="true"', dom)
        with open(self.path("out.html"), encoding="utf-8") as file:
            text = file.read()
        self.write("planted.html", text.replace("</body>", "<script>document.documentElement.dataset.planted = 1</script></body>"))
        dom = self.open("planted.html")
        self.assertIn('data-ready="true"', dom)
        self.assertNotIn("data-planted", dom)

    def test_table_is_the_report_in_every_order(self):
        told = self.told()
        columns = {"own time": "tottime", "with callees": "cumtime", "min": "min", "max": "max"}
        shown = self.drive("""
          for (const title of %s) {
            const button = () => Array.from(document.querySelectorAll("thead button")).find((one) => one.firstChild.data === title);
            button().click();
            if (document.querySelector("[aria-sort]").getAttribute("aria-sort") !== "descending") button().click();
            const place = Array.from(document.querySelectorAll("thead button")).indexOf(button());
            tell(rows().map((cells) => [cells[0], Number(cells[place])]));
          }""" % json.dumps(list(columns)))
        self.assertEqual(len(shown), len(columns))
        for rows, key in zip(shown, columns.values()):
            self.assertEqual(sorted(map(tuple, rows)), sorted((row["signature"], row[key]) for row in told), key)
            values = [value for _, value in rows]
            self.assertEqual(values, sorted(values, reverse=True), key)

    def test_columns_of_waits_and_memory(self):
        from test_page import WAITING
        program = self.compile("waiting", WAITING)
        self.assertEqual(self.callsig("run", "--times", "auto", "--alloc", program).returncode, 0)
        self.export()
        columns = {"computed": "cpu", "waited": "wait", "± waited": "wait_error", "computed with": "cumcpu", "waited with": "cumwait",
                   "± waited with": "cumwait_error", "allocs": "allocs", "alloc bytes": "allocbytes", "unfreed bytes": "unfreed"}
        shown = self.drive("""
          for (const title of %s) {
            const button = () => Array.from(document.querySelectorAll("thead button")).find((one) => one.firstChild.data === title);
            button().click();
            const place = Array.from(document.querySelectorAll("thead button")).indexOf(button());
            tell(rows().map((cells) => [cells[0], cells[place] === "–" ? null : Number(cells[place])]));
          }""" % json.dumps(list(columns)))
        told = {row["signature"]: row for row in self.told()}
        for rows, key in zip(shown, columns.values(), strict=True):
            self.assertEqual({name for name, _ in rows}, set(told))
            for name, value in rows:
                if told[name][key] is None:
                    self.assertIsNone(value, (name, key))
                else:
                    self.assertAlmostEqual(value, told[name][key], delta=1e-6 * told[name]["cumtime"] if "alloc" not in key else 0, msg=(name, key))
            values = [-1 if value is None else value for _, value in rows]
            self.assertEqual(values, sorted(values, reverse=True), key)

    def test_filters_leave_what_report_leaves(self):
        shown = self.drive("""
          type("field-signature", "n >= 3 && n");
          tell(rows().map((cells) => cells[0]));
          type("field-signature", "n = 3");
          tell([document.querySelector(".status").textContent, document.getElementById("field-signature").getAttribute("aria-invalid")]);
          type("field-signature", "");
          type("field-function", "fact|sum");
          tell(rows().map((cells) => cells[0]));
          tell(location.hash);""")
        self.assertEqual(sorted(shown[0]), sorted(row["signature"] for row in self.told("--signature", "n >= 3 && n")))
        self.assertEqual(shown[1], ["signature: column 3: '=' is written '=='", "true"])
        self.assertEqual(sorted(shown[2]), sorted(row["signature"] for row in self.told("--function", "fact|sum")))
        self.assertEqual(shown[3], "#function=fact%7Csum")

    def test_rows_are_filled_anew(self):
        """Elements of rows are used again: each row has its own figures behind any filter and order, and a button keeps the focus."""
        shown = self.drive("""
          const all = () => JSON.stringify(rows().sort());
          const before = all(), first = document.querySelector("tbody tr:not(.space)");
          type("field-function", "no such function");
          tell(rows());
          type("field-function", "fact");
          tell(rows().map((cells) => cells[0]));
          type("field-function", "");
          tell([all() === before, document.querySelector("tbody tr:not(.space)") === first]);
          const button = Array.from(document.querySelectorAll("thead button")).find((one) => one.firstChild.data === "calls");
          button.focus();
          button.click();
          tell([all() === before, document.activeElement === button, document.querySelectorAll("[aria-sort]").length]);""")
        self.assertEqual(shown[0], [["No row passes the filters."]])
        self.assertEqual(sorted(shown[1]), sorted(row["signature"] for row in self.told() if row["function"] == "fact"))
        self.assertEqual(shown[2:], [[True, True], [True, True, 1]])

    def test_a_link_keeps_the_view(self):
        shown = self.drive("""
          tell(rows().map((cells) => cells[0]));
          tell(document.querySelector("[role=tab][aria-selected=true]").textContent);
          tell(document.getElementById("by").value);""", "#by=function&sort=ncalls&function=fact%7Csum")
        self.assertEqual(shown, [["fact", "sum"], "table", "function"])

    def test_keys_choose_rows_and_views(self):
        shown = self.drive("""
          const table = document.querySelector(".scroller");
          key(table, "ArrowDown");
          key(table, "ArrowDown");
          const chosen = () => Array.from(document.querySelectorAll("tr[aria-selected=true]"), (row) => row.getAttribute("aria-rowindex"));
          tell(chosen());
          key(table, "Home");
          tell(chosen());
          key(document.body, "2");
          tell(document.querySelector("[role=tab][aria-selected=true]").textContent);
          key(document.body, "1");
          tell(chosen());""")
        self.assertEqual(shown, [["3"], ["2"], "icicle", ["2"]])

    def test_icicle_zooms_searches_and_reads_out(self):
        whole = sum(row["tottime"] for row in self.told())
        shown = self.drive("""
          const wide = () => Array.from(document.querySelectorAll(".icicle g"), (g) => [g.querySelector("text").textContent, Number(g.querySelector("rect").getAttribute("width"))]);
          tell(wide()[0]);
          tell(document.querySelector(".readout").textContent);
          const main = Array.from(document.querySelectorAll(".icicle g")).find((g) => /^main/.test(g.querySelector("text").textContent));
          main.dispatchEvent(new MouseEvent("click", {bubbles: true}));
          tell([wide()[0], document.querySelectorAll(".path button").length, document.querySelector(".readout").textContent]);
          key(document.querySelector(".icicle"), "0");
          tell(wide()[0][0]);
          type("field-search", "fact");
          tell(document.querySelector(".readout").textContent);
          type("field-search", "(");
          tell(document.querySelector(".readout").textContent);""", "#view=icicle&by=function")
        self.assertEqual(shown[0][0], "all")
        self.assertIn("(100.0%)", shown[1])
        self.assertRegex(shown[2][0][0], "^main")
        self.assertEqual(shown[2][0][1], shown[0][1], "what is zoomed is as wide as the page")
        self.assertEqual(shown[2][1], 1)
        self.assertIn("main", shown[2][2])
        self.assertEqual(shown[3], "all")
        self.assertRegex(shown[4], r"^\d+ found, ")
        self.assertIn("search: Invalid regular expression", shown[5])
        self.assertGreater(whole, 0)

    def test_sunburst_zooms_and_goes_out(self):
        shown = self.drive("""
          const arcs = () => document.querySelectorAll(".sunburst path").length;
          tell(arcs());
          const sunburst = document.querySelector(".sunburst");
          key(sunburst, "ArrowUp");
          tell(document.querySelector(".readout").textContent);
          key(sunburst, "Enter");
          tell(new URLSearchParams(location.hash.slice(1)).get("zoom"));
          key(sunburst, "Escape");
          tell([new URLSearchParams(location.hash.slice(1)).get("zoom"), arcs()]);""", "#view=sunburst&by=function")
        self.assertGreater(shown[0], 5)
        self.assertRegex(shown[1], "^main ")
        self.assertRegex(shown[2], r"^\d+$")
        self.assertEqual(shown[3], [None, shown[0]])

    def test_callers_and_callees_lead_on(self):
        shown = self.drive("""
          type("field-function", "fact");
          document.querySelector("tbody tr th").click();
          key(document.querySelector(".scroller"), "Enter");
          const lists = () => Array.from(document.querySelectorAll(".pairs"), (list) => Array.from(list.querySelectorAll(".who"), (who) => who.textContent).sort());
          tell([document.querySelector(".middle-row .who").textContent, lists()]);
          document.querySelector(".pairs button").click();
          tell(document.querySelector(".middle-row .who").textContent === lists()[0][0]);
          tell(document.querySelector(".middle-row .who").textContent);""", "#by=function")
        self.assertEqual(shown[0], ["fact", [["apply", "fact", "main", "work"], ["fact"]]])
        self.assertIn(shown[2], ("apply", "fact", "main", "work"))

    def test_plots_of_arguments(self):
        number = self.drive("""
          type("field-function", "sum");
          document.querySelector("tbody tr th").click();
          tell(new URLSearchParams(location.hash.slice(1)).get("row"));""", "#by=function")[0]
        shown = self.drive("""
          tell(document.querySelector(".prose .who").textContent);
          tell(Array.from(document.querySelectorAll(".plot"), (plot) => [plot.getAttribute("aria-label"), plot.querySelectorAll("circle").length]));
          document.querySelector("circle").dispatchEvent(new MouseEvent("mouseenter"));
          tell(document.querySelector(".readout").textContent);""", "#view=arguments&row=" + number)
        rows = [row for row in self.told() if row["function"] == "sum"]
        self.assertEqual(shown[0], "sum")
        self.assertIn(["time per call with callees by len, %d signatures" % len(rows), len(rows)], shown[1])
        self.assertRegex(shown[2], r"^sum\(.* per call, \d+ calls$")

    def test_stages_and_timeline(self):
        program = self.compile("named", NAMED, "-I", INCLUDE, libs=LIBS)
        self.assertEqual(self.callsig("run", "--timeline", program, "decode", "resize").returncode, 0)
        self.export()
        shown = self.drive("""
          tell(Array.from(document.querySelectorAll(".pictures svg.chart"), (chart) => chart.getAttribute("tabindex")));
          document.getElementById("tab-timeline").click();
          tell(Array.from(document.querySelectorAll(".timeline .lane"), (lane) => lane.firstChild.data));
          const spans = () => document.querySelectorAll(".timeline svg g").length;
          tell(spans());
          for (let i = 0; i < 12; i++) key(document.querySelector(".timeline"), "+");
          tell(spans());
          key(document.querySelector(".timeline"), "0");
          tell(spans());
          document.querySelector(".timeline svg g").dispatchEvent(new MouseEvent("mouseenter"));
          tell(document.querySelector(".readout").textContent);""", "#view=stages")
        self.assertGreater(len(shown[0]), 3)
        self.assertEqual(set(shown[0]), {"0"})
        self.assertEqual(len(shown[1]), 1)
        self.assertGreater(shown[2], shown[3])
        self.assertEqual(shown[4], shown[2])
        self.assertIn("call, ", shown[5])

    def test_diagram_at_any_width(self):
        """A telephone has the diagram in lines, all of it without scrolling; a window has it in columns. Nothing reaches out of it."""
        program = self.compile("named", NAMED, "-I", INCLUDE, libs=LIBS)
        self.assertEqual(self.callsig("run", program, "decode", "resize").returncode, 0)
        self.export()
        for width in 500, 1100, 1200:  # no window of Chromium is less wide than the first
            window, drawn, right, scrolled, words, outside = self.drive("""
              const diagrams = Array.from(document.querySelectorAll("svg.diagram")).filter((svg) => svg.getBoundingClientRect().width > 0);
              const box = diagrams[0].getBoundingClientRect();
              const texts = Array.from(diagrams[0].querySelectorAll("text"));
              tell(innerWidth);
              tell(diagrams.map((svg) => svg.classList.contains("narrow")));
              tell(box.right);
              tell(Math.max(0, diagrams[0].parentElement.scrollWidth - diagrams[0].parentElement.clientWidth));
              tell(texts.map((text) => text.textContent));
              tell(texts.filter((text) => text.getBoundingClientRect().right > box.right + 1).map((text) => text.textContent));""", "#view=stages", width)
            self.assertEqual((window, drawn, outside), (width, [width < 1200], []))
            self.assertTrue(any("tasks" in text for text in words) and "decode" in "".join(words), words)
            if width < 1200:
                self.assertEqual(scrolled, 0)
                self.assertLess(right, 420)

    def test_hostile_names_are_names(self):
        program = self.compile("named", NAMED, "-I", INCLUDE, libs=LIBS)
        self.assertEqual(self.callsig("run", program, *[name[:60] for name in HOSTILE]).returncode, 0)
        self.export()
        for view in ("table", "icicle", "sunburst", "callers", "arguments", "stages", "about"):
            page = Page(self.open("out.html", f"#view={view}&by=function,stage"))
            self.assertEqual([attributes.get("type") for tag, attributes in page.elements if tag == "script"], ["application/json", None, None], view)
            self.assertEqual({tag for tag, _ in page.elements} & {"img", "iframe", "form", "a"}, set(), view)
            self.assertEqual({name for name in page.attributes if name.startswith("on")}, set(), view)
        shown = self.drive("tell(rows().map((cells) => cells[0]));", "#by=function")
        names = "\n".join(shown[0])
        self.assertIn("</script><script>alert(1)</script>", names)
        self.assertIn("\\xe2\\x80\\xaedesrever", names, "what would turn the text around is shown as what it is")
        self.assertNotIn("\u202e", names)

    def test_what_changed(self):
        for name in ("old.out", "new.out"):
            for i in range(3):
                self.assertEqual(self.callsig("run", "--times", "exact", "-o", f"{i}{name}", self.path("shapes")).returncode, 0)
        sides = [f"{i}old.out" for i in range(3)] + ["--"] + [f"{i}new.out" for i in range(3)]
        self.assertEqual(self.callsig("diff", "--html", "out.html", *sides).returncode, 0)
        told = json.loads(self.callsig("diff", "--all", "--format", "json", *sides).stdout)
        shown = self.drive("""
          tell(rows().map((cells) => [cells[0], cells[1]]));
          type("field-function", "fact");
          tell(rows().length);
          document.getElementById("tab-icicle").click();
          const fills = () => Array.from(document.querySelectorAll(".icicle g"), (g) => g.querySelector("rect").style.fill);
          tell(fills());
          const side = document.getElementById("side");
          side.value = "old";
          side.dispatchEvent(new Event("change"));
          tell(fills().length);""")
        changes = sorted(told["rows"], key=lambda row: -abs(row["change"]))
        self.assertEqual(sorted(map(tuple, shown[0])), sorted((row["signature"], row["verdict"]) for row in changes))
        self.assertEqual(shown[0][0][0], changes[0]["signature"])
        self.assertEqual(shown[1], len([row for row in told["rows"] if row["function"] == "fact"]))
        self.assertEqual(shown[2][0], "var(--quiet)")
        if {row["verdict"] for row in told["rows"]} == {"same"}:
            self.assertEqual(set(shown[2][1:]), {"var(--same)"})
        self.assertGreater(shown[3], 1)

    def test_damaged_data_are_told(self):
        with open(self.path("out.html"), encoding="utf-8") as file:
            text = file.read()
        start = text.index('id="data">') + len('id="data">')
        self.write("cut.html", text[:start] + text[start:text.index("<", start)][:400] + text[text.index("<", start):])
        self.assertIn("This page cannot be shown: ", self.open("cut.html"))


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped: chromium is not installed")
        sys.exit(77)
    unittest.main()
