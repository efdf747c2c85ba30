"""callsig diff: what changed is found and named, what is noise is not; every option; errors are one line.

With --full, runs of real programs: one binary against itself in 100 tries."""

import csv
import io
import json
import os
import random
import re
import sys

import harness

# With STEPS the program's clock counts the bytes that it has scanned, give or take a twentieth: what the machine does
# meanwhile changes nothing.
SOURCE = """
#ifdef STEPS
#include <callsig/callsig.h>
#include <stdlib.h>
#include <unistd.h>
static uint64_t steps;
__attribute__((no_instrument_function)) static uint64_t read_steps(void *unused) { (void)unused; return steps; }
__attribute__((constructor, no_instrument_function)) static void begin(void) {
  srandom((unsigned)getpid());
  callsig_start(0);
  callsig_set_clock(read_steps, 0, 1000000000); }
#define SCANNED(n) (steps += (uint64_t)(n) * 100 + (uint64_t)random() % ((uint64_t)(n) * 5))
#else
#define SCANNED(n) (void)(n)
#endif
static unsigned char data[1 << 16];
static volatile unsigned sink;
static __attribute__((noinline)) void scan(const unsigned char *p, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) s += p[i] * (unsigned)i;
  SCANNED(n);
#ifdef SLOWER
  for (int k = 0; k < 3 && n >= 4096; k++) {
    for (int i = 0; i < n; i++) s ^= p[i] * 3u;
    SCANNED(n); }
#endif
  sink = s; }
static __attribute__((noinline)) void parse(int k) { scan(data, 64); sink += (unsigned)k; }
static __attribute__((noinline)) void load(int n) { scan(data, n); parse(n); }
#ifdef SLOWER
static __attribute__((noinline)) void added(void) { scan(data, 128); }
#else
static __attribute__((noinline)) void removed(void) { scan(data, 256); }
#endif
int main(void) {
  for (int i = 0; i < 100; i++) for (int n = 64; n <= 16384; n *= 4) load(n);
#ifdef SLOWER
  added();
#else
  removed();
#endif
  return 0; }
"""
# Six functions that take as many steps as WEIGHT says, give or take a hundredth: the first of ONE percent more.
TOGETHER = """
#include <callsig/callsig.h>
#include <stdlib.h>
static uint64_t steps, seed;
__attribute__((no_instrument_function)) static uint64_t read_steps(void *unused) { (void)unused; return steps; }
#define TAKE(percent) (steps += 1000 * WEIGHT * (percent) / 100 + (seed = seed * 1103515245 + 12345) / 65536 % (10 * WEIGHT))
#define FUNCTION(name, percent) static __attribute__((noinline)) void name(void) { TAKE(percent); }
FUNCTION(one, ONE) FUNCTION(two, 100) FUNCTION(three, 100) FUNCTION(four, 100) FUNCTION(five, 100) FUNCTION(six, 100)
__attribute__((no_instrument_function)) int main(int argc, char **argv) {
  seed = argc > 1 ? strtoull(argv[1], 0, 10) : 0;
  callsig_set_clock(read_steps, 0, 1000000000);
  for (int i = 0; i < 50; i++) { one(); two(); three(); four(); five(); six(); }
  return 0; }
"""
RUNS = 6
FULL = "--full" in sys.argv


class Diff(harness.Case):
    def build(self, folder, *flags):
        os.mkdir(self.path(folder))
        return self.compile(folder + "/program", "\n" * len(folder) + SOURCE, *flags,
                            libs=["-L", harness.RUNTIME, f"-Wl,-rpath,{harness.RUNTIME}", "-lcallsig"])

    def record(self, program, prefix, count, *options):
        names = [f"{prefix}{i}" for i in range(count)]
        for name in names:
            done = self.callsig("run", *options, "-o", name, program)
            self.assertEqual(done.returncode, 0, done.stderr)
        return names

    def diff(self, *arguments, status=0):
        done = self.callsig("diff", *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def rows(self, *arguments):
        return {row["signature"] or row["function"]: row for row in self.json(*arguments)["rows"]}

    def json(self, *arguments):
        return json.loads(self.diff("--format", "json", *arguments))

    def test_moved_together(self):
        """Six functions that are all slower have something in common; one of six was changed."""
        sides = {}
        for name, weight, one in ("old", 100, 100), ("placed", 105, 100), ("better", 95, 100), ("changed", 100, 150):
            program = self.compile(name, TOGETHER, f"-DWEIGHT={weight}", f"-DONE={one}", "-I", harness.INCLUDE,
                                   libs=["-L", harness.RUNTIME, f"-Wl,-rpath,{harness.RUNTIME}", "-lcallsig"])
            sides[name] = [f"{name}{i}" for i in range(4)]
            for seed, recording in enumerate(sides[name]):
                done = self.callsig("run", "-o", recording, program, str(seed * 7919 + weight))
                self.assertEqual(done.returncode, 0, done.stderr)
        words = "6 of the 6 functions that take 1 % and more, and are called as often as before, are {}: "
        self.assertIn(words.format("slower"), self.diff(*sides["old"], "--", *sides["placed"]))
        self.assertIn(words.format("faster"), self.diff(*sides["old"], "--", *sides["better"]))
        table = self.diff(*sides["old"], "--", *sides["changed"])
        self.assertIn("slower", table)
        self.assertNotIn("called as often as before", table)

    def test_many_times(self):
        """What took next to nothing before is so many times as long, not a percentage of nine digits."""
        for name, percent in (("before", 1), ("after", 20000)):
            program = self.compile(name, TOGETHER, "-DWEIGHT=100", f"-DONE={percent}", "-I", harness.INCLUDE,
                                   libs=["-L", harness.RUNTIME, f"-Wl,-rpath,{harness.RUNTIME}", "-lcallsig"])
            self.assertEqual(self.callsig("run", "-o", f"{name}.out", program).returncode, 0)
        table = self.diff("before.out", "after.out")
        row = next(line for line in table.splitlines() if "one()" in line)
        times = re.findall(r" x(\d+) ", row)
        self.assertEqual(len(times), 2, table)
        self.assertTrue(all(10000 < int(number) < 20000 for number in times), row)
        self.assertNotRegex(table, r"\d{5}\.\d%")

    def test_slower_for_large_arguments(self):
        """A function that became slower for n >= 4096 alone, in another folder and on other lines."""
        steps = ["-DSTEPS", "-I", harness.INCLUDE]
        old = self.record(self.build("old", *steps), "o", RUNS)
        new = self.record(self.build("newer", "-DSLOWER", *steps), "n", RUNS)
        sides = [*old, "--", *new]
        rows = self.rows("--metric", "percall", *sides)
        slower = {name for name, row in rows.items() if row["verdict"] == "slower"}
        for n in (4096, 16384):
            self.assertIn(f"scan(p:unsigned char[{n}], n={n})", slower)
        table = self.diff(*sides)
        self.assertIn("Judged by: Welch's t-test of tottime, Holm's correction", table)
        first = [line for line in table.splitlines() if "scan(p:" in line][:2]
        self.assertTrue("slower" in first[0] and "n=16384)" in first[0], table)
        self.assertTrue("slower" in first[1] and "n=4096)" in first[1], table)
        everything = self.rows("--all", *sides)
        self.assertEqual(everything["added()"]["old"]["ncalls"], 0)
        self.assertEqual(everything["removed()"]["new"]["ncalls"], 0)
        self.assertEqual(everything["load(n=64)"]["old"]["ncalls"], 100)
        self.options(old, new)

    def options(self, old, new):
        sides = [*old, "--", *new]
        one = self.json(old[0], new[0])
        self.assertEqual((one["schema"], one["test"], one["level"]), ("callsig.diff/1", None, None))
        verdicts = {row["signature"]: row["verdict"] for row in one["rows"]}
        self.assertEqual((verdicts["added()"], verdicts["removed()"]), ("new", "gone"))
        self.assertLessEqual(set(verdicts.values()), {"new", "gone", "changed", "unjudged"})
        self.assertEqual(verdicts["scan(p:unsigned char[16384], n=16384)"], "unjudged")
        self.assertIn("Not judged", self.diff(old[0], new[0]))
        by_function = self.rows("--all", "--by", "function", *sides)
        self.assertEqual(set(by_function), {"scan", "parse", "load", "added", "removed", "main"})
        self.assertEqual(len(self.json("--all", "--top", "3", *sides)["rows"]), 3)
        self.assertEqual(set(self.rows("--all", "--function", "parse", "--by", "function", *sides)), {"parse"})
        wide = self.rows("--all", "--signature", "n >= 4096", *sides)
        self.assertTrue(wide and all("4096" in name or "16384" in name for name in wide), wide)
        names = [row["function"] for row in self.json("--all", "-s", "name", "--by", "function", *sides)["rows"]]
        self.assertEqual(names, [row["function"] for row in sorted(
            by_function.values(), key=lambda row: (row["file"], row["line"]))])
        for key, value in (("old", "old"), ("new", "new")):
            times = [row[value]["tottime"] for row in self.json("--all", "-s", key, *sides)["rows"]]
            self.assertEqual(times, sorted(times, reverse=True))
        for key, value in (("change", "change"), ("p", "p")):
            numbers = [abs(row[value]) for row in self.json("--all", "-s", key, *sides)["rows"]]
            self.assertEqual(numbers, sorted(numbers, reverse=key == "change"))
        calls = [row["old"]["ncalls"] + row["new"]["ncalls"]
                 for row in self.json("--all", "-s", "ncalls", *sides)["rows"]]
        self.assertEqual(calls, sorted(calls, reverse=True))
        table = list(csv.DictReader(io.StringIO(self.diff("--format", "csv", "--all", *sides))))
        for row in table:
            whole = self.rows("--all", *sides)[row["signature"]]
            self.assertEqual(float(row["change"]), whole["change"])
            self.assertEqual(float(row["p_adjusted"]), whole["p_adjusted"])
        self.assertEqual(self.json("--min-time", "1000", *sides)["rows_compared"], 0)
        self.fail_above(old, new)

    def fail_above(self, old, new):
        done = self.callsig("diff", "--fail-above", "5%", *old, "--", *new)
        self.assertEqual(done.returncode, 1)
        self.assertIn("takes over 5% longer" if "1 row" in done.stderr else "take over 5% longer", done.stderr)
        self.assertIn("n=16384", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.diff("--fail-above", "100000%", *old, "--", *new)
        self.diff("--fail-above", "5%", old[0], old[0])

    def test_one_side_without_signatures(self):
        """Its rows meet none of the other side's, which is said with what compares both."""
        program = self.build("same")
        signed, plain = self.record(program, "s", 1), self.record(program, "p", 1, "--no-signatures")
        words = "the {} side was recorded without signatures, so that its rows meet none of the other side's: --by function compares both\n"
        self.assertIn(words.format("new"), self.diff(*signed, "--", *plain))
        self.assertIn(words.format("old"), self.diff(*plain, "--", *signed))
        for same in (signed + ["--"] + signed, plain + ["--"] + plain, ["--by", "function"] + signed + ["--"] + plain):
            self.assertNotIn("without signatures", self.diff(*same))

    def test_timed_differently(self):
        """What clocks of another kind, or hooks that are in the times, make of a program is no change of it."""
        program = self.compile("calls", harness.CALLS)
        auto, exact, cpu = (self.record(program, name, 2, *options) for name, *options in
                            (("a",), ("e", "--times", "exact"), ("c", "--clock", "cpu")))
        random, every = "wall clock, calls timed at random", "wall clock, every call timed"
        words = "Not judged: the recordings were timed differently (old: {}; new: {}): record both sides with the same --clock and --times\n"
        for old, new, ways in ((auto, exact, (random, every)), (exact, auto, (every, random)),
                               (auto, cpu, (random, "CPU clock, every call timed")),
                               ([auto[0], exact[0]], auto, (f"{random} and {every}", random)),
                               (auto[:1], exact[:1], (random, every))):
            files = (*old, "--", *new)
            self.assertIn(words.format(*ways), self.diff(*files))
            told = self.json("--all", *files)
            self.assertEqual((told["test"], told["timed_differently"]), (None, "old: {}; new: {}".format(*ways)))
            self.assertLessEqual({row["verdict"] for row in told["rows"]}, {"unjudged", "same"})
            refused = self.callsig("diff", "--fail-above", "1000000%", *files)
            self.assertEqual(refused.returncode, 1)
            self.assertRegex(refused.stderr, r"^callsig: diff: --fail-above: the recordings were timed differently \(old: .*\n$")
        for alike in (auto, exact, cpu):
            self.assertIsNone(self.json(*alike, "--", *alike)["timed_differently"])
            self.diff("--fail-above", "1%", *alike, "--", *alike)

    def test_one_binary(self):
        """Runs of one program in any two groups are not told apart in at least 95 of 100 tries."""
        tries, runs = (100, 60) if FULL else (20, 16)
        pool = self.record(self.build("same"), "s", runs)
        dice = random.Random(1)
        wrong = 0
        for _ in range(tries):
            chosen = dice.sample(pool, 8)
            wrong += bool(self.json(*chosen[:4], "--", *chosen[4:])["rows"])
        self.assertLessEqual(wrong, 5)

    @harness.with_own_allocator
    def test_memory_ends(self):
        """One line, never a crash, never half a table that passes for a whole one."""
        files = self.record(self.build("same"), "s", 4)
        for form in ("table", "json", "csv"):
            arguments = ("diff", "--all", "--format", form, *files[:2], "--", *files[2:])
            whole = self.callsig(*arguments).stdout
            for done in self.failed_allocations(*arguments):
                if done.returncode == 0:
                    self.assertEqual(done.stdout, whole)
                else:
                    self.assertEqual(done.returncode, 1)
                    self.assertRegex(done.stderr, "^callsig: .+\\n$")

    def test_help_offers_what_it_takes(self):
        """Each group that --help names can be compared by, and no other is named."""
        offered = re.search(r"rows are by: (.*?)\n +--function", self.callsig("diff", "--help").stdout, re.S).group(1)
        file, = self.record(self.build("same"), "s", 1)
        for group in "function", "signature", "stage", "module", "site", "thread", "process", "rank":
            done = self.callsig("diff", "--by", group, file, file)
            self.assertEqual(done.returncode == 0, group in re.findall(r"[a-z]+(?=[ ,])", offered), (group, done.stderr))

    def test_usage(self):
        self.write("x", "")
        fails = self.assert_fails
        for arguments in ((), ("x",), ("x", "x", "x")):
            fails(self.callsig("diff", *arguments), 2, "OLD NEW")
        fails(self.callsig("diff", "--", "x"), 2, "before '--'")
        fails(self.callsig("diff", "x", "--", "x", "--top"), 2, "options come before it")
        fails(self.callsig("diff", "-s", "size", "x", "x"), 2, "'size' is none of change")
        fails(self.callsig("diff", "--metric", "calls", "x", "x"), 2, "'calls' is none of tottime")
        fails(self.callsig("diff", "--format", "xml", "x", "x"), 2, "'xml' is none of table")
        for option, value in (("--level", "1"), ("--level", "0"), ("--level", "x"), ("--min-time", "-1"),
                              ("--fail-above", "much"), ("--fail-above", "-3%"), ("--top", "-1"), ("--top", "1.5"), ("--top", "0")):
            fails(self.callsig("diff", f"{option}={value}", "x", "x"), 2, option, f"'{value}'")
        fails(self.callsig("diff", "x", "x"), 1, "x: not a callsig recording")
        fails(self.callsig("diff", "x", "absent"), 1, "x: not a callsig recording")


if __name__ == "__main__":
    sys.argv = [argument for argument in sys.argv if argument != "--full"]
    harness.main()
