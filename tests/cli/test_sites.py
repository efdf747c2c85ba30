"""Calls are told apart by the line that they were made at."""

import csv
import io
import json
import os
import re
import shutil
import unittest

import harness
import pprof_reader
from test_page import MODULES, READ

# Each line that a comment names makes as many calls of leaf() as it says.
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static __attribute__((noinline)) int leaf(int n) { __asm__ volatile("" : "+r"(n)); return n * 2; }
static __attribute__((always_inline)) inline int inlined(int n)
{
  return leaf(n); /* 3 inlined */
}
static __attribute__((noinline)) int work(int n)
{
  int sum = leaf(n) + leaf(n + 1); /* 8 work */
  for (int i = 0; i < 5; i++)
    sum += leaf(i); /* 20 work */
  return sum;
}
static void *thread(void *data)
{
  (void)data;
  work(1);
  return NULL;
}
static int compare(const void *a, const void *b) { return leaf(*(const int *)a) - *(const int *)b; }
int main(void)
{
  pthread_t one;
  int values[] = {2, 1};
  work(1); /* 1 main */
  inlined(1);
  inlined(2);
  inlined(3);
  qsort(values, 2, sizeof values[0], compare);
  pthread_create(&one, NULL, thread, NULL);
  pthread_join(one, NULL);
  pthread_create(&one, NULL, thread, NULL);
  pthread_join(one, NULL);
  if (fork() == 0)
    return work(7) == 0;
  return wait(NULL) < 0;
}
"""

# Starts from zero, and forks, in calls that are open.
STARTED_AGAIN = r"""
#include <callsig/callsig.h>
#include <sys/wait.h>
#include <unistd.h>
static __attribute__((noinline)) int leaf(int n) { __asm__ volatile("" : "+r"(n)); return n * 2; }
static __attribute__((noinline)) int outer(int n, int m)
{
  leaf(n);
  if (callsig_reset() != 0)
    return 1;
  if (fork() == 0) {
    leaf(m);
    _exit(0);
  }
  leaf(n + 1);
  return wait(NULL) < 0;
}
int main(void)
{
  int result = outer(7, 8); /* outer */
  return result;
}
"""


class Sites(harness.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("sites", PROGRAM, "-pthread")
        lines = PROGRAM.splitlines()
        self.line = {text: 1 + next(i for i, line in enumerate(lines) if text in line) for text in ("3 inlined", "8 work", "20 work", "1 main")}

    def record(self, *options):
        done = self.callsig("run", "--sites", "-o", "recording", *options, self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        return "recording"

    def leaf_calls(self, *recordings):
        """{innermost line: calls of leaf()}, by JSON."""
        done = self.callsig("report", "--format", "json", "--by", "site", *recordings)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {}
        for row in json.loads(done.stdout)["rows"]:
            if row["function"] == "leaf":
                line = row["site_lines"][0]["line"] if row["site_lines"] else row["site"]
                found[line] = found.get(line, 0) + row["ncalls"]
        return found

    def test_lines(self):
        """Calls count at their lines: of threads that have ended, of a forked child, and in the merged recording that both are."""
        expected = {self.line["3 inlined"]: 3, self.line["8 work"]: 8, self.line["20 work"]: 20,
                    1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if "int compare" in line): 1}
        for options in (), ("--no-signatures",), ("--times", "exact"):
            self.assertEqual(self.leaf_calls(self.record(*options)), expected, options)

    def test_names(self):
        """An inlined function's call is named with the place that it is inlined at; code that is not recorded is "?"."""
        table = self.callsig("report", "--by", "site", "--strip-dirs", self.record("--times", "exact")).stdout
        names = self.rows(table)
        self.assertEqual(names[f"sites.c:6(leaf) [at sites.c:{self.line['20 work']}(work)]"][0], "20")
        self.assertEqual(names[f"sites.c:6(leaf) [at sites.c:{self.line['3 inlined']}(inlined) < sites.c:{self.line['1 main'] + 1}(main)]"][0], "1")
        self.assertRegex(table, r"compare\) \[at \?\]")
        self.assertIn(f"sites.c:7(inlined) [at sites.c:{self.line['1 main'] + 2}(main)]", names)

    def test_sums(self):
        """Calls, primitive calls and times of all places are those of the function, and of the run without --sites."""
        recording = self.record("--times", "exact")
        by = {groups: json.loads(self.callsig("report", "--raw", "--format", "json", "--by", groups, recording).stdout)
              for groups in ("site", "function", "signature,site", "signature")}
        for fine, coarse in ("site", "function"), ("signature,site", "signature"):
            sums = {}
            for row in by[fine]["rows"]:
                entry = sums.setdefault((row["function"], row["signature"]), [0, 0, 0.0, 0.0])
                for i, field in enumerate(("ncalls", "pcalls", "tottime", "cumtime")):
                    entry[i] += row[field]
            for row in by[coarse]["rows"]:
                found = sums.pop((row["function"], row["signature"]))
                self.assertEqual(found[:2], [row["ncalls"], row["pcalls"]], row)
                self.assertAlmostEqual(found[2], row["tottime"], delta=1e-9)
                self.assertAlmostEqual(found[3], row["cumtime"], delta=1e-9)
            self.assertEqual(sums, {})
        self.callsig("run", "-o", "plain", self.program)
        plain = json.loads(self.callsig("report", "--format", "json", "--by", "function", "plain").stdout)
        self.assertEqual({row["function"]: row["ncalls"] for row in plain["rows"]},
                         {row["function"]: row["ncalls"] for row in by["function"]["rows"]})
        self.assertEqual({row["site"] for row in json.loads(self.callsig("report", "--format", "json", "--by", "site", "plain").stdout)["rows"]},
                         {"?"})

    def test_without_the_program(self):
        """A recording of one process names the address where the file is gone; what was merged before has the lines."""
        recording = self.record("--apart")
        self.callsig("merge", "-o", "merged", recording)
        os.rename(self.program, self.program + ".gone")
        self.assertEqual(self.leaf_calls("merged")[self.line["20 work"]], 15)
        done = self.callsig("report", "--by", "site", recording)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\(leaf\) \[at .*sites\+0x[0-9a-f]+\]")

    def test_names_that_do_not_print(self):
        """Files of programs are called whatever they are called: no name of one drives a terminal."""
        source = '#line 1 "a\\033[31m\\nb.c"\n' + harness.CALLS
        program = self.compile("hostile", source)
        for options in ((), ("--apart",)):
            self.assertEqual(self.callsig("run", "--sites", *options, "-o", "hostile.out", program).returncode, 0)
            for report in (("report", "--by", "site"), ("report", "--by", "site", "--format", "csv")):
                done = self.callsig(*report, "hostile.out")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertNotIn("\x1b", done.stdout)
                self.assertIn(r"a\x1b[31m\x0ab.c:4(main)", done.stdout)

    def test_not_recorded(self):
        """Rows by site say why none of them has one, where none was asked for."""
        said = "where calls were made is unknown: it was not recorded (callsig run --sites records it)"
        self.assertEqual(self.callsig("run", "-o", "without", self.program).returncode, 0)
        for arguments, is_said in ((("--by", "site", "without"), True), (("without",), False), (("--by", "site", self.record()), False)):
            done = self.callsig("report", "--notes", *arguments)
            self.assertEqual((done.returncode, said in done.stdout), (0, is_said), done.stdout)

    def test_exports(self):
        recording = self.record()
        self.callsig("export", "--to", "callgrind", "--by", "function", "-o", "callgrind", recording)
        with open(self.path("callgrind")) as file:
            calls = re.findall(r"^calls=(\d+) 6\n(\d+) ", file.read(), re.M)
        self.assertIn(("20", str(self.line["20 work"])), calls)
        self.assertIn(("8", str(self.line["8 work"])), calls)
        self.callsig("export", "--to", "pprof", "--by", "site", "-o", "pprof", recording)
        self.assertIn(f"sites.c:{self.line['20 work']}(work)", str(pprof_reader.read(self.path("pprof"))["samples"]))
        rows = list(csv.DictReader(io.StringIO(self.callsig("report", "--format", "csv", "--by", "site", "--strip-dirs", recording).stdout)))
        self.assertIn(("leaf", f"sites.c:{self.line['20 work']}(work)", "20"), [(row["function"], row["site"], row["ncalls"]) for row in rows])

    def test_started_again(self):
        """What is open when the recording starts from zero keeps the place that it was called at, in a forked child too."""
        self.compile("again", STARTED_AGAIN, "-I" + harness.INCLUDE,
                     libs=("-L" + harness.RUNTIME, "-lcallsig", "-Wl,-rpath," + harness.RUNTIME))
        line = 1 + next(i for i, line in enumerate(STARTED_AGAIN.splitlines()) if "/* outer */" in line)
        done = self.callsig("run", "--sites", "--apart", "-o", "run.out", "./again")
        self.assertEqual((done.returncode, "damaged" in done.stderr), (0, False), done.stderr)
        child, = (name for name in os.listdir(self.folder) if name.startswith("run.out."))
        for file in "run.out", child:
            done = self.callsig("report", "--format", "json", "--by", "signature,site", file)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rows = {row["signature"]: row for row in json.loads(done.stdout)["rows"]}
            outer = rows["outer(n=7, m=8)"]
            self.assertEqual((outer["ncalls"], outer["site_lines"][0]["line"]), (0, line))
            self.assertEqual(rows["leaf(n=8)"]["ncalls"], 1)

    def test_refused(self):
        recording = self.record()
        self.assert_fails(self.callsig("export", "--to", "pstats", "--by", "site", "-o", "out", recording), 2, "places of calls")

    def test_callees(self):
        """A function is there once, with what it called from each of its lines; what calls nothing is there, too."""
        table = self.callsig("report", "--by", "site", "--callees", "--strip-dirs", self.record("--times", "exact")).stdout
        lines = table[table.index("Function "):].splitlines()
        heads = [line.split()[0] for line in lines if line.startswith("sites.c:")]
        self.assertEqual(sorted(heads), sorted({"sites.c:6(leaf)", "sites.c:7(inlined)", "sites.c:11(work)", "sites.c:18(thread)", "sites.c:24(compare)", "sites.c:25(main)"}))
        start = next(i for i, line in enumerate(lines) if line.startswith("sites.c:11(work)"))
        called = [line.replace("sites.c:11(work)", "").replace("->", "").split() for line in lines[start:start + 2]]
        self.assertEqual([(line[0], " ".join(line[3:])) for line in called],
                         [("8", f"sites.c:6(leaf) [at sites.c:{self.line['8 work']}(work)]"), ("20", f"sites.c:6(leaf) [at sites.c:{self.line['20 work']}(work)]")])

    def read_page(self, *arguments):
        done = self.run_command("node", self.write("read.mjs", READ), MODULES, self.path("out.html"), *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_page(self):
        """A page has the rows by site, and the pairs of each line, without and with signatures, and groupings that were asked for by name."""
        recording = self.record("--times", "exact")
        for by in "signature", "signature,site", "thread,site":
            done = self.callsig("export", "--to", "html", "-o", "out.html", "--by", by, recording)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            read = self.read_page()
            for groups in {"function,site", "signature,site" if "signature" in by else "function,site", "function,thread,site" if "thread" in by else "function,site"}:
                told = json.loads(self.callsig("report", "--format", "json", "--by", groups, recording).stdout)["rows"]
                keys = ("function", "signature", "site", "ncalls", "tottime", "cumtime") + (("thread",) if "thread" in groups else ())
                self.assertGreater(len(told), 6)
                self.assertEqual(sorted(([row[key] for key in keys] for row in read["rows"][groups]), key=repr),
                                 sorted(([row[key] for key in keys] for row in told), key=repr), groups)
            calls = sorted(pair[2] for pair in read["pairs"]["function,site"] if pair[:2] == ["work", "leaf"])
            self.assertEqual(calls, [8, 20])

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_page_of_changes(self):
        old, new = self.record(), "other"
        self.assertEqual(self.callsig("run", "--sites", "-o", new, "--exclude", "thread", self.program).returncode, 0)
        done = self.callsig("diff", "--by", "function,site", "--html", "out.html", old, new)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        script = READ.replace("profile.nameOf(grouping, row), grouping.verdict[row],", "profile.nameOf(grouping, row), grouping.groups.site[row], grouping.verdict[row],")
        self.assertNotEqual(script, READ)
        done = self.run_command("node", self.write("changes.mjs", script), MODULES, self.path("out.html"), "diff")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(self.callsig("diff", "--by", "function,site", "--all", "--format", "json", old, new).stdout)["rows"]
        self.assertEqual(sorted([row[:4] for row in json.loads(done.stdout)["rows"]], key=repr),
                         sorted(([row["function"], row["site"], row["verdict"], row["old"]["ncalls"]] for row in told), key=repr))

    def test_diff(self):
        """Two runs' calls meet by line; what one of them alone has is new."""
        old, new = self.record(), "other"
        done = self.callsig("run", "--sites", "-o", new, "--exclude", "thread", self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        compared = self.callsig("diff", "--by", "function,site", "--all", "--format", "json", old, new)
        self.assertEqual(compared.returncode, 0, compared.stderr)
        rows = [row for row in json.loads(compared.stdout)["rows"] if row["function"] in ("leaf", "work")]
        calls = {file: self.calls_by_site(file) for file in (old, new)}
        self.assertEqual({(row["function"], row["site"]): (row["old"]["ncalls"], row["new"]["ncalls"]) for row in rows},
                         {key: (calls[old].get(key, 0), calls[new].get(key, 0)) for key in calls[old] | calls[new]})
        self.assertGreater(len(rows), 4)
        text = self.callsig("diff", "--by", "function,site", "--all", "--format", "csv", old, new).stdout
        self.assertEqual({(row["function"], row["site"]) for row in csv.DictReader(io.StringIO(text)) if row["function"] in ("leaf", "work")},
                         {(row["function"], row["site"]) for row in rows})
        self.assertIn("(work) [at ", self.callsig("diff", "--by", "function,site", "--all", old, new).stdout)

    def calls_by_site(self, file):
        done = self.callsig("report", "--by", "function,site", "--format", "json", file)
        return {(row["function"], row["site"]): row["ncalls"] for row in json.loads(done.stdout)["rows"] if row["function"] in ("leaf", "work")}


if __name__ == "__main__":
    harness.main()
