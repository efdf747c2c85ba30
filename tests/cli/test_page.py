# ctest: case - quick Document.test_it_asks_for_nothing Document.test_hostile_names Figures.test_every_grouping_is_the_report Figures.test_stages Figures.test_pairs_are_those_of_pstats Figures.test_filters_and_expressions_are_those_of_report Comparison.test_two_recordings
# ctest: case _full full
"""callsig export --to html: the page holds what is reported, whatever names are in it, and asks nobody for anything."""

import base64
import gzip
import json
import os
import re
import shutil
import unittest

import harness
from harness import CALLS, Case, INCLUDE, RUNTIME
from test_plot import HOSTILE, NAMED, Page

LIBS = (f"-L{RUNTIME}", "-lcallsig", "-pthread", f"-Wl,-rpath,{RUNTIME}")
MODULES = os.path.join(harness.TOP, "output", "html")

# Recursion, two threads, a text, an enumeration, an array and a pointer to a function.
SHAPES = """
#include <pthread.h>
enum mode { FAST, SLOW };
static int __attribute__((noinline)) fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
static int __attribute__((noinline)) even(int n);
static int __attribute__((noinline)) odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int __attribute__((noinline)) even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int __attribute__((noinline)) sum(const float *a, int len, enum mode mode) { return (int)a[len - 1] + (int)mode; }
static int __attribute__((noinline)) apply(int (*how)(int), int n, double scale) { return how(n) + (int)scale; }
static void *work(void *data) { float a[4] = {1}; return (void *)(long)(sum(a, 4, SLOW) + fact(5) + (data != 0)); }
int main(void)
{
  float a[8] = {0};
  pthread_t thread;
  int result = 0;
  for (int i = 1; i < 6; i++)
    result += fact(i) + even(2 * i) + sum(a, i, i % 2 ? FAST : SLOW) + apply(fact, i, 0.5);
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return result == 0;
}
"""

# Writes what the modules read of a page, as `report --format json` would: {by: rows}.
READ = r"""
import {readFileSync} from "node:fs";
const {decodePage, unpack} = await import(process.argv[2] + "/decode.js");
const {Profile, namesOfBy} = await import(process.argv[2] + "/model.js");
const {filterRows} = await import(process.argv[2] + "/selection.js");
const {Tree} = await import(process.argv[2] + "/tree.js");
const {DEFAULTS} = await import(process.argv[2] + "/view_state.js");
if (process.argv[4] === "diff") {
  const [, letters] = /id="data">([^<]*)</.exec(readFileSync(process.argv[3], "utf8"));
  const page = decodePage(await unpack(letters)), profile = new Profile(page), [grouping] = page.groupings;
  const known = (value) => Number.isNaN(value) ? null : value;
  console.log(JSON.stringify({diff: page.diff, rows: Array.from({length: grouping.listed}, (_, row) => [profile.nameOf(grouping, row), grouping.verdict[row],
    ...["oldCalls", "oldTottime", "oldCumtime", "newCalls", "newTottime", "newCumtime", "change", "low", "high", "p", "adjusted"].map((key) => known(grouping[key][row]))]),
    trees: page.trees.map((decoded) => { const tree = new Tree(page, decoded); return [tree.weight(0), tree.calls.reduce((sum, calls) => sum + calls, 0)]; })}));
  process.exit(0);
}
const [, data] = /id="data">([^<]*)</.exec(readFileSync(process.argv[3], "utf8"));
const page = decodePage(await unpack(data)), profile = new Profile(page), result = {head: page.head, about: page.about, laws: page.laws, timeline: page.timeline, rows: {}, pairs: {}, trees: []};
const known = (value) => value === undefined || Number.isNaN(value) ? null : value;
for (const grouping of page.groupings) {
  const names = namesOfBy(grouping.by);
  result.rows[names] = Array.from({length: grouping.listed}, (_, row) => {
    const one = profile.functionOf(grouping, row), signature = profile.signatureOf(grouping, row);
    const figures = ["ncalls", "pcalls", "tottime", "cumtime", "min", "max", "p50", "p90", "p99"].map((key) => [key, grouping[key] ? known(grouping[key][row]) : null]);
    return {file: one && one.file, line: one && one.line, function: one && one.name, signature: signature && signature.text,
      ...Object.fromEntries(profile.groupsOf(grouping, row).map(([group]) => [group, grouping.groups[group][row]])), ...Object.fromEntries(figures),
      errors: grouping.hasErrors ? [grouping.tottimeError[row], grouping.cumtimeError[row], grouping.timed[row], grouping.isUncertain[row]].map(known) : null,
      waits: grouping.hasWaits ? ["cpu", "wait", "waitError", "cumcpu", "cumwait", "cumwaitError"].map((key) => known(grouping[key][row])) : null,
      asked: grouping.hasAsked ? ["allocs", "allocbytes", "unfreed"].map((key) => known(grouping[key][row])) : null};
  });
  result.pairs[names] = Array.from({length: grouping.pairs.count}, (_, i) => [profile.nameOf(grouping, grouping.pairs.caller[i]),
    profile.nameOf(grouping, grouping.pairs.callee[i]), grouping.pairs.ncalls[i], grouping.pairs.pcalls[i], grouping.pairs.tottime[i], grouping.pairs.cumtime[i]]);
}
for (const decoded of page.trees) {
  const tree = new Tree(page, decoded);
  result.trees.push({weight: tree.weight(0), calls: decoded.calls.reduce((sum, calls) => sum + calls, 0), count: tree.count});
}
result.filtered = process.argv.slice(4).map((text) => {
  const grouping = profile.grouping("signature"), {passes} = filterRows(profile, grouping, {...DEFAULTS, signature: text});
  return Array.from(passes).flatMap((passed, row) => passed ? [profile.nameOf(grouping, row)] : []);
});
console.log(JSON.stringify(result));
"""


WAITING = r"""
#include <stdlib.h>
#include <unistd.h>
static void *volatile kept[60];
static int count;
__attribute__((noinline)) static void grab(int bytes) { kept[count++] = malloc((size_t)bytes); }
__attribute__((noinline)) static void rest(int ms) { usleep((useconds_t)ms * 1000); }
int main(void)
{
  for (int i = 0; i < 60; i++)
    grab(50);
  for (int i = 0; i < 40; i++)
    free(kept[i]);
  for (int i = 0; i < 10; i++)
    rest(4);
  return 0;
}
"""


@unittest.skipUnless(shutil.which("node"), "node is not installed")
class Figures(Case):
    def export(self, *arguments, out="out.html"):
        done = self.callsig("export", "--to", "html", "-o", out, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.path(out)

    def read(self, path, *conditions):
        script = self.write("read.mjs", READ)
        done = self.run_command("node", script, MODULES, path, *conditions)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def report(self, *arguments):
        done = self.callsig("report", "--format", "json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def record(self, *options, source=SHAPES):
        program = self.compile("shapes", source, libs=("-pthread",))
        self.assertEqual(self.callsig("run", *options, program).returncode, 0)

    def check(self, read, *arguments):
        """Every grouping of the page is what report says by it."""
        for by, rows in read["rows"].items():
            told = self.report("--by", by, *arguments)
            self.assertEqual(len(told["rows"]), len(rows), by)
            keys = [key for key in rows[0] if key not in ("errors", "waits", "asked")]
            as_told = sorted(([row[key] for key in keys] for row in told["rows"]), key=repr)
            self.assertEqual(sorted(([row[key] for key in keys] for row in rows), key=repr), as_told, by)
            identity = [key for key in keys if not isinstance(rows[0][key], float) and key not in ("ncalls", "pcalls", "p50", "p90", "p99", "min", "max")]
            of_page = {tuple(row[key] for key in identity): row for row in rows}
            for row in told["rows"]:
                self.check_waits(of_page[tuple(row[key] for key in identity)], row)
                found = of_page[tuple(row[key] for key in identity)]["errors"]
                if found is None:
                    self.assertFalse(row["uncertain"])
                    self.assertEqual((row["timed_calls"], row["tottime_error"], row["cumtime_error"]), (row["ncalls"], 0, 0))
                    continue
                self.assertEqual(found[2:], [row["timed_calls"], int(row["uncertain"])])
                for got, wanted in zip(found, (row["tottime_error"], row["cumtime_error"])):
                    if wanted is None:
                        self.assertIsNone(got)
                    else:
                        self.assertAlmostEqual(got, wanted, delta=1e-6 * wanted)

    def test_calls_without_times(self):
        """Library functions that are counted alone have no times, whether those of others have errors or not."""
        source = '#include <stdio.h>\nvoid says(int n) { printf("%d\\n", n); }\nint main(void) { for (int i = 0; i < 5; i++) says(i); return 0; }\n'
        for times in ("exact", "auto"):
            self.record("--library-calls", "--times", times, source=source)
            read = self.read(self.export("--by", "function"))
            self.assertIn([None, None, 0, 0], [row["errors"] for row in read["rows"]["function"] if row["function"] in ("printf", "__printf_chk")])
            self.check(read)

    def check_waits(self, found, row):
        """What was waited and asked for is what report says, of singles to six digits."""
        wanted = [row[key] for key in ("cpu", "wait", "wait_error", "cumcpu", "cumwait", "cumwait_error")]
        for got, value, whole in zip(found["waits"] or [None] * 6, wanted, [row["tottime"]] * 3 + [row["cumtime"]] * 3):
            if value is None:
                self.assertIsNone(got)
            else:
                self.assertAlmostEqual(got, value, delta=1e-6 * whole + 1e-15)
        self.assertEqual(found["asked"], [row[key] for key in ("allocs", "allocbytes", "unfreed")] if "allocs" in row else None)

    def test_waits_and_memory(self):
        self.record("--times", "auto", "--alloc", source=WAITING)
        read = self.read(self.export("callsig.out"))
        self.check(read)
        rows = {row["function"]: row for row in read["rows"]["function"]}
        self.assertEqual(rows["grab"]["asked"], [60, 60 * 50, 20 * 50])
        self.assertGreater(rows["rest"]["waits"][1], 0.02)
        self.assertEqual(rows["rest"]["asked"], [0, 0, 0])

    def test_open_calls(self):
        """Calls that had not returned are no timeline."""
        self.record(source="#include <stdlib.h>\nint leaf(int n) { return n; }\nint main(void) { exit(leaf(0)); }")
        read = self.read(self.export("callsig.out"))
        self.assertIsNone(read.get("timeline"))
        self.assertEqual({row["function"]: row["ncalls"] for row in read["rows"]["function"]}, {"main": 1, "leaf": 1})

    def test_every_grouping_is_the_report(self):
        self.record("--times", "exact")
        read = self.read(self.export("callsig.out"))
        self.assertLessEqual({"function", "signature", "thread", "function,thread", "signature,thread"}, set(read["rows"]))
        self.check(read)
        told = self.report()
        self.assertEqual(read["head"], dict(told, rows=[]))
        for tree in read["trees"]:
            self.assertEqual(tree["calls"], told["total_calls"])
            self.assertAlmostEqual(tree["weight"], told["total_time"], places=9)
        self.assertEqual(len(read["trees"]), 2)

    def test_sampled_times_and_several_processes(self):
        self.record("--times", "auto")
        os.rename(self.path("callsig.out"), self.path("first.out"))
        self.record("--times", "auto")
        read = self.read(self.export("first.out", "callsig.out"))
        self.assertIn("signature,process", read["rows"])
        self.check(read, "first.out", "callsig.out")

    def test_pairs_are_those_of_pstats(self):
        self.record("--times", "exact")
        read = self.read(self.export("callsig.out", "--by", "function"))
        self.assertEqual({key for key in read["rows"] if "signature" in key}, set(), "signatures that were not asked for are not in it")
        export = self.callsig("export", "--to", "pstats", "--by", "function", "-o", "out.pstats")
        self.assertEqual(export.returncode, 0, export.stderr)
        script = self.write("pairs.py", "import json, marshal; print(json.dumps([[caller[2], callee[2], nc, cc, tt, ct] for callee, row in"
                            " marshal.load(open('out.pstats', 'rb')).items() for caller, (nc, cc, tt, ct) in row[4].items()]))")
        wanted = json.loads(self.run_command("python3", script).stdout)
        self.assertGreater(len(wanted), 5)
        self.assertEqual(sorted(read["pairs"]["function"]), sorted(wanted))

    def test_filters_and_expressions_are_those_of_report(self):
        self.record("--times", "exact")
        expressions = ["n >= 3", "mode == SLOW && a.len == 4", "how == fact", "a.len > 3 || n == 2", "n & 1 == 0 || mode != FAST", "!(n > 2)", "a != NULL", "n == 5 && n"]
        path = self.export("callsig.out")
        read = self.read(path, *expressions)
        for expression, names in zip(expressions, read["filtered"]):
            told = self.report("--signature", expression)
            self.assertGreater(len(told["rows"]), 0, expression)
            self.assertEqual(sorted(names), sorted(row["signature"] for row in told["rows"]), expression)
        self.check(self.read(self.export("callsig.out", "--function", "fact|even", out="few.html")), "--function", "fact|even")

    def test_stages(self):
        program = self.compile("named", NAMED, "-I", INCLUDE, libs=LIBS)
        self.assertEqual(self.callsig("run", program, "decode", "resize").returncode, 0)
        read = self.read(self.export("callsig.out"))
        self.assertIn("function,stage", read["rows"])
        self.check(read)
        with open(self.path("out.html"), encoding="utf-8") as file:
            page = Page(file.read())
        picture, = json.loads(page.scripts[0])["pictures"]
        printed = self.callsig("stages", "--format", "json")
        self.assertEqual(picture["recording"], json.loads(printed.stdout))
        self.assertNotIn("\\x0a", " ".join(page.words))

    def test_intervals_of_a_database(self):
        program = self.compile("named", NAMED, "-I", INCLUDE, libs=LIBS)
        self.assertEqual(self.callsig("run", "--db", "runs.db", "--interval", "0.05", "--", program, "decode").returncode, 0)
        self.export("--db", "runs.db", "callsig.out")
        with open(self.path("out.html"), encoding="utf-8") as file:
            picture, = json.loads(Page(file.read()).scripts[0])["pictures"]
        run, = json.loads(self.callsig("stages", "--format", "json", "runs.db").stdout)["runs"]
        self.assertEqual(picture["intervals"], run)
        self.assert_fails(self.callsig("export", "--to", "folded", "--db", "runs.db", "-o", "out.txt"), 2, "folded", "database")
        self.assert_fails(self.callsig("export", "--to", "html", "--db", "none.db", "-o", "out.html"), 1, "none.db")

    def test_laws_are_those_of_scaling(self):
        self.record("--times", "exact")
        printed = self.callsig("scaling", "--format", "json")
        self.assertEqual(self.read(self.export("callsig.out"))["laws"], json.loads(printed.stdout))
        self.assertIsNone(self.read(self.export("callsig.out", "--by", "function"))["laws"])

    def test_timeline_is_that_of_chrome(self):
        self.record("--times", "exact", "--timeline")
        timeline = self.read(self.export("callsig.out"))["timeline"]
        self.assertEqual(self.callsig("export", "--to", "chrome", "-o", "out.json").returncode, 0)
        with open(self.path("out.json"), encoding="utf-8") as file:
            events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        self.assertGreater(len(events), 2)
        self.assertEqual(sorted((event["args"].get("signature", event["name"]), round(event["ts"] * 1000), round(event["dur"] * 1000)) for event in events),
                         sorted((span["text"], round(span["start"] * 1e9), round((span["end"] - span["start"]) * 1e9)) for span in timeline["spans"]))
        self.assertEqual((len(timeline["rows"]), timeline["leftOut"]), (2, 0))


@unittest.skipUnless(shutil.which("node"), "node is not installed")
class Comparison(Case):
    def record(self, name, *flags):
        program = self.compile("shapes", SHAPES, *flags, libs=("-pthread",))
        self.assertEqual(self.callsig("run", "--times", "exact", "-o", name, program).returncode, 0)

    def check(self, *sides):
        done = self.callsig("diff", "--html", "out.html", *sides)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = self.run_command("node", self.write("read.mjs", READ), MODULES, self.path("out.html"), "diff")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        read = json.loads(done.stdout)
        told = json.loads(self.callsig("diff", "--all", "--format", "json", *sides).stdout)
        self.assertEqual(read["diff"], dict(told, rows=[]))
        self.assertGreater(len(told["rows"]), 5)
        wanted = [[row["signature"] or row["function"], row["verdict"], *(row[side][key] for side in ("old", "new") for key in ("ncalls", "tottime", "cumtime")),
                   row["change"], row["low"], row["high"], row["p"], row["p_adjusted"]] for row in told["rows"]]
        self.assertEqual(sorted(read["rows"], key=repr), sorted(wanted, key=repr))
        for (weight, calls), side in zip(read["trees"], ("new", "old")):
            count = told[side + "_recordings"]
            self.assertAlmostEqual(weight / count, told["total"][side]["tottime"], places=9)
            self.assertAlmostEqual(calls / count, told["total"][side]["ncalls"], places=6)

    def test_two_recordings(self):
        self.record("old.out")
        self.record("new.out", "-Dfact=factorial")
        self.check("old.out", "new.out")
        self.check("--by", "function", "old.out", "new.out")

    def test_judged(self):
        for i in range(3):
            self.record(f"old{i}.out")
            self.record(f"new{i}.out")
        self.check("old0.out", "old1.out", "old2.out", "--", "new0.out", "new1.out", "new2.out")

    def test_errors(self):
        self.record("old.out")
        done = self.callsig("diff", "--html", "no/folder.html", "old.out", "old.out")
        self.assert_fails(done, 1, "no/folder.html")
        os.symlink(self.path("old.out"), self.path("link.html"))
        self.assert_fails(self.callsig("diff", "--html", "link.html", "old.out", "old.out"), 1, "link.html")

    @harness.with_own_allocator
    def test_memory_that_fails(self):
        self.record("old.out")
        for done in self.failed_allocations("diff", "--html", "out.html", "old.out", "old.out", samples=8):
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual(done.returncode == 1, bool(done.stderr), done.stderr)


class Document(Case):
    def page(self, source=CALLS, *arguments):
        program = self.compile("calls", source, "-I", INCLUDE, libs=LIBS)
        done = self.callsig("run", program, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.callsig("export", "--to", "html", "-o", "out.html").returncode, 0)
        with open(self.path("out.html"), encoding="utf-8") as file:
            return Page(file.read())

    def check_parts(self, page, *more):
        self.assertEqual([attributes.get("type") for tag, attributes in page.elements if tag == "script"], [*more, "application/octet-stream", None, None])
        self.assertEqual({tag for tag, _ in page.elements} & {"img", "a", "iframe", "form", "link", "object", "base"}, set())
        self.assertEqual({name for name in page.attributes if name.startswith("on") or name in ("style", "src", "srcdoc")}, set())

    def test_it_asks_for_nothing(self):
        page = self.page()
        self.check_parts(page)
        policy = next(attributes["content"] for _, attributes in page.elements if attributes.get("http-equiv"))
        self.assertTrue(policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'sha256-"), policy)
        self.assertNotIn("unsafe", policy)
        with open(self.path("out.html"), encoding="utf-8") as file:
            styles = "".join(re.findall(r"<style>.*?</style>", file.read(), re.S))
        self.assertEqual([word for word in ("@import", "url(") if word in styles], [])

    def test_hostile_names(self):
        page = self.page(NAMED, *[name[:60] for name in HOSTILE])
        self.check_parts(page, "application/json")
        self.assertRegex(page.scripts[1], r"^[A-Za-z0-9+/]+=*$")
        data = gzip.decompress(base64.b64decode(page.scripts[1]))
        self.assertTrue(data.startswith(b"callsig1"))
        self.assertIn("</script><script>alert(1)</script>".encode(), data, "it holds the name, out of reach of any parser")

    def test_a_program_with_a_hostile_name(self):
        program = self.compile("calls", CALLS)
        os.rename(program, self.path("<img src=x>&.sh"))
        self.assertEqual(self.callsig("run", self.path("<img src=x>&.sh")).returncode, 0)
        self.assertEqual(self.callsig("export", "--to", "html", "-o", "out.html").returncode, 0)
        with open(self.path("out.html"), encoding="utf-8") as file:
            self.check_parts(Page(file.read()))

    @harness.with_own_allocator
    def test_memory_that_fails(self):
        self.page()
        for done in self.failed_allocations("export", "--to", "html", "-o", "out.html", samples=8):
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual(done.returncode == 1, bool(done.stderr), done.stderr)
            self.assertLessEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    harness.main()
