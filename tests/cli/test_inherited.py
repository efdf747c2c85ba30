"""Functions that were open when a process forked: the family made each call once, and every reader takes rows with time and no calls."""

import csv
import glob
import io
import json

import harness

SOURCE = """
    #include <sys/wait.h>
    #include <unistd.h>
    __attribute__((noinline)) static int work(int n) { volatile int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
    __attribute__((noinline)) static void serve(int children) {
      for (int i = 0; i < children; i++)
        if (fork() == 0) { work(20000 + i); return; }
      while (wait(0) > 0) {}
      work(10000); }
    int main(void) { serve(2); return 0; }"""


class Inherited(harness.Case):
    """One parent, two children that return through serve() and main()."""

    def setUp(self):
        super().setUp()
        self.program = self.compile("program", SOURCE)

    def calls(self, *files):
        done = self.callsig("report", *files, "--format", "json", "--by", "function")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        return {row["function"]: row["ncalls"] for row in rows}, {row["function"]: row for row in rows}

    def test_family(self):
        once = {"main": 1, "serve": 1, "work": 3}
        for times in ("auto", "exact"):
            done = self.callsig("run", "--times", times, "-o", "family", self.program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.calls("family")[0], once)
            self.assertEqual(self.callsig("merge", "-o", "folded", "--fold", "family").returncode, 0)
            self.assertEqual(self.calls("folded")[0], once)

    def apart(self):
        self.callsig("run", "--apart", "--percentiles", "--timeline=0", "-o", "x", self.program)
        return sorted(glob.glob(self.path("x.*")))

    def test_child_alone(self):
        children = self.apart()
        self.assertEqual(len(children), 2)
        self.assertEqual(self.calls("x", *children)[0], {"main": 1, "serve": 1, "work": 3})
        calls, rows = self.calls(children[0])
        self.assertEqual(calls, {"main": 0, "serve": 0, "work": 1})
        main = rows["main"]
        self.assertGreaterEqual(main["cumtime"], rows["work"]["cumtime"])
        self.assertEqual((main["pcalls"], main["min"], main["max"], main["timed_calls"]), (0, 0, 0, 0))
        for row in csv.DictReader(io.StringIO(self.callsig("report", children[0], "--format", "csv").stdout)):
            self.assertEqual(int(row["ncalls"]), calls[row["function"]])
        for options in ((), ("--callers",), ("--view", "averages"), ("--by", "stage"), ("--compensate",), ("--stack", "2")):
            done = self.callsig("report", children[0], *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(done.stdout, r"\b(inf|nan)\b")

    def test_other_readers(self):
        child = self.apart()[0]
        for kind in ("callgrind", "pprof", "speedscope", "html", "folded", "dot", "pstats", "flamegraph", "chrome", "otlp", "perfetto"):
            done = self.callsig("export", "--to", kind, "-o", "out." + kind, child)
            self.assertEqual(done.returncode, 0, kind + done.stderr)
        with open(self.path("out.callgrind"), encoding="utf-8") as file:
            self.assertIn("calls=0 ", file.read())
        for command in (("diff", "x", child), ("diff", child, child), ("score", child), ("scaling", child)):
            done = self.callsig(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(done.stdout + done.stderr, r"\b(inf|nan)\b")


if __name__ == "__main__":
    harness.main()
