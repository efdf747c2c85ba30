# ctest: case - full
# ctest: skips
"""The page of callsig stages --plot in Chromium: its policy lets its own scripts run and no other, and pointing, keys and the wheel do what it says."""

import re
import shutil
import subprocess
import sys
import unittest

from test_plot import HOSTILE, Page, Plot

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser(Plot):
    def after(self, script=None, name="out.html"):
        """The page after its scripts ran, and this one behind them, for which the policy is taken out."""
        if script is not None:
            with open(self.path("out.html"), encoding="utf-8") as file:
                text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", file.read())
            name = "driven.html"
            self.write(name, text.replace("</body>", f"<script>{script}</script></body>"))
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.path('user')}", "--dump-dom",
                   "file://" + self.path(name)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=True)
        return Page(done.stdout.decode())

    def draw_one(self):
        rows = [(1000.0 + i, "0:1:decode", 10 + i, 1, 0.001 * (i + 1), 0.002, 0.003) for i in range(21)]
        name = self.database(rows, (), [(1005.0, "gc_start"), (1006.0, "gc_stop")])
        self.page(name)

    def readout(self, page):
        text = " ".join(page.words)
        return next(line for line in text.splitlines() if "over time, " in line)

    def test_its_scripts_run_and_no_other(self):
        name = self.database([(10.0 + i, f"0:{n}:{label}", 3, 1, 0.1, 0.2, 0.3) for n, label in enumerate(HOSTILE) for i in range(3)])
        self.page(name)
        page = self.after()
        charts = [attributes for tag, attributes in page.elements if tag == "svg" and attributes.get("class") == "chart"]
        self.assertGreater(len(charts), len(HOSTILE))
        self.assertEqual({chart.get("tabindex") for chart in charts}, {"0"})
        with open(self.path("out.html"), encoding="utf-8") as file:
            text = file.read()
        planted = self.write("planted.html", text.replace("</body>", "<script>document.title = 'planted'</script></body>"))
        self.assertNotIn("planted", self.after(name=planted.rsplit("/", 1)[1]).words, "what is planted does not run")

    def test_pointing_reads_out(self):
        self.draw_one()
        page = self.after("""
          const chart = document.querySelectorAll('svg.chart')[2], box = chart.getBoundingClientRect(), scale = box.width / 276;
          chart.dispatchEvent(new MouseEvent('mousemove', {bubbles: true, clientX: box.left + (46 + 220 * 5.5 / 20) * scale, clientY: box.top + 60}));
        """)
        # A pointer stands at a whole pixel, of which there are about eleven to a second.
        found = re.search(r"time of a task of 0:1:decode over time, ([\d.]+) s: mean 7 ms, p90 2 ms, p99 3 ms; gc$", self.readout(page).strip())
        self.assertIsNotNone(found, self.readout(page))
        self.assertAlmostEqual(float(found.group(1)), 5.5, delta=0.1)
        crosses = [attributes for tag, attributes in page.elements if attributes.get("class") == "cross"]
        self.assertGreater(len(crosses), 2)
        self.assertEqual(len({cross["x1"] for cross in crosses}), 1, "the time is marked in all charts")
        self.assertAlmostEqual(float(crosses[0]["x1"]), 60.5, delta=1.1)

    def test_keys_zoom_and_move(self):
        self.draw_one()
        keys = "['ArrowRight', '+', '+', 'ArrowRight'].forEach((key) => chart.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})));"
        page = self.after("const chart = document.querySelector('svg.chart');" + keys)
        moved = {attributes["transform"] for tag, attributes in page.elements if attributes.get("class") == "moved"}
        self.assertEqual(len(moved), 1, "all charts move together")
        self.assertRegex(moved.pop(), r"^translate\(-[\d.]+ 0\) scale\(4 1\)$")
        self.assertIn("10.5 s", self.readout(page))
        back = self.after("const chart = document.querySelector('svg.chart');" + keys +
                          "chart.dispatchEvent(new KeyboardEvent('keydown', {key: '0', bubbles: true}));")
        self.assertEqual({attributes["transform"] for tag, attributes in back.elements if attributes.get("class") == "moved"},
                         {"translate(0 0) scale(1 1)"})


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped: chromium is not installed")
        sys.exit(77)
    unittest.main()
