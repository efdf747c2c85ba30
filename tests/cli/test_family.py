"""The processes that a program starts: one recording of all, however many they are."""

import glob
import json
import os
import signal
import subprocess
import time

import harness

CALLS = """
    #include <stdlib.h>
    #include <unistd.h>
    static void __attribute__((noinline)) work(int n) { for (volatile int i = 0; i < n; i++) {} }
    int main(int argc, char **argv) {
      work(argc > 1 ? atoi(argv[1]) : 7);
      if (argc > 2)
        sleep((unsigned)atoi(argv[2]));
      return 0; }"""


class Family(harness.Case):
    def setUp(self):
        super().setUp()
        self.calls = self.compile("calls", CALLS)

    def names(self, output):
        return sorted(name for name in os.listdir(self.folder) if name.startswith((output, "." + output)))

    def script(self, text):
        self.write("script.sh", text)
        return "/bin/sh", "script.sh"

    def counts(self, *files, by="function,process"):
        """(function, process) -> calls, of a report."""
        done = self.callsig("report", "--format", "json", "--by", by, *files)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = {}
        for row in json.loads(done.stdout)["rows"]:
            key = row["function"], row.get("process") if "process" in by else row["signature"]
            counts[key] = counts.get(key, 0) + row["ncalls"]
        return counts

    def test_script(self):
        """The program itself is not instrumented, and what it starts is."""
        done = self.callsig("run", "-o", "a", *self.script("./calls 3\n./calls 4\n./calls 3\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("only programs that it starts", done.stderr)
        self.assertIn("this was 3 processes", done.stderr)
        self.assertEqual(self.names("a"), ["a"])
        counts = self.counts("a")
        one = [process for function, process in counts if function == "main" and process.startswith("calls 4 (")]
        self.assertEqual(len(one), 1, counts)
        self.assertRegex(one[0], r"^calls 4 \(\d+\)$")
        self.assertEqual(counts, {(function, process): calls for function in ("main", "work")
                                  for process, calls in (("calls 3 (2 processes)", 2), (one[0], 1))})

    def test_sums_are_of_each(self):
        """Calls by process are those of each process's own recording."""
        script = self.script("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n  ./calls $((i % 3))\ndone\n")
        for name, *options in (("one",), ("each", "--apart")):
            done = self.callsig("run", "-o", name, *options, *script)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names("one"), ["one"])
        self.assertEqual(len(self.names("each")), 12)
        own = {}
        for (function, process), calls in self.counts(*self.names("each")).items():
            key = function, process[:process.index(" (")]
            own[key] = own.get(key, 0) + calls
        self.assertEqual({(function, process[:process.index(" (")]): calls for (function, process), calls in self.counts("one").items()}, own)
        self.assertEqual(self.counts("one", by="signature"), self.counts(*self.names("each"), by="signature"))

    def test_folded_while_running(self):
        """Many short processes leave few files at any time."""
        script = self.script("i=0\nwhile [ $i -lt 60 ]; do\n  ./calls $i\n  i=$((i + 1))\n"
                             "  [ $((i % 20)) != 0 ] || while [ $(ls many.* | wc -l) -gt 18 ]; do sleep 0.02; done\ndone\n")
        done = self.callsig("run", "-o", "many", *script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names("many"), ["many"])
        self.assertIn("this was 60 processes", done.stderr)
        counts = self.counts("many", by="signature")
        self.assertEqual({signature: calls for (function, signature), calls in counts.items() if function == "work"},
                         {f"work(n={i})": 1 for i in range(60)})

    def test_earlier_run(self):
        """What an earlier run left beside is gone, and what is no recording of a run is not."""
        script = self.script("./calls 1\n./calls 1\n./calls 1\n")
        self.callsig("run", "--apart", "-o", "a", *script)
        self.assertEqual(len(self.names("a")), 3)
        self.write("a.77", "not a recording")
        self.callsig("merge", "-o", "a.5", "a")
        self.callsig("run", "--apart", "-o", "a", *script)
        self.assertEqual(len(self.names("a")), 5)
        self.assertIn("a.5", self.names("a"))
        self.assertIn("a.77", self.names("a"))
        self.callsig("run", "-o", "a", *script)
        self.assertEqual(self.names("a"), ["a", "a.5", "a.77"])
        self.assertEqual(self.counts("a")["main", "calls 1 (3 processes)"], 3)

    def test_process_that_goes_on(self):
        """A process that outlives the run keeps its own recording."""
        done = self.callsig("run", "-o", "a", *self.script("./calls 1\n./calls 2\n./calls 3 60 > /dev/null 2>&1 &\necho $! > pid\n"
                                                          "while ! ls a.$! 2> /dev/null; do sleep 0.01; done\n"))
        with open(self.path("pid"), encoding="ascii") as file:
            pid = int(file.read())
        try:
            self.assertIn("1 process that the program started goes on, and records in a.PID: not counted here", done.stderr)
            self.assertEqual(self.names("a"), ["a", f"a.{pid}"])
            self.assertEqual(sum(calls for (function, _), calls in self.counts("a").items() if function == "main"), 2)
            self.assertEqual(sum(calls for (function, _), calls in self.counts("a", f"a.{pid}").items() if function == "main"), 3)
        finally:
            os.kill(pid, signal.SIGKILL)

    def test_what_cannot_be_written(self):
        """Where the folded recordings cannot be written, those of the processes stay, and their calls are shown."""
        self.write("a.family", "somebody's")
        done = self.callsig("run", "-o", "a", *self.script("i=0\nwhile [ $i -lt 20 ]; do\n  ./calls $i\n  i=$((i + 1))\ndone\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("exists and is not a recording"), 1)
        self.assertIn("19 more recordings of processes that the program started", done.stderr)
        with open(self.path("a.family"), encoding="ascii") as file:
            self.assertEqual(file.read(), "somebody's")
        files = [name for name in self.names("a") if name != "a.family"]
        self.assertEqual(len(files), 20)
        self.assertEqual(sum(calls for (function, _), calls in self.counts(*files).items() if function == "main"), 20)

    def test_folder_that_cannot_be_read(self):
        """Where the recordings of processes cannot be looked for, a line says that they are not counted."""
        os.mkdir(self.path("there"))
        done = self.callsig("run", "-o", "there/a", *self.script("./calls 1\n./calls 2\nmv there elsewhere\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("recordings of processes that the program started cannot be looked for beside it", done.stderr)
        self.assertEqual(len(os.listdir(self.path("elsewhere"))), 2)

    def left(self, output):
        """The recordings that a killed run left."""
        return sorted(name for name in glob.glob(output + "*", root_dir=self.folder))

    def test_killed_command(self):
        """SIGKILL of the command at any moment loses no call of a process that has ended, and counts none twice."""
        self.write("script.sh", "i=0\nwhile [ $i -lt 40 ]; do\n  ./calls $i\n  i=$((i + 1))\n  echo >> ended\ndone\ntouch done\n")
        for moment in (1, 18, 20, 34):
            for name in self.left("a") + ["ended", "done"]:
                if os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
            run = subprocess.Popen([harness.CALLSIG, "run", "-o", "a", "/bin/sh", "script.sh"], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not os.path.exists(self.path("ended")) or os.path.getsize(self.path("ended")) < moment:
                time.sleep(0.001)
            run.kill()
            run.wait()
            while not os.path.exists(self.path("done")):
                time.sleep(0.01)
            done = self.callsig("report", "--format", "json", "--by", "function", *self.left("a"))
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = {row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}
            self.assertEqual(calls, {"main": 40, "work": 40}, moment)


if __name__ == "__main__":
    harness.main()
