#!/usr/bin/env python3
"""callsig scaling: functions of known cost get their law, what has none gets none, and every format says the same.

The laws below are those of the algorithms, as any textbook has them; the times are the steps that the functions count, so
that nothing depends on the machine or on its load."""

import csv
import io
import json
import os
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
        cls.shared = harness.Case()
        cls.shared.setUp()
        with open(ALGORITHMS) as file:
            source = file.read()
        cls.program = cls.shared.compile("algorithms", source, "-I" + harness.INCLUDE, "-L" + harness.RUNTIME,
                                         "-Wl,-rpath," + harness.RUNTIME, libs=["-lcallsig"])
        cls.recording = cls.shared.path("recording")
        done = cls.shared.callsig("run", "-o", cls.recording, cls.program)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.shared.doCleanups()

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
        self.assertIn("not listed (--all does): 3 functions with too few values", text)
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

    def test_output_that_cannot_be_written(self):
        for name in ("table", "json", "csv"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([harness.CALLSIG, "scaling", self.recording, "--format", name], env=self.environment,
                                      stdout=full, stderr=subprocess.PIPE, text=True, cwd=self.folder)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)


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


if __name__ == "__main__":
    harness.main()
