#!/usr/bin/env python3
"""callsig score: the filters that it prints leave out the functions that it names, by callsig run and by each compiler.

The programs have clocks of their own, and the cost of a call's hooks is written into their recordings, so that nothing
depends on the machine or on its load."""

import csv
import io
import json
import os
import re
import shutil
import struct
import subprocess
import unittest

import harness

# A function takes the ticks that it counts. hot, cold and those like them are called often and do next to nothing.
C_PROGRAM = """
#include <callsig/callsig.h>
#define PLAIN __attribute__((no_instrument_function))
static uint64_t ticks;
static PLAIN uint64_t clock_of(void *data) { (void)data; return ticks; }
static PLAIN __attribute__((constructor)) void set_clock(void) { callsig_set_clock(clock_of, 0, 1000000); }
static __attribute__((noinline)) int hot(int n) { ticks += 1; return n; }
static __attribute__((noinline)) int cold(int n) { ticks += 1; return n + 1; }
static __attribute__((noinline)) int hotter(int n) { ticks += 900000; return n; }
int main(void)
{
  int sum = 0;
  for (int i = 0; i < 10000; i++)
    sum += hot(i % 4);
  for (int i = 0; i < 1000; i++)
    sum += cold(i % 100);
  sum += hotter(1) + hotter(2);
  ticks += 1000000;
  return sum == 0;
}
"""

CXX_PROGRAM = """
#include <callsig/callsig.h>
#define PLAIN __attribute__((no_instrument_function))
#define APART __attribute__((noinline))
static uint64_t ticks;
static PLAIN uint64_t clock_of(void *) { return ticks; }
static PLAIN __attribute__((constructor)) void set_clock() { callsig_set_clock(clock_of, 0, 1000000); }
namespace pool {
struct Ring {
  APART int at(int n) { ticks += 1; return n; }
  APART int attach(int n) { return n; }
  APART int operator[](int n) { ticks += 1; return n + 1; }
};
template <class T> PLAIN APART int grow(T n) { struct Guard { T kept; APART int get() { ticks += 1; return int(kept); } }; return Guard{n}.get(); }
template <class A, class B> APART int mix(A a, B b) { ticks += 1; return int(a + b); }
}
namespace {
APART int hidden(int n) { ticks += 1; return n; }
}
extern "C" APART int heavy(int n) { ticks += 900000; return n; }
int main(int argc, char **)
{
  pool::Ring ring;
  int sum = 0;
  for (int i = 0; i < 2000; i++)
    sum += ring.at(i) + ring[i] + pool::mix<int, long>(i, 1) + pool::grow(i) + hidden(i);
  if (argc > 5)
    sum += ring.attach(1);
  ticks += 1000000;
  return sum + heavy(1) == 0;
}
"""
LEFT_OUT = {"pool::Ring::at", "pool::Ring::operator[]", "pool::mix<int, long>", "pool::grow<int>()::Guard::get", "(anonymous namespace)::hidden"}

LINK = ("-I" + harness.INCLUDE, "-L" + harness.RUNTIME, "-Wl,-rpath," + harness.RUNTIME)
CXX = ("-x", "c++")


def plugin():
    """The plug-in for the gcc that cc is, or None."""
    version = subprocess.run(["cc", "-dumpversion"], text=True, stdout=subprocess.PIPE, check=True).stdout.partition(".")[0]
    path = os.path.join(harness.BUILD, "instrument", "gcc-" + version.strip(), "callsig_sleds.so")
    return path if os.path.exists(path) else None


class Score(harness.Case):
    def record(self, program, name, *options):
        """Runs the program and writes into its recording that a call's hooks take 1/2 a tick inside and 49 1/2 outside."""
        done = self.callsig("run", "-o", name, *options, program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path(name), "rb") as file:
            data = bytearray(harness.unsealed(file.read()))
        struct.pack_into("<QQ", data, 112, 512, 49 * 1024 + 512)
        with open(self.path(name), "wb") as file:
            file.write(data)

    def calls(self, name):
        """Function -> calls, of a recording."""
        done = self.callsig("report", "--by", "function", "--format", "json", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        # gcc calls the type that clang calls long long int.
        return {row["function"].replace("long int", "long"): row["ncalls"] for row in json.loads(done.stdout)["rows"]}

    def filter(self, recording, form, *arguments, told=()):
        """The path of the filter, after a look at what was told."""
        done = self.callsig("score", recording, "--filter", form, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), len(told), done.stderr)
        for line, words in zip(lines, told):
            self.assertIn(words, line)
        return self.write("filter." + form, done.stdout)

    def c_program(self, *flags):
        return self.compile("program", C_PROGRAM, *LINK, *flags, libs=["-lcallsig"])

    def test_table(self):
        self.record(self.c_program(), "recording")
        done = self.callsig("score", "recording", "--overhead", "1.1", "hot$|hot\\)$")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("List reduced from 4 to 1", done.stdout)
        # 10,000 of 11,003 calls at 50 ticks.
        self.assertRegex(done.stdout, r"(?m)^    10000     10000  500\.000ms   90\.9 .* out  .*program\.c:7\(hot\)$")
        self.assertIn("a factor of 1.1 is kept without 1 function, marked 'out'", done.stdout)

    def test_report_of_own_clock(self):
        """Samples of the run tell no times of a clock of the program's own: the report takes off what was calibrated, and score goes by the same."""
        self.record(self.c_program(), "recording")
        rows = json.loads(self.callsig("report", "--compensate", "--by", "function", "--format", "json", "recording").stdout)["rows"]
        own = {row["function"]: row["tottime"] for row in rows}
        self.assertAlmostEqual(own["hotter"], 1.8, 5)
        self.assertAlmostEqual(own["main"], 1 - 11002 * 49.5e-6, 5)
        report = json.loads(self.callsig("score", "recording", "--format", "json").stdout)
        self.assertEqual({one["function"]: one["own"] for one in report["functions"]}, own)

    def test_formats_agree(self):
        self.record(self.c_program(), "recording")
        report = json.loads(self.callsig("score", "recording", "--overhead", "1.1", "--format", "json").stdout)
        done = self.callsig("score", "recording", "--overhead", "1.1", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([row["function"] for row in rows], [one["function"] for one in report["functions"]])
        for row, one in zip(rows, report["functions"]):
            for key in ("hooks", "own", "worth", "factor", "hooks_share", "own_share", "ncalls", "rows", "signatures"):
                self.assertEqual(float(row[key]), float(one[key]), key)
            self.assertEqual((row["left_out"], row["kept"]), (str(int(one["left_out"])), one["kept"] or ""))
        self.assertEqual([line.replace("callsig: ", "") for line in done.stderr.splitlines()],
                         report["remarks"] + report["notes"])

    def test_run_filter(self):
        """What is left out by callsig run is gone, and all else is as it was."""
        program = self.c_program()
        self.record(program, "recording")
        before = self.calls("recording")
        self.assertEqual(before, {"main": 1, "hot": 10000, "cold": 1000, "hotter": 2})
        path = self.filter("recording", "run", "--overhead", "1.001")
        self.record(program, "again", "--exclude-file", path)
        self.assertEqual(self.calls("again"), {"main": 1, "hotter": 2})
        path = self.filter("recording", "run", "--overhead", "1.1")
        self.record(program, "again", "--exclude-file", path)
        self.assertEqual(self.calls("again"), {"main": 1, "hotter": 2, "cold": 1000})
        # hotter takes most of the time, and is called too seldom to cost anything.
        path = self.filter("recording", "run", "--overhead", "1.00003", "--matters", "99")
        self.record(program, "again", "--exclude-file", path)
        self.assertEqual(self.calls("again"), {"main": 1})
        path = self.filter("recording", "run", "--overhead", "1.2", "--keep", "c?ld")
        self.record(program, "again", "--exclude", "cold", "--exclude-file", path)
        self.assertEqual(self.calls("again"), {"main": 1, "hotter": 2})

    def test_predicted(self):
        """The run without them has the factor that was foretold."""
        program = self.c_program()
        self.record(program, "recording")
        report = json.loads(self.callsig("score", "recording", "--overhead", "1.1", "--format", "json").stdout)
        self.assertGreater(report["factor"], 1.1)
        self.record(program, "again", "--exclude-file", self.filter("recording", "run", "--overhead", "1.1"))
        again = json.loads(self.callsig("score", "again", "--format", "json").stdout)
        self.assertAlmostEqual(again["hooks"], 50e-6 * 1003, 9)
        self.assertAlmostEqual(report["hooks"] - again["hooks"], .5, 9)
        self.assertLess(again["factor"], 1.1)

    def test_gcc_filter(self):
        self.record(self.c_program(), "recording")
        # gcc would leave out hotter as well, which matters.
        fails = self.callsig("score", "recording", "--overhead", "1.1", "--filter", "gcc")
        self.assert_fails(fails, 1, "cannot be reached")
        path = self.filter("recording", "gcc", "--overhead", "1.23")
        self.record(self.c_program("@" + path), "again")
        self.assertEqual(self.calls("again"), {"main": 1, "hot": 10000, "hotter": 2})

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_gcc_filter_of_cxx(self):
        program = self.compile("program", CXX_PROGRAM, *LINK, *CXX, libs=["-lcallsig", "-lstdc++"])
        self.record(program, "recording")
        self.assertEqual(self.calls("recording"), {"main": 1, "heavy": 1, **{name: 2000 for name in LEFT_OUT}})
        path = self.filter("recording", "gcc", "--overhead", "1.001", told=["'pool::Ring::at' also leaves out "])
        self.record(self.compile("program", CXX_PROGRAM, *LINK, "@" + path, *CXX, libs=["-lcallsig", "-lstdc++"]), "again")
        self.assertEqual(self.calls("again"), {"main": 1, "heavy": 1})
        # callsig run goes by the same names.
        path = self.filter("recording", "run", "--overhead", "1.001")
        self.record(program, "again", "--exclude-file", path)
        self.assertEqual(self.calls("again"), {"main": 1, "heavy": 1})

    def sleds(self, prefix, *flags):
        """The functions that clang puts XRay's sleds into. The flags are given to the driver, or with a prefix to what it runs."""
        source = self.write("program.cc", CXX_PROGRAM)
        flags = [word for flag in ("-fxray-instrument", "-fxray-instruction-threshold=1", *flags) for word in (*prefix, flag)]
        done = self.run_command("clang++", "-O1", "-I" + harness.INCLUDE, *flags, "-S", source, "-o", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found, function = set(), None
        for line in done.stdout.splitlines():
            label = re.match(r"(\w+):", line)
            if label and not label[1].startswith("."):
                function = label[1]
            elif line.startswith(".Lxray_sled_"):
                found.add(function)
        return found

    @unittest.skipUnless(shutil.which("clang++"), "needs clang++")
    def test_clang_filter(self):
        program = self.compile("program", CXX_PROGRAM, *LINK, *CXX, compiler="clang", libs=["-lcallsig", "-lstdc++"])
        self.record(program, "recording")
        self.assertEqual(self.calls("recording"), {"main": 1, "heavy": 1, **{name: 2000 for name in LEFT_OUT}})
        path = self.filter("recording", "clang", "--overhead", "1.001")
        for prefix in ((), ("-Xclang",)):
            before, after = self.sleds(prefix), self.sleds(prefix, "-fxray-attr-list=" + path)
            self.assertEqual({re.sub("^_ZN?L?", "", name) for name in before - after},
                             {"4pool4Ring2atEi", "4pool4RingixEi", "4pool3mixIilEEiT_T0_", "ZN4pool4growIiEEiT_EN5Guard3getEv", "12_GLOBAL__N_16hiddenEi"}, prefix)
            self.assertLessEqual({"main", "heavy", "_ZN4pool4Ring6attachEi"}, after)

    @unittest.skipUnless(plugin(), "no plug-in was built for cc")
    def test_plugin_filters(self):
        """The number that is printed leaves out, by the plug-in, what was chosen; and the plug-in takes gcc's list."""
        source = C_PROGRAM.replace("ticks += 900000;", "volatile int v = n; v *= 3; v += n; v ^= 5; v *= 7; ticks += 900000;")

        def compile_with(*flags):
            return self.compile("program", source, *LINK, "-g", "-fplugin=" + plugin(), *flags, instrument=False, libs=["-lcallsig"])

        self.record(compile_with(), "recording")
        self.assertEqual(self.calls("recording"), {"main": 1, "hot": 10000, "cold": 1000, "hotter": 2})
        functions = json.loads(self.callsig("score", "recording", "--format", "json").stdout)["functions"]
        size = {one["function"]: one["instructions"] for one in functions}
        self.assertLess(max(size["hot"], size["cold"]), size["hotter"])
        path = self.filter("recording", "sled", "--overhead", "1.001", told=["leaves out, of what was called, "])
        with open(path) as file:
            option, number = file.read().split()
        self.assertEqual((option, int(number)), ("--min-instructions", max(size["hot"], size["cold"]) + 1))
        self.record(compile_with("-fplugin-arg-callsig_sleds-min-instructions=" + number), "again")
        self.assertEqual(self.calls("again"), {"main": 1, "hotter": 2})
        path = self.filter("recording", "gcc", "--overhead", "1.23")
        self.record(compile_with("@" + path), "again")
        self.assertEqual(self.calls("again"), {"main": 1, "hot": 10000, "hotter": 2})
        # Without sleds nothing is known of sizes.
        self.record(self.c_program(), "recording")
        self.assert_fails(self.callsig("score", "recording", "--overhead", "1.1", "--filter", "sled"), 1, "instructions of no function")

    def test_uncalibrated(self):
        program = self.c_program()
        self.assertEqual(self.callsig("run", "-o", "recording", program).returncode, 0)
        done = self.callsig("score", "recording", "--overhead", "1.5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("what the hooks cost is unknown: recording was recorded without a calibration", done.stdout)
        self.assert_fails(self.callsig("score", "recording", "--overhead", "1.5", "--filter", "run"), 1, "is unknown")
        # A merged recording has what its parts have.
        self.record(program, "one")
        self.assertEqual(self.callsig("merge", "-o", "both", "one", "one").returncode, 0)
        self.assertAlmostEqual(json.loads(self.callsig("score", "both", "--format", "json").stdout)["hooks"], 2 * 50e-6 * 11003, 9)
        self.assertEqual(self.callsig("merge", "-o", "both", "one", "recording").returncode, 0)
        self.assertIsNone(json.loads(self.callsig("score", "both", "--format", "json").stdout)["hooks"])

    def test_refusals(self):
        self.record(self.c_program(), "recording")
        fails = self.assert_fails
        for factor in ("", "x", "0.5", "1.5x", "nan", "inf"):
            fails(self.callsig("score", "recording", "--overhead", factor), 2, f"--overhead: '{factor}' is not a factor")
        for part in ("", "x", "0", "-1", "101", "nan"):
            fails(self.callsig("score", "recording", "--matters", part), 2, f"--matters: '{part}' is not a percentage")
        fails(self.callsig("score", "recording", "--filter", "run"), 2, "--overhead FACTOR")
        fails(self.callsig("score", "recording", "--filter", "icc", "--overhead", "2"), 2, "'icc' is none of run, gcc, clang, sled")
        fails(self.callsig("score", "recording", "--format", "xml"), 2, "'xml' is none of table, json, csv")
        fails(self.callsig("score", "recording", "--keep", "hit"), 2, "--keep 'hit' matches no function")
        fails(self.callsig("score", "--format", "csv"), 1, "callsig.out")

    def test_output_that_cannot_be_written(self):
        self.record(self.c_program(), "recording")
        for arguments in (("--format", "table"), ("--format", "json"), ("--format", "csv"),
                          ("--filter", "run", "--overhead", "1.1")):
            with open("/dev/full", "w") as full:
                done = subprocess.run([harness.CALLSIG, "score", self.path("recording"), *arguments], env=self.environment,
                                      stdout=full, stderr=subprocess.PIPE, text=True, timeout=600)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertRegex(done.stderr, "cannot write the score|No space left on device")

    @harness.with_own_allocator
    def test_no_memory(self):
        self.record(self.c_program(), "recording")
        for arguments in (("--format", "json"), ("--filter", "gcc", "--overhead", "1.23")):
            for done in self.failed_allocations("score", "recording", "--keep", "main", *arguments):
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if done.returncode == 1:
                    self.assertIn("memory", done.stderr)


# leaf is little more than its hooks, mid computes.
SHORT_AND_LONG = """
static volatile unsigned sink;
static __attribute__((noinline)) void leaf(int n) { sink += (unsigned)n; }
static __attribute__((noinline)) void mid(int n) {
  for (int i = 0; i < 400000; i++) sink = sink * 1664525u + (unsigned)n;
  for (int i = 0; i < 4000; i++) leaf(i & 3); }
int main(void) { for (int i = 0; i < 400; i++) mid(i & 1); return 0; }
"""


class Own(harness.Case):
    def test_as_reported(self):
        """Own times are the report's without hooks, function by function, with samples of the run and without; what takes the most of it is
        never left out."""
        program = self.compile("program", SHORT_AND_LONG)
        for options in ((), ("--times", "exact")):
            self.assertEqual(self.callsig("run", *options, program).returncode, 0)
            report = json.loads(self.callsig("report", "--by", "function", "--compensate", "--format", "json").stdout)
            score = json.loads(self.callsig("score", "--overhead", "1.000001", "--format", "json").stdout)
            own = {one["function"]: one["own"] for one in score["functions"]}
            self.assertEqual(own, {row["function"]: row["tottime"] for row in report["rows"]}, options)
            self.assertAlmostEqual(sum(one["own_share"] for one in score["functions"]), 1, 9)
            self.assertAlmostEqual(sum(one["hooks"] for one in score["functions"]), score["hooks"], 9)
            if score["factor_by"] == "samples":
                self.assertEqual(max(own, key=own.get), "mid")
                self.assertEqual({one["function"]: one["kept"] for one in score["functions"]}["mid"], "time")


class ExcludeFile(harness.Case):
    def test_list(self):
        program = self.compile("calls", harness.CALLS)
        listed = self.write("list", "# not these\n\nfunction:tw*\r\n")
        done = self.callsig("run", "--exclude-file", listed, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(work(n=1))", done.stderr)
        self.assertNotIn("(twice(", done.stderr)

    def test_refusals(self):
        program = self.compile("calls", harness.CALLS)
        fails = self.assert_fails
        fails(self.callsig("run", "--exclude-file", "missing", program), 1, "missing", "No such file")
        fails(self.callsig("run", "--exclude-file", self.folder, program), 1, self.folder, "Is a directory")
        fails(self.callsig("run", "--exclude-file", self.write("zero", "a\0b\n"), program), 1, "zero", "no list of globs")
        long = self.write("long", "function:some_function_of_a_long_name\n" * 4000)
        fails(self.callsig("run", "--exclude-file", long, program), 1, "long", "longer than the")
        self.assertFalse(os.path.exists(self.path("callsig.out")))


if __name__ == "__main__":
    harness.main()
