"""callsig report: each option changes what it says it changes; arguments are told apart; errors are one line."""

import csv
import io
import json
import os
import shutil
import subprocess

import harness

SOURCE = """
#include <pthread.h>
enum mode { FAST, SLOW };
static int __attribute__((noinline)) leaf(int n, enum mode mode) { return n + (int)mode; }
static int __attribute__((noinline)) fact(int n) { return n < 2 ? leaf(1, FAST) : n * fact(n - 1); }
static int __attribute__((noinline)) outer(int n) { return leaf(n, SLOW) + leaf(n, FAST) + fact(n); }
static int __attribute__((noinline)) inside(void) { return leaf(9, SLOW); }
__attribute__((no_instrument_function)) static void *thread(void *argument) {
  (void)argument;
  pthread_setname_np(pthread_self(), "worker");
  return inside() ? 0 : argument; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  pthread_join(t, 0);
  return outer(5) == 0; }
"""
HOOK_INNER = 112  # where docs/recording-format.md has it in the header, with hook_outer after it
FUNCTIONS = {"leaf": "4", "fact": "5/1", "outer": "1", "inside": "1", "main": "1"}


class Report(harness.Case):
    def setUp(self):
        super().setUp()
        program = self.compile("program", "#define _GNU_SOURCE\n" + SOURCE, "-pthread")
        # A hook that lost its processor took long, as a note then says: such a run is made again.
        for _ in range(10):
            done = self.callsig("run", "--times", "exact", "-o", "callsig.out", program)  # of sampled times a note tells the waits
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            if "every call was timed" not in self.callsig("report", "callsig.out").stdout:
                break

    def test_no_row(self):
        """A table without rows says why."""
        matches_nothing = "no row is shown: the restrictions leave none of 12 rows; a pattern is searched in the printed names\n"
        for arguments, note in ((["nowhere"], matches_nothing), ([r"\[library\]"], matches_nothing), (["0"], matches_nothing),
                                (["--callers", "nowhere"], matches_nothing),
                                (["--function", "nowhere"], "no row is shown: nothing that was recorded is what the filters ask for\n"),
                                (["--signature", "n > 1000"], "no row is shown: nothing that was recorded is what the filters")):
            done = self.callsig("report", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("no row is shown"), 1, done.stdout)
            self.assertIn(note, done.stdout)
        self.assertNotIn("no row", self.callsig("report", "leaf").stdout)

    def report(self, *arguments):
        done = self.callsig("report", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def named(self, *arguments):
        """Function or function(arguments) -> ncalls as printed, in order of rows."""
        rows = self.rows(self.report("--strip-dirs", *arguments))
        return {name.split("(", 1)[1][:-1]: row[0] for name, row in rows.items()}

    def test_default(self):
        rows = self.named()
        self.assertEqual(rows["leaf(n=5, mode=SLOW)"], "1")
        self.assertEqual(rows["fact(n=5)"], "1")
        self.assertEqual(len(rows), 12)
        self.assertIn("Ordered by: cumulative time", self.report())

    def test_by(self):
        self.assertEqual(self.named("--by", "function"), FUNCTIONS)
        self.assertEqual(self.named("--by", "signature"), self.named())
        self.assertIn("worker", self.report("--by", "function,thread"))
        self.assertIn("program", self.report("--by", "function,module"))
        self.assertIn("[stage -]", self.report("--by", "stage"))
        self.assertRegex(self.report("--by", "function,process"), r"\[process program \(\d+\)\]")
        self.assertIn("[rank -]", self.report("--by", "rank"))

    def test_sort(self):
        self.assertEqual(list(self.named("--by", "function", "-s", "name")), ["fact", "inside", "leaf", "main", "outer"])
        self.assertEqual(list(self.named("--by", "function", "-s", "ncalls"))[0], "fact")
        self.assertEqual(list(self.named("--by", "function", "-s", "pc,name"))[:2], ["leaf", "fact"])
        done = self.callsig("report", "-s", "nonsense")
        self.assert_fails(done, 2, "nonsense", "cumtime")
        self.assert_fails(self.callsig("report", "-s", "c"), 2, "'c'", "calls", "cumtime")

    def test_sort_by_what_is_not_known(self):
        """The heading claims an order that nothing tells: a note says so."""
        waits, asked = "\nno recording tells what threads waited: ", "\nno recording tells what was asked the allocator for: "
        for keys, note in (("wait", waits), ("cpu", waits), ("allocs", asked), ("allocbytes", asked), ("name,unfreed", asked)):
            said = self.report("-s", keys)
            self.assertEqual([words for words in (waits, asked) if words in said], [note], keys)
        self.assertNotIn("\nno recording tells", self.report("-s", "name,calls,tottime,cumtime"))

    def test_restrictions(self):
        self.assertEqual(len(self.named("3")), 3)
        self.assertEqual(len(self.named(".5")), 6)
        self.assertEqual(set(self.named("--by", "function", "lea|fac")), {"leaf", "fact"})
        self.assertEqual(len(self.named("leaf", "2")), 2)
        self.assertIn("due to restriction <'leaf'>", self.report("leaf"))
        self.assertEqual(self.rows(self.report("no such name")), {})
        self.assertEqual(self.named("99999999999999999999"), self.named())

    def test_restriction_that_may_have_been_a_file(self):
        said = "'nofile' is no file, so that it was searched for in the names of rows, and it is in none"
        for command in "report", "score", "scaling":
            for recording in [], ["callsig.out"]:
                done = self.callsig(command, *recording, "nofile")
                self.assertEqual(done.returncode, 0)
                self.assertEqual([line for line in done.stderr.splitlines() if "is no file" in line], [f"callsig: {command}: {said}"])
            for restriction in "leaf", "1", ".5", "no such name":
                self.assertNotIn("is no file", self.callsig(command, restriction).stderr)

    def test_file_or_restriction(self):
        self.assertEqual(self.named("callsig.out", "leaf"), self.named("leaf", "callsig.out"))
        self.assertEqual(self.named("leaf"), self.named("leaf", "callsig.out"))
        os.mkdir(self.path("leaf"))  # a folder is not a recording
        self.assertEqual(self.named("leaf"), self.named("leaf", "callsig.out"))

    def test_several_files(self):
        shutil.copy(self.path("callsig.out"), self.path("second"))
        twice = self.named("--by", "function", "callsig.out", "second")
        self.assertEqual(twice, {"leaf": "8", "fact": "10/2", "outer": "2", "inside": "2", "main": "2"})

    def test_filters(self):
        self.assertEqual(set(self.named("--function", "le.f", "--by", "function")), {"leaf"})
        self.assertEqual(set(self.named("--signature", "n >= 5 && mode == SLOW")),
                         {"leaf(n=5, mode=SLOW)", "leaf(n=9, mode=SLOW)"})
        self.assertEqual(self.named("--thread", "worker", "--by", "function"), {"inside": "1", "leaf": "1"})
        self.assertEqual(self.named("--module", "*program", "--by", "function"), FUNCTIONS)
        self.assertEqual(self.named("--module", "none*"), {})

    def test_bad_filters(self):
        self.assert_fails(self.callsig("report", "--function", "("), 2, "--function")
        self.assert_fails(self.callsig("report", "--signature", "n >= "), 2, "--signature")

    def test_relations(self):
        callers = self.report("--callers", "--by", "function", "--strip-dirs", "leaf")
        self.assertIn("was called by...", callers)
        self.assertIn("(outer)", callers)
        callees = self.report("--callees", "--by", "function", "--strip-dirs", "outer")
        self.assertIn("called...", callees)
        self.assertIn("(fact)", callees)

    def test_top(self):
        self.assertEqual(list(self.named("--top", "2")), list(self.named())[:2])
        self.assertIn("due to restriction <1>", self.report("leaf", "--top", "1"))
        self.assert_fails(self.callsig("report", "--top", "0"), 2, "--top", "'0'")

    def test_columns(self):
        heading = "   ncalls  tottime  percall  cumtime  percall    tot%    cum% filename:lineno(function)"
        self.assertIn(heading, self.report("--percent").splitlines())
        self.assertIn("   pcalls      min filename:lineno(function)", self.report("--columns", "pcalls,min").splitlines())
        self.assertIn("   ncalls  tottime  percall  cumtime  percall filename:lineno(function)",
                      self.report("--columns", "+ncalls").splitlines())
        for options in (("--percent", "--columns", "ncalls,cum%"), ("--columns", "ncalls", "--percent")):
            options = [option.replace("cum%", "cumtime%") for option in options]
            line = [line for line in self.report(*options).splitlines() if "filename:" in line][0]
            self.assertEqual(sorted(line.split()), ["cum%", "filename:lineno(function)", "ncalls", "tot%"])
        self.assertIn("percentiles are unknown", self.report("--columns", "+p90"))
        self.assert_fails(self.callsig("report", "--columns", "speed"), 2, "'speed'", "tottime%")

    def test_percentiles(self):
        done = self.callsig("run", "--percentiles", "-o", "times", self.path("program"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = json.loads(self.report("times", "--format", "json", "--by", "function"))["rows"]
        for row in rows:
            self.assertLessEqual(row["min"], row["p50"])
            self.assertLessEqual(row["p50"], row["p90"])
            self.assertLessEqual(row["p90"], row["p99"])
            self.assertLessEqual(row["p99"], row["max"])

    def test_units(self):
        self.assertIn("   Times in microseconds", self.report("--unit", "us").splitlines())
        self.assertRegex(self.report("--unit", "auto"), r"\d\.\d{3}(us|ms) .*main")
        self.assert_fails(self.callsig("report", "--unit", "days"), 2, "'days'")

    def test_averages(self):
        table = self.report("--view", "averages").splitlines()
        self.assertEqual(table[1].split("  ")[0].strip() or table[1].split()[0], "Name")
        for heading in ("Self CPU %", "CPU total %", "CPU time avg", "# of Calls", "Input Shapes", "Source Location"):
            self.assertIn(heading, table[1])
        self.assertNotIn("Input Shapes", self.report("--view", "averages", "--by", "function"))
        stacked = self.report("--view", "averages", "--by", "function", "--stack", "2", "--strip-dirs")
        self.assertRegex(stacked, r" program.c:\d+\(outer\)  \n +program.c:\d+\(main\)")
        self.assert_fails(self.callsig("report", "--view", "averages", "--callers"), 2, "--callers")
        self.assert_fails(self.callsig("report", "--view", "pie"), 2, "'pie'")

    def test_stack(self):
        rows = self.named("--by", "function", "--stack", "1")
        leaves = sum(int(calls) for name, calls in rows.items() if name.startswith("leaf"))
        self.assertEqual(leaves, 4)
        self.assertEqual(len([name for name in rows if name.startswith("leaf")]), 3)
        self.assert_fails(self.callsig("report", "--stack", "100"), 2, "64")

    def test_strip_dirs(self):
        self.assertIn(os.path.join(self.folder, "program.c:"), self.report())
        self.assertNotIn(self.folder, self.report("--strip-dirs"))

    def test_json(self):
        data = json.loads(self.report("--format", "json"))
        # Each fact() has a signature of its own, so that only by function some calls are recursive.
        self.assertEqual((data["schema"], data["total_calls"], data["primitive_calls"]), ("callsig.report/1", 12, 12))
        by_function = json.loads(self.report("--format", "json", "--by", "function"))
        self.assertEqual((by_function["total_calls"], by_function["primitive_calls"]), (12, 8))
        self.assertEqual(sum(row["ncalls"] for row in data["rows"]), 12)
        row = next(row for row in data["rows"] if row["signature"] == "leaf(n=5, mode=SLOW)" or
                   row["signature"] == "n=5, mode=SLOW")
        self.assertEqual(row["function"], "leaf")
        self.assertEqual([(arg["name"], arg["state"]) for arg in row["args"]], [("n", "read"), ("mode", "read")])

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.report("--format", "csv", "--by", "function"))))
        self.assertEqual({row["function"]: int(row["ncalls"]) for row in rows},
                         {"leaf": 4, "fact": 5, "outer": 1, "inside": 1, "main": 1})

    def test_compensate(self):
        self.assertEqual(self.named("--compensate", "--by", "function"), FUNCTIONS)
        self.assertIn("\ncompensated: ", self.report("--compensate"))
        # By a clock without a calibration that is not known, which is not nothing.
        self.record_uncalibrated("cpu.out", self.path("program"))
        said = self.report("--compensate", "cpu.out")
        self.assertIn("\nnot compensated: cpu.out was recorded without a calibration of its hooks", said)
        self.assertNotIn("\ncompensated: ", said)
        both = self.report("--compensate", "cpu.out", "callsig.out")
        self.assertIn("\nnot compensated: cpu.out was", both)
        self.assertIn("\ncompensated: ", both)
        self.assertNotIn("compensated", self.report("cpu.out"))

    def record_uncalibrated(self, name, program):
        """A recording by CPU time as earlier versions made it, which did not know what the hooks took."""
        done = self.callsig("run", "--clock", "cpu", "-o", name, program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path(name), "rb") as file:
            data = harness.unsealed(file.read())
        with open(self.path(name), "wb") as file:
            file.write(data[:HOOK_INNER] + bytes(16) + data[HOOK_INNER + 16:])

    LOOP = ("static int __attribute__((noinline)) leaf(int n) { return n; }\n"
            "int main(void) { int s = 0; for (int i = 0; i < 20000; i++) s += leaf(1); return s == 0; }")

    def test_hooks_by_cpu_time_are_calibrated(self):
        """Asking the kernel is nearly all of the times of short calls, in their own and in their caller's: --compensate leaves a small part.
        Of the calls themselves, that is: what else a busy machine does meanwhile is added to some run, and to none taken off."""
        program = self.compile("loop", self.LOOP)
        left = [self.calibrated_times(program) for _ in range(5)]
        times = min(left, key=lambda times: sum(times["--compensate"].values()) / sum(times["--raw"].values()))
        for function in "leaf", "main":
            self.assertLess(times["--compensate"][function], times["--raw"][function] / 2, left)
        self.assertLess(sum(times["--compensate"].values()), sum(times["--raw"].values()) / 3, left)

    def calibrated_times(self, program):
        """Of one run by CPU time: own times by function, as the clock read and less what the hooks took."""
        self.assertEqual(self.callsig("run", "--clock", "cpu", "-o", "loop.cpu", program).returncode, 0)
        self.assertRegex(self.report("loop.cpu"), r"\nevery call was timed: times hold what the hooks took, [0-9.]+ seconds as they were calibrated; "
                         r"--compensate takes it off: the default clock takes a small part of it, and --times auto asks for fewer calls\n")
        times = {}
        for option in ("--raw", "--compensate"):
            rows = json.loads(self.report("loop.cpu", option, "--format", "json", "--by", "function"))["rows"]
            times[option] = {row["function"]: row["tottime"] for row in rows}
        return times

    def test_hooks_in_cpu_time(self):
        """That they are in the times is said where there are calls enough, as of other recordings whose calls were all timed."""
        program = self.compile("loop", self.LOOP)
        self.record_uncalibrated("loop.cpu", program)
        self.assertEqual(self.callsig("run", "--times", "exact", "-o", "loop.wall", program).returncode, 0)
        words = "\ntimes by --clock cpu hold what the hooks took, and it is not known how much: "
        said = self.report("loop.cpu")
        self.assertIn(words, said)
        self.assertRegex(said, "; for each of 20001 calls the kernel was asked twice, which took [0-9.]+ of [0-9.]+ seconds or so: ")
        self.assertIn(words, self.report("loop.cpu", "loop.wall"))
        self.assertNotIn(words, self.report("loop.wall"))
        self.assertNotIn(words, self.report("loop.cpu", "--raw"))

    def test_nothing_was_recorded(self):
        """A report says why, as the run did that made the recording; and nothing of it where there are calls."""
        program = self.compile("few", "int __attribute__((noinline)) leaf(int n) { return n; } int main(void) { return leaf(0); }")
        done = self.callsig("run", "--include", "zzz*", "-o", "nothing.out", program)
        words = "nothing was recorded: no instrumented function ran, or all of them were filtered out"
        self.assertEqual((done.returncode, done.stderr), (0, f"callsig: {words}\n"))
        self.assertIn(f"\n{words}\n", self.report("nothing.out"))
        self.assertIn(f'"{words}"', self.callsig("report", "nothing.out", "--format", "json").stdout)
        self.assertNotIn(words, self.report("callsig.out"))

    @harness.with_own_allocator
    def test_memory_ends(self):
        """One line, whatever it is that has no memory: selecting, restricting, counting, printing."""
        for form in (["-s", "name"], ["--callers"], ["--view", "averages"], ["--format", "json"], ["--format", "csv"]):
            arguments = ("report", "callsig.out", "leaf|fact", "0.9", "--function", "a", "--signature", "n >= 1", "--thread", "*", *form)
            whole = self.callsig(*arguments)
            # A busy machine may have given the recording notes, which are no part of what is looked at.
            notes = whole.stderr.splitlines()
            for done in self.failed_allocations(*arguments, samples=40):
                if done.returncode == 0:
                    self.assertEqual(done.stdout, whole.stdout)
                else:
                    self.assertEqual(done.returncode, 1)
                    lines = [line for line in done.stderr.splitlines() if line not in notes]
                    self.assertEqual(len(lines), 1, done.stderr)
                    self.assertRegex(lines[0], "^callsig: .+$")

    def test_bad_recordings(self):
        self.write("text", "not a recording\n")
        self.write("empty", "")
        with open(self.path("callsig.out"), "rb") as file:
            data = file.read()
        for name in ("text", "empty"):
            self.assert_fails(self.callsig("report", name), 1, name)
        for size in (7, 100, 4096, len(data) // 2):
            with open(self.path("cut"), "wb") as file:
                file.write(data[:size])
            done = self.callsig("report", "cut")
            if size <= 100:
                self.assert_fails(done, 1, "cut: not a callsig recording")
                continue
            # What is left of it is shown, below a line that says that it is not all.
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
            self.assertIn(f"cut: cut off at byte {size} of {len(data)}: ", done.stderr)
            self.assertIn("function calls in", done.stdout)

    def test_nothing_to_report(self):
        os.unlink(self.path("callsig.out"))
        self.assert_fails(self.callsig("report"), 1, "callsig.out", "callsig run")
        self.assert_fails(self.callsig("report", "missing"), 1, "missing is not a file", "callsig.out")

    def test_no_such_recording(self):
        """What is named as recordings are is no pattern, be there another recording or not."""
        for name in ("missing.cs", "no/callsig.out", "callsig.out.rank1", "callsig.out.4711", "other.callsig", "run.cs.12", "callsig.out.*"):
            self.assert_fails(self.callsig("report", name), 1, f"report: {name}: no such file")
            self.assert_fails(self.callsig("report", "callsig.out", name), 1, f"report: {name}: no such file")
            self.assert_fails(self.callsig("scaling", name), 1, f"scaling: {name}: no such file")
            self.assert_fails(self.callsig("score", name), 1, f"score: {name}: no such file")
        os.mkdir(self.path("leaf"))
        for command in "report", "score":
            self.assert_fails(self.callsig(command, "./leaf"), 1, f"{command}: ./leaf: is a folder")
        self.assertEqual(set(self.named("--by", "function", "leaf")), {"leaf"})

    def test_restriction_that_a_file_is_called_like(self):
        """It is taken for a recording; the line says how it is written instead, which does the same."""
        for options in (), ("--callers",), ("--callees",):
            wanted = self.report(*options, "leaf").replace("'leaf'", "'(leaf)'")
            self.write("leaf", "no recording")
            done = self.callsig("report", *options, "leaf")
            self.assert_fails(done, 1, "report: leaf: not a callsig recording", "write '(leaf)'")
            self.assertEqual(self.report(*options, "(leaf)"), wanted)
            os.unlink(self.path("leaf"))
        self.write("leaf", "no recording")
        for command in "score", "scaling":
            self.assert_fails(self.callsig(command, "leaf"), 1, f"{command}: leaf: not a callsig recording", "write '(leaf)'")

    def test_what_is_said_wrongly(self):
        self.assert_fails(self.callsig("report", "1.5"), 2, "1.5", "[0, 1]")
        for option in "--callers", "--callees":
            self.assert_fails(self.callsig("report", option, "--by", "thread"), 2, "add --by function")

    def test_full_output(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([harness.CALLSIG, "report"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    harness.main()
