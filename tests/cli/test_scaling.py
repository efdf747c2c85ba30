#!/usr/bin/env python3
"""callsig scaling: functions of known cost get their law, what has none gets none, and every format says the same.

The laws below are those of the algorithms, as any textbook has them; the times are the steps that the functions count, so
that nothing depends on the machine or on its load."""

import csv
import io
import json
import os
import random
import re
import subprocess

import harness

ALGORITHMS = os.path.join(harness.TOP, "tests", "oracle", "scaling", "algorithms.c")

LAWS = {
    "copy": "n", "prefix_sums": "n", "linear_search": "n", "list_nth": "n",
    "binary_search": "log n", "heap_push": "log n", "power": "log n",
    "merge_sort": "n log n", "heap_sort": "n log n",
    "bubble_sort": "n^2", "insertion_sort": "n^2", "has_duplicate": "n^2", "transpose": "n^2", "join": "n^2",
    "square_product": "n^3", "shortest_paths": "n^3",
    "matrix_product": "rows * columns * inner", "matrix_vector": "rows * columns", "string_search": "n * m",
    "merge": "n + m", "histogram": "count_bins + n", "search_all": "n * log m", "twice_as_long": "n",
    "hash_lookup": "constant", "hash_insert": "constant", "stack_push": "constant",
}
PARTS = {("by_mode", "mode=QUICK"): "n", ("by_mode", "mode=THOROUGH"): "n^2"}
LAWLESS = {"noise": "none", "fibonacci": "none", "few": "not enough data", "narrow": "not enough data",
           "signed_place": "not enough data", "append": "no numbers"}


class Recorded(harness.Case):
    """The algorithms, recorded once for all cases."""

    @classmethod
    def setUpClass(cls):
        shared = cls.kept()
        with open(ALGORITHMS) as file:
            source = file.read()
        cls.program = shared.compile("algorithms", source, "-I" + harness.INCLUDE, "-L" + harness.RUNTIME,
                                     "-Wl,-rpath," + harness.RUNTIME, libs=["-lcallsig"])
        cls.recording = shared.path("recording")
        done = shared.callsig("run", "-o", cls.recording, cls.program)
        assert done.returncode == 0, done.stderr

    def scaling(self, *arguments):
        done = self.callsig("scaling", self.recording, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def functions(self, *arguments):
        """(function, where) -> its object."""
        report = json.loads(self.scaling("--format", "json", *arguments))
        return {(one["function"], one["where"]): one for one in report["functions"]}


class Scaling(Recorded):
    def test_known_laws(self):
        found = self.functions()
        self.assertGreaterEqual(len(LAWS) + len(PARTS), 20)
        for name, law in LAWS.items():
            self.assertEqual((name, found[name, None]["law"]), (name, law))
        for key, law in PARTS.items():
            self.assertEqual((key, found[key]["law"]), (key, law))

    def test_lawless(self):
        found = self.functions("--all")
        for name, verdict in LAWLESS.items():
            one = found[name, None]
            self.assertEqual((name, one["verdict"], one["law"]), (name, verdict, None))
            self.assertTrue(one["reason"])
        self.assertIn("faster than n^3", found["fibonacci", None]["reason"])
        self.assertIn("4 values, 5 are needed", found["few", None]["reason"])
        self.assertIn("a factor of 4 is needed", found["narrow", None]["reason"])
        self.assertIn("negative", found["signed_place", None]["reason"])

    def test_coefficients_are_the_counted_steps(self):
        found = self.functions()
        for name, steps in (("copy", 1), ("transpose", 1), ("square_product", 1), ("twice_as_long", 3)):
            terms = found[name, None]["terms"]
            self.assertEqual(len(terms), 1)
            self.assertAlmostEqual(terms[0]["coefficient"] * 1e9, steps, places=6)
        self.assertAlmostEqual(found["hash_lookup", None]["constant"] * 1e9, 3, places=6)

    def test_alike_arguments_are_warned_of(self):
        warnings = self.functions()["twice_as_long", None]["warnings"]
        self.assertEqual(warnings, ["length is always 2 * n: the law may be one of either, or of both"])

    def test_own_time(self):
        """join is quadratic by what it calls, not by itself: its own time is not measured where nothing steps."""
        own = self.functions("--time", "own", "--all")
        self.assertEqual(own["join", None]["verdict"], "too short")
        self.assertEqual(own["merge_sort", None]["law"], "n")
        self.assertEqual(own["bubble_sort", None]["law"], "n^2")

    def test_shortest_calls(self):
        found = self.functions("--measure", "min")
        for name in ("copy", "binary_search", "bubble_sort", "square_product"):
            self.assertEqual(found[name, None]["law"], LAWS[name])

    def test_table(self):
        text = self.scaling("--strip-dirs")
        row = re.search(r"^ *12 +\S+ \S+  n\^3 +0\.0 %  1\.000  algorithms\.c:\d+\(square_product\)\n"
                        r" += 1\.00 ns \* n\^3; n = 4 \.\. 92 \(12 values\)$", text, re.M)
        self.assertTrue(row, text)
        self.assertIn("[mode=QUICK]", text)
        self.assertNotIn("(few)", text)
        self.assertIn("not listed (--all does), functions with too few values: 3; without a number among their arguments: 1\n", text)
        self.assertIn("(few)", self.scaling("--all"))

    def test_csv_says_what_json_says(self):
        found = self.functions("--all")
        rows = list(csv.DictReader(io.StringIO(self.scaling("--format", "csv", "--all"))))
        self.assertEqual(len(rows), len(found))
        for row in rows:
            one = found[row["function"], row["where"] or None]
            self.assertEqual(row["law"] or None, one["law"])
            self.assertEqual(row["verdict"], one["verdict"])
            self.assertEqual(int(row["points"]), one["points"])

    def test_filters_and_restrictions(self):
        self.assertEqual(set(self.functions("--function", "bubble")), {("bubble_sort", None)})
        self.assertEqual(set(self.functions("bubble")), {("bubble_sort", None)})
        self.assertEqual(len(self.functions("sort", "2")), 2)
        self.assertEqual(self.functions("--signature", "n <= 64", "copy", "--all")["copy", None]["verdict"], "not enough data")
        self.assertEqual(self.functions("--signature", "n <= 512", "copy")["copy", None]["points"], 7)
        self.assertEqual(set(self.functions("--thread", "nobody")), set())
        lines = re.findall(r"\.c:\d+\((\w+)\)$", self.scaling("-s", "name", "heap"), re.M)
        self.assertEqual(lines, ["heap_push", "heap_sort"])

    def test_by_thread(self):
        report = json.loads(self.scaling("--format", "json", "--by", "thread", "copy"))
        self.assertEqual([one["law"] for one in report["functions"]], ["n"])
        self.assertIn("algorithms", report["functions"][0]["thread"])

    def test_several_recordings(self):
        done = self.callsig("scaling", self.recording, self.recording, "--format", "json", "copy")
        report = json.loads(done.stdout)
        self.assertEqual(len(report["recordings"]), 2)
        self.assertEqual((report["functions"][0]["law"], report["functions"][0]["ncalls"]), ("n", 24))

    def test_usage(self):
        fails = self.assert_fails
        fails(self.callsig("scaling", self.recording, "--time", "later"), 2, "--time", "'later'", "cumulative nor own")
        fails(self.callsig("scaling", self.recording, "--measure", "max"), 2, "--measure", "'max'", "trimmed, mean, min")
        fails(self.callsig("scaling", self.recording, "--format", "xml"), 2, "--format", "'xml'", "table, json, csv, extrap")
        fails(self.callsig("scaling", self.recording, "--measure", "min", "--time", "own"), 2, "--measure min")
        fails(self.callsig("scaling", self.recording, "--measure", "min", "--compensate"), 2, "--compensate")
        fails(self.callsig("scaling", self.recording, "--directory", "x"), 2, "--directory", "extrap")
        fails(self.callsig("scaling", self.recording, "-s", "nonsense"), 2, "nonsense")
        fails(self.callsig("scaling", "--format", "table"), 1, "callsig.out")
        fails(self.callsig("scaling", self.recording, "--by", "thread,site"), 2, "--by", "site")

    def test_output_that_cannot_be_written(self):
        for name in ("table", "json", "csv"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([harness.CALLSIG, "scaling", self.recording, "--format", name], env=self.environment,
                                      stdout=full, stderr=subprocess.PIPE, text=True, cwd=self.folder)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)


STAGES = """
#include <callsig/callsig.h>
#include <stdint.h>
#define QUIET __attribute__((no_instrument_function, noinline))
static volatile uint64_t steps = 1;
static int is_slow;
QUIET static uint64_t read_steps(void *data) { (void)data; return steps; }
__attribute__((noinline)) void handle(int n) { for (long i = 0; i < (is_slow ? n * (long)n : n); i++) steps++; }
QUIET int main(void)
{
  const char *const names[] = {"read", "write"};
  if (callsig_set_clock(read_steps, 0, 1000000000) != 0) return 1;
  for (; is_slow < 2; is_slow++) {
    struct callsig_stage_options options = {.size = sizeof options, .index = is_slow, .name = names[is_slow]};
    struct callsig_stage *stage;
    if (callsig_stage_open(&options, &stage) != 0) return 1;
    for (int n = 8; n <= 512; n *= 2) {
      callsig_task_begin(stage, 0);
      handle(n);
      callsig_task_end(stage, 0);
    }
    callsig_stage_close(stage);
  }
  return 0;
}
"""


class Stages(harness.Case):
    def setUp(self):
        super().setUp()
        program = self.compile("stages", STAGES, "-I" + harness.INCLUDE, "-L" + harness.RUNTIME,
                               "-Wl,-rpath," + harness.RUNTIME, libs=["-lcallsig"])
        done = self.callsig("run", "-o", "recording", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def laws(self, *arguments):
        done = self.callsig("scaling", "recording", "--format", "json", "handle", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {one["stage"]: one["law"] for one in json.loads(done.stdout)["functions"]}

    def test_stages_apart(self):
        laws = {stage.split(":")[2].split("[")[0]: law for stage, law in self.laws("--by", "stage").items()}
        self.assertEqual(laws, {"read": "n", "write": "n^2"})

    def test_one_stage(self):
        self.assertEqual(self.laws("--stage", "read"), {None: "n"})
        self.assertEqual(self.laws("--stage", "write"), {None: "n^2"})


class Memory(Recorded):
    @harness.with_own_allocator
    def test_memory_ends(self):
        """From any allocation on there is none: one line that says so, never a crash, never half a report."""
        library = self.failing_memory()
        for name in ("table", "json", "csv", "extrap"):
            arguments = ["scaling", self.recording, "bubble|by_mode" if name != "extrap" else "bubble", "--format", name]
            whole = self.callsig(*arguments)
            counted = {"LD_PRELOAD": library, "FAIL_ALLOCATION": str(10 ** 12), "FAIL_ALLOCATION_COUNT": self.path("count")}
            self.assertEqual(self.callsig(*arguments, env=counted).stdout, whole.stdout)
            with open(self.path("count")) as file:
                total = int(file.read())
            source = random.Random(name)
            for number in {*source.sample(range(1, total), 15), *range(total - 25, total)}:
                done = self.callsig(*arguments, env={"LD_PRELOAD": library, "FAIL_ALLOCATION": str(number)})
                if done.returncode == 0:
                    self.assertEqual(done.stdout, whole.stdout, number)
                else:
                    self.assertEqual(done.returncode, 1, (name, number, done.stderr))
                    self.assertRegex(done.stderr, "^callsig: .+\n$", (name, number))


class ExtraP(Recorded):
    """The text for Extra-P, by the grammar of docs/file-formats.md of Extra-P 4."""

    def parse(self, text):
        """(parameters, points, metric, region, data)."""
        number = r"-?\d+(?:\.\d*)?"
        name = r"\S+(?: \S+)*"
        whole = re.fullmatch(r"(?:#.*\n)*PARAMETER((?: \S+)+)\nPOINTS((?: \((?:" + number + r" ?)+\))+)\nMETRIC (" + name +
                             r")\nREGION (" + name + r")\n((?:DATA(?: " + number + r")+\n)+)", text)
        self.assertTrue(whole, text)
        points = [tuple(float(value) for value in point.split()) for point in re.findall(r"\(([^)]*)\)", whole[2])]
        data = [[float(value) for value in line.split()[1:]] for line in whole[5].splitlines()]
        self.assertEqual(len(points), len(data))
        self.assertEqual(len(set(points)), len(points))
        for point in points:
            self.assertEqual(len(point), len(whole[1].split()))
        return whole[1].split(), points, whole[3], whole[4], data

    def test_one_function(self):
        parameters, points, metric, region, data = self.parse(self.scaling("--format", "extrap", "--function", "copy", "--strip-dirs"))
        self.assertEqual((parameters, metric), (["n"], "time"))
        self.assertRegex(region, r"^algorithms\.c:\d+\(copy\)$")
        for (n,), (time,) in zip(points, data):
            self.assertEqual(time, n / 1e9)

    def test_several_parameters(self):
        parameters, points, _, _, data = self.parse(self.scaling("--format", "extrap", "--function", "matrix_product"))
        self.assertEqual(parameters, ["rows", "columns", "inner"])
        for point, (time,) in zip(points, data):
            self.assertAlmostEqual(time * 1e9, point[0] * point[1] * point[2])

    def test_folder(self):
        self.assertEqual(self.scaling("--format", "extrap", "--directory", "laws"), "")
        found = self.functions()
        files = os.listdir(self.path("laws"))
        self.assertEqual(len(files), len(found))
        for file in files:
            with open(self.path("laws", file)) as text:
                self.parse(text.read())

    def test_errors(self):
        fails = self.assert_fails
        fails(self.callsig("scaling", self.recording, "--format", "extrap"), 2, "--function", "--directory")
        fails(self.callsig("scaling", self.recording, "--format", "extrap", "few"), 1, "--all")
        fails(self.callsig("scaling", self.recording, "--format", "extrap", "--directory", "no/where"), 1, "no/where")
        self.write("file", "")
        fails(self.callsig("scaling", self.recording, "--format", "extrap", "--directory", "file"), 1, "file/")
        os.mkdir(self.path("full"))
        os.symlink("/etc/passwd", self.path("full", "001-copy.txt"))
        fails(self.callsig("scaling", self.recording, "copy", "--format", "extrap", "--directory", "full"), 1, "001-copy.txt")


# Steps are ticks, as in the algorithms. Every kind of argument that a law can be of.
ARGUMENTS = """
#include <callsig/callsig.h>
#include <stdint.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
#define QUIET __attribute__((no_instrument_function, noinline))
static volatile uint64_t steps = 1;
QUIET static uint64_t read_steps(void *data) { (void)data; return steps; }
QUIET static void step(long n) { for (long i = 0; i < n; i++) steps++; }
struct image { int width, height; };
struct tensor { int ndim; long ne[4]; };
struct request { struct { long n; } body; };
enum mode { FAST, SLOW };
NOINLINE void measure(const char *text) { step((long)strlen(text)); }
NOINLINE void blur(const struct image *image) { step((long)image->width * image->height); }
NOINLINE void scale(const struct tensor *t) { step(t->ne[0] * t->ne[1] * t->ne[2]); }
NOINLINE void bucketed(int n) { step((long)n * n); }
NOINLINE void ranged(int n) { step(n); }
NOINLINE void serve(const struct request *request) { step(request->body.n); }
NOINLINE void guarded(int n) { step(n); }
NOINLINE void optional(const int *table, int n) { step(table ? n : n * (long)n); }
NOINLINE void chosen(int n, enum mode mode, int level) { step(mode == FAST ? n * level : n * (long)n); }
NOINLINE void from(int low, int high) { step(high - low); }
NOINLINE void unsigned_size(size_t n, char c) { (void)c; step((long)n); }
NOINLINE void empty(int n) { step(10 + n); }
NOINLINE void scattered(int n, int turn) { step(turn % 2 ? n * 10L : n * 19L); }
NOINLINE void lone(int n, int turn) { (void)turn; step(n < 200 ? 1000 + n * 4L : 4000); }
NOINLINE void lone_line(int n, int turn) { (void)turn; step(n); }
static int turns;
NOINLINE void disturbed(int n) { step(++turns % 5 ? n * 10L + n * (long)n / 8 : n * 10L); }
NOINLINE void found_anywhere(int n) { step(++turns % 5 ? turns % 5 * (long)n : 3); }
NOINLINE void first_is_cold(int n) { step(n == 8 ? 5000 : n * 100L); }
NOINLINE void last_is_slow(int n) { step(n == 4096 ? 5000000 : n * 100L); }
static int busy;
NOINLINE void crowded(int n) { step(++turns % 5 ? n * (busy ? 400L : 200L) : n * 100L); }
NOINLINE void looked_up(int n) { step(++turns % 5 ? 100 + n / 8 : 100); }
static long step_cost; /* of a permutation of n numbers in place, as a machine took them: n log n */
NOINLINE void out_of_caches(int n) { step(n * step_cost); }
NOINLINE void pipelined(int n, int m) { step((long)n * m * (35 - __builtin_clz(m))); }
NOINLINE void same(int rows, int columns, int depth) { step((long)rows * columns * depth); }
NOINLINE void seldom_read(int n, const char *text) { step(n * 100L + (text ? (long)strlen(text) : 0)); }
NOINLINE void free_below(int n) { step(n < 16 ? 0 : n * 10); }
NOINLINE void two_sizes(int n, char c) { (void)c; step(n < 16 ? 0 : n * 10); }
NOINLINE void timeless(int n) { step(n ? 0 : 1); }
NOINLINE void apart(int n, const char *text) { step(n * 100L + (text ? (long)strlen(text) : 0)); }
QUIET int main(void)
{
  if (callsig_set_clock(read_steps, NULL, 1000000000) != 0) return 1;
  char text[300] = "";
  struct request request;
  for (int n = 1; n <= 250; n = n * 5 / 4 + 1) { memset(text, 'a', n); text[n] = 0; measure(text); }
  for (int w = 4; w <= 256; w *= 2) for (int h = 4; h <= 256; h *= 2) { struct image i = {w, h}; blur(&i); }
  for (int a = 2; a <= 32; a *= 2) for (int b = 2; b <= 32; b *= 2) for (int c = 2; c <= 32; c *= 4) {
    struct tensor t = {3, {a, b, c, 0}}; scale(&t); }
  for (int n = 1; n <= 1024; n = n * 9 / 8 + 1) bucketed(n);
  for (int n = 1; n <= 1024; n += 3) ranged(n);
  for (int n = 8; n <= 4096; n *= 2) { request.body.n = n; serve(&request); }
  for (int n = 1; n <= 2000; n++) guarded(n);
  for (int n = 8; n <= 512; n *= 2) { optional(0, n); optional(&n, n); }
  for (int n = 8; n <= 512; n *= 2) for (int l = 1; l <= 3; l++) { chosen(n, FAST, l); chosen(n, SLOW, l); }
  for (int n = 8; n <= 512; n *= 2) from(0, n), from(4, n + 4), from(100, n + 100);
  for (int n = 8; n <= 512; n *= 2) unsigned_size(n, 'x'), unsigned_size(n, 'y');
  for (int n = 0; n <= 4096; n = n * 4 + 1) empty(n);
  for (int n = 2; n <= 64; n *= 2) same(n, n, n);
  for (int n = 8, i = 0; n <= 4096; n *= 2, i++) scattered(n, i);
  for (int n = 8; n <= 4096; n *= 2) for (int i = 0; i < 5; i++) disturbed(n);
  for (int n = 8; n <= 4096; n *= 2) for (int i = 0; i < 5; i++) found_anywhere(n);
  for (int n = 8, i = 0; n <= 4096; n *= 2, i++) for (int j = 0; j < 5; j++) {
    static const int costs[] = {175, 154, 148, 152, 156, 177, 208, 294, 372, 433};
    static const int sizes[] = {128, 230, 414, 745, 1341, 2413, 4343, 7817, 14070, 25326};
    busy = i % 2;
    step_cost = costs[i];
    first_is_cold(n); last_is_slow(n); crowded(n); looked_up(n); out_of_caches(sizes[i]); }
  for (int n = 8; n <= 256; n *= 2) for (int m = 8; m <= 128; m *= 2) pipelined(n, m);
  for (int n = 4; n <= 256; n *= 2) for (int i = 0; i < (n < 256 ? 5 : 1); i++) { lone(n, 1); lone_line(n, 1); }
  for (int n = 8, i = 0; n <= 2048; n *= 2, i++) {
    int length = 3 + i * i * 37 % 211;
    memset(text, 'a', length); text[length] = 0;
    seldom_read(n, n <= 512 ? text : NULL);
  }
  for (int n = 1; n <= 4096; n *= 2) free_below(n);
  for (int n = 1; n <= 4; n *= 2) two_sizes(n, 'a');
  for (int n = 16; n <= 32; n *= 2) for (int c = 'a'; c < 'h'; c++) two_sizes(n, (char)c);
  for (int n = 1; n <= 16; n *= 2) timeless(n);
  for (int n = 8; n <= 512; n *= 2) apart(n, NULL);
  for (int i = 1; i <= 8; i++) { memset(text, 'a', i * 20); text[i * 20] = 0; apart(i % 2 ? 8 : 64, text); }
  return 0;
}
"""


RULES = """
type image: width, height
type tensor: shape=ne[0..ndim]
function measure: text string 250
function seldom_read: text string 250
function apart: text string 250
function bucketed: n bucket log2
function ranged: n bucket 0,16,32,64,128,256,512
function serve: show request->body.n
"""


class Arguments(harness.Case):
    """What kinds of arguments are sizes. One recording for all cases, which only read it."""

    @classmethod
    def setUpClass(cls):
        cls.shared = shared = cls.kept()
        program = shared.compile("arguments", ARGUMENTS, "-I" + harness.INCLUDE, "-L" + harness.RUNTIME,
                                 "-Wl,-rpath," + harness.RUNTIME, libs=["-lcallsig"])
        done = shared.callsig("run", "-o", "recording", "--rules", shared.write("rules", RULES), program)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        done = shared.callsig("scaling", "recording", "--format", "json", "--all")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        cls.found = {(one["function"], one["where"]): one for one in json.loads(done.stdout)["functions"]}

    def argument(self, function, name, where=None):
        return next(one for one in self.found[function, where]["arguments"] if one["name"] == name)

    def test_kinds(self):
        for name, law in (("measure", "len(text)"), ("blur", "image.width * image.height"), ("serve", "request->body.n"),
                          ("unsigned_size", "n")):
            self.assertEqual((name, self.found[name, None]["law"]), (name, law))
        self.assertEqual(self.found["scale", None]["law"], "product(t.shape)")
        self.assertEqual(self.argument("unsigned_size", "c")["use"], "no number")

    def test_buckets(self):
        one = self.found["bucketed", None]
        self.assertEqual(one["law"], "n^2")
        self.assertTrue(self.argument("bucketed", "n")["ranges"])
        self.assertTrue(any("known in ranges" in warning for warning in one["warnings"]), one["warnings"])
        # The buckets are 1, 2..3, 4..7 and so on: the first is exact, and each other stands with its geometric middle.
        self.assertEqual(self.argument("bucketed", "n")["low"], 1)
        self.assertAlmostEqual(self.argument("bucketed", "n")["high"], (512 * 1023) ** 0.5, places=6)

    def test_ranges(self):
        """0 to 15 stands with the middle of 1 and 15; the last, of 512 and more, has no end: it is left out, and said."""
        one = self.found["ranged", None]
        self.assertEqual((one["law"], one["points"]), ("n", 6))
        self.assertAlmostEqual(self.argument("ranged", "n")["low"], 15 ** 0.5)
        self.assertAlmostEqual(self.argument("ranged", "n")["high"], (256 * 511) ** 0.5)
        self.assertTrue(any("1 of 7 signatures is left out" in warning for warning in one["warnings"]), one["warnings"])

    def test_guard(self):
        """2000 values are more than a function may have: they are widened, and the law stays."""
        self.assertEqual(self.found["guarded", None]["law"], "n")
        self.assertTrue(self.argument("guarded", "n")["ranges"])

    def test_other_arguments_split(self):
        self.assertEqual(self.found["optional", "table=NULL"]["law"], "n^2")
        self.assertEqual(self.found["optional", "table=a pointer"]["law"], "n")
        self.assertNotIn(("optional", None), self.found)
        for level in (1, 2, 3):
            self.assertEqual(self.found["chosen", f"mode=FAST, level={level}"]["law"], "n")
            self.assertEqual(self.found["chosen", f"mode=SLOW, level={level}"]["law"], "n^2")

    def test_law_that_is_far_off(self):
        """Times that lie between two lines are near neither: the best law is more than 15 % off, and is named in the reason."""
        one = self.found["scattered", None]
        self.assertEqual((one["verdict"], one["law"], one["rivals"]), ("none", None, []))
        self.assertRegex(one["reason"], r"the best law, n.*, is (1[5-9]|[2-9]\d)\.\d % off, and above 15\.0 % is none")

    def test_law_that_hangs_on_one_call(self):
        """One call of the largest size that was slow makes no law; where it fits the others, it takes none away."""
        one = self.found["lone", None]
        self.assertEqual((one["verdict"], one["law"]), ("none", None))
        self.assertRegex(one["reason"], "the best law, n.*, hangs on fewer than 3 calls of the largest size")
        self.assertEqual(self.found["lone_line", None]["law"], "n")

    def test_law_that_the_shortest_calls_do_not_follow(self):
        """Of calls that something else made longer, the long ones more, the law is that of the shortest, and that of the means is named as well;
        those that may end at once take none away."""
        one = self.found["disturbed", None]
        self.assertEqual((one["verdict"], one["law"], one["rivals"]), ("law", "n", ["n^2"]))
        self.assertIn("these calls do not tell n from n^2", one["warnings"])
        self.assertEqual(self.found["found_anywhere", None]["law"], "n")
        done = self.shared.callsig("scaling", "recording", "disturbed", "--measure", "min", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["functions"][0]["law"], "n")

    def test_size_that_is_always_cold(self):
        """One size that is far off takes no law from the others, and is told; the largest is not left out."""
        one = self.found["first_is_cold", None]
        self.assertEqual((one["law"], one["points"]), ("n", 9))
        self.assertIn("1 of 10 signatures is left out: far off the law that the others follow", one["warnings"])
        one = self.found["last_is_slow", None]
        self.assertNotEqual((one["law"], one["points"]), ("n", 9))
        self.assertEqual(self.argument("first_is_cold", "n")["low"], 16)

    def test_range_is_of_the_law(self):
        """What a law was found over are the signatures that it is of: those that are left out widen no range, and make none of two sizes."""
        for name, values, low, high in (("seldom_read", 7, 8, 512), ("free_below", 9, 16, 4096)):
            one = self.argument(name, "n")
            self.assertEqual((name, self.found[name, None]["law"]), (name, "n"))
            self.assertEqual((name, one["values"], one["low"], one["high"]), (name, values, low, high))
        one = self.found["two_sizes", None]
        self.assertEqual((one["verdict"], one["reason"]), ("not enough data", "n has 2 values, 5 are needed; of 3, no time was measured"))

    def test_argument_that_leaves_too_few_values(self):
        """Where the one is known the other has two values: laws are of that which all calls have."""
        one = self.found["apart", None]
        self.assertEqual((one["law"], one["points"]), ("n", 15))
        self.assertEqual((self.argument("apart", "n")["use"], self.argument("apart", "len(text)")["use"]), ("candidate", "missing"))

    def test_law_of_the_shortest_calls(self):
        """Where the means are too far off the law that they name, and the shortest calls follow it, it is theirs, with their times."""
        one = self.found["crowded", None]
        self.assertEqual(one["law"], "n")
        self.assertAlmostEqual(one["terms"][0]["coefficient"], 100e-9, delta=1e-12)
        self.assertRegex(one["warnings"][0], r"of the shortest call of each signature: the means are \d\d\.\d % off their best law")
        done = self.shared.callsig("scaling", "recording", "crowded", "--measure", "mean", "--all", "--format", "json")
        self.assertIsNone(json.loads(done.stdout)["functions"][0]["law"])

    def test_growth_that_caches_make(self):
        one = self.found["looked_up", None]
        self.assertEqual((one["verdict"], one["law"], one["rivals"]), ("none", None, []))
        self.assertRegex(one["reason"], "the best law, .*, adds little to a call, and is not that of the shortest: caches do as much")

    def test_step_where_data_leave_a_cache(self):
        """A step that takes longer from some size on is told, and the law that would grow faster stays named."""
        one = self.found["out_of_caches", None]
        self.assertEqual((one["verdict"], one["law"], one["rivals"]), ("law", "n log n", ["n^2"]))
        self.assertGreater(one["step"]["factor"], 1)
        self.assertLess(one["step"]["from"], one["step"]["to"])
        self.assertRegex(one["warnings"][0], r"up to n = \d+; from n = \d+ on each step takes \d\.\d\d times as long, as where data leave a cache")

    def test_steps_that_get_longer(self):
        """A machine's steps take longer with the size: the law without logarithms is not ruled out while it is near."""
        one = self.found["pipelined", None]
        self.assertNotEqual(one["law"], "n * m")
        self.assertIn("n * m", one["rivals"])

    def test_zero(self):
        self.assertEqual(self.found["empty", None]["law"], "n")
        self.assertEqual(self.argument("empty", "n")["low"], 0)

    def test_alike(self):
        one = self.found["same", None]
        self.assertEqual((one["law"], len(one["warnings"])), ("rows^3", 2))
        self.assertEqual(self.argument("same", "depth")["same_as"], "rows")

    def extrap(self, name):
        """The lines of its sheet, by their first words."""
        done = self.shared.callsig("scaling", "recording", name, "--format", "extrap")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = {}
        for line in done.stdout.splitlines():
            lines.setdefault(line.split()[0], []).append(line)
        return lines

    def test_extrap_has_what_the_law_is_of(self):
        """A size that is left out of the law is no data, and where the law is that of the shortest calls, these are."""
        lines = self.extrap("first_is_cold")
        self.assertEqual((len(lines["DATA"]), lines["POINTS"][0].split()[1]), (9, "(16)"))
        lines = self.extrap("crowded")
        self.assertIn("the shortest call of each signature", lines["#"][0])
        self.assertEqual((lines["POINTS"][0].split()[1], float(lines["DATA"][0].split()[1])), ("(8)", 800e-9))

    def test_no_time(self):
        done = self.shared.callsig("scaling", "recording", "timeless", "--all")
        self.assertRegex(done.stdout, r"\n +5 +0 s  too short ")

    def test_extrap_parameter_of_a_path(self):
        done = self.shared.callsig("scaling", "recording", "serve", "--format", "extrap")
        self.assertIn("\nPARAMETER request->body.n\n", done.stdout)


if __name__ == "__main__":
    harness.main()
