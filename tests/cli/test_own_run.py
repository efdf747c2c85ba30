# ctest: case - quick OwnRun
# ctest: case _times full Times
"""`callsig run` samples the program that it profiles: its times are the program's own, whatever hooks take around them."""

import json
import os
import re
import resource
import struct
import subprocess
import unittest

import harness
from served import BUILT, Unix
from test_beside import DENY

# Functions without calls measure themselves, and are right with hooks, too: what they took is printed.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#define NO_HOOK __attribute__((no_instrument_function))
static volatile unsigned sink;
static char memory[1 << 20];
NO_HOOK static double used(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}
__attribute__((noinline)) void tiny(unsigned n) { sink += n; }
__attribute__((noinline)) void calls(unsigned n) { for (unsigned i = 0; i < n; i++) tiny(i & 1); }
__attribute__((noinline)) void computes(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void fills(unsigned n) { for (unsigned i = 0; i < n; i++) memset(memory, (int)i, sizeof memory); }
__attribute__((noinline)) void sleeps(unsigned n) { usleep(n); }
/* PERCENT [exec]: so much of all that it does. */
int main(int argc, char **argv)
{
  const unsigned percent = (unsigned)atoi(argv[1]);
  double before = used(), took[2];
  if (argc > 2) {
    computes(1000000 * percent);
    argv[2] = NULL;
    execv(argv[0], argv);
  }
  computes(2000000 * percent);
  took[0] = used() - before;
  before = used();
  fills(50 * percent);
  took[1] = used() - before;
  calls(200000 * percent);
  sleeps(300000);
  printf("%f %f\n", took[0], took[1]);
  return 0;
}
"""

# Without an argument it is switched off and on; with one, off, after a part of the work. It prints the milliseconds that it
# computed in that part: the same loop may take twice as long as another time, by what the machine does otherwise.
SWITCHES = r"""
#include <stdio.h>
#include <time.h>
extern int callsig_disable(void) __attribute__((weak)), callsig_enable(void) __attribute__((weak));
static volatile long sum;
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) void other(long n) { for (long i = 0; i < n; i++) sum -= i; }
__attribute__((noinline)) void tiny(void) { __asm__ volatile(""); }
__attribute__((no_instrument_function)) static double ran(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}
int main(int argc, char **argv)
{
  for (int i = 0; i < 8000000; i++) tiny(); /* so that some samples are in hooks */
  const double before = ran();
  work(30000000);
  const double between = ran();
  other(30000000);
  printf("%f %f\n", between - before, ran() - between);
  callsig_disable();
  if (argc == 1) callsig_enable();
  work(120000000);
  return argv[0] == 0;
}
"""

# Both functions compute for long, one of them in an action.
ACTION = """
#include "callsig/callsig.h"
static volatile long sum;
__attribute__((noinline)) void marked(long n) { callsig_action_begin("load"); for (long i = 0; i < n; i++) sum += i; callsig_action_end("load"); }
__attribute__((noinline)) void plain(long n) { for (long i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) void tiny(long n) { sum += n; }
int main(void)
{
  for (int i = 0; i < 20; i++) marked(4000000);
  for (int i = 0; i < 20; i++) plain(4000000);
  for (long i = 0; i < 1500000; i++) tiny(i); /* for some tens of samples in hooks */
  return 0;
}
"""

# step() is inlined in the loop of inside(), and called from others' loop.
INLINED = r"""
static volatile unsigned long sink;
static inline __attribute__((always_inline, no_instrument_function)) void work(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
void step(unsigned n) { work(n); }
__attribute__((noinline)) void inside(unsigned n) { for (unsigned i = 0; i < n; i++) step(4000); }
int main(int argc, char **argv)
{
  void (*volatile called)(unsigned) = step;
  for (unsigned i = 0; i < 20000; i++) called(4000);
  inside(80000);
  return argv[argc] != 0;
}
"""

# A library that is not instrumented calls back from below a frame that is as large as given, and another one, as large, whose
# address another register has. Its callers are; before it is called, others have left their return addresses where its frames are.
LIBRARY = """
#include <alloca.h>
void below(unsigned size, void (*call)(void)) { volatile char *room = alloca(size); room[0] = 0; call(); room[0]++; }
void aligned(unsigned size, void (*call)(void)) { _Alignas(64) volatile char some[64] = {0}; below(size, call); some[1]++; }
"""
CALLER = """
#include <string.h>
void aligned(unsigned size, void (*call)(void)), below(unsigned size, void (*call)(void));
__attribute__((noinline)) void other(unsigned n) { volatile char some[64]; if (n > 0) other(n - 1); some[0] = (char)n; }
#define HAS(name, function, size) void name(void (*call)(void)) { other(90); function(size, call); __asm__ volatile(""); }
HAS(small, below, 100) HAS(large, below, 5000) HAS(both, aligned, 3000) HAS(too_large, below, 20000)
/* Neither has a hook: assembly without call frame information, and what the compiler left out. */
__asm__(".text\\n.type through, @function\\nthrough: push %rbx\\ncall *%rsi\\npop %rbx\\nret");
void through(unsigned size, void (*call)(void));
__attribute__((noinline, no_instrument_function)) void left_out(unsigned size, void (*call)(void)) { volatile char some[64] = {0}; through(size, call); some[1]++; }
HAS(assembly, through, 0) HAS(leaves_out, left_out, 0)
"""

# So many thousand turns of a loop in a library that is not instrumented, which work() calls, and in own().
TURNING = """
double turn(int n) { double s = 0; for (int i = 0; i < n * 1000; i++) s += 1.0 / (i + 1); return s; }
"""
DIVIDED = """
#include <stdio.h>
#include <stdlib.h>
double turn(int n);
__attribute__((noinline)) double own(int n) { double s = 0; for (int i = 0; i < n * 1000; i++) s += 1.0 / (i + 1); return s; }
__attribute__((noinline)) double work(int n) { return turn(n) + 1; }
int main(int argc, char **argv) {
  double s = 0;
  for (int i = 0; i < 100; i++) s += work(atoi(argv[1])) + own(atoi(argv[2]));
  return s < argc; }
"""

# Calls of some nanoseconds, as many as the argument says.
TINY = r"""
#include <stdlib.h>
static volatile unsigned sink;
__attribute__((noinline)) void tiny(unsigned n) { sink += n; }
__attribute__((noinline)) unsigned leaf(unsigned n) { __asm__ volatile(""); return n * 3 + 1; }
__attribute__((noinline)) void calls_tiny(unsigned n) { for (unsigned i = 0; i < n; i++) tiny(i & 1); }
__attribute__((noinline)) void calls_leaf(unsigned n) { unsigned sum = 0; for (unsigned i = 0; i < n; i++) sum += leaf(i & 3); sink = sum; }
int main(int argc, char **argv)
{
  for (int i = 0; i < 20; i++) {
    calls_tiny((unsigned)atoi(argv[1]));
    calls_leaf((unsigned)atoi(argv[1]));
  }
  return argc - 2;
}
"""


# The function and its caller compute by turns. It prints for how many milliseconds each has had a processor.
TURNS = r"""
#include <stdio.h>
#include <time.h>
static volatile long sink;
__attribute__((no_instrument_function)) static double ran(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}
static double main_ran, middle_ran, callee_ran;
__attribute__((noinline)) void callee(long n)
{
  const double begin = ran();
  for (long i = 0; i < n; i++) sink += i;
  callee_ran += ran() - begin;
}
__attribute__((noinline)) void middle(long n)
{
  double begin = ran();
  for (long i = 0; i < n; i++) sink -= i;
  middle_ran += ran() - begin;
  callee(n);
  begin = ran();
  for (long i = 0; i < n; i++) sink += 2 * i;
  middle_ran += ran() - begin;
}
int main(void)
{
  for (int k = 0; k < 40; k++) {
    const double begin = ran();
    for (long i = 0; i < 5000000; i++) sink -= i;
    main_ran += ran() - begin;
    middle(5000000);
  }
  printf("%f %f %f\n", main_ran, middle_ran, callee_ran);
  return 0;
}
"""

# Computes, and then waits for the end of its input. It prints for how many seconds it has had a processor.
COMPUTES = r"""
#include <stdio.h>
#include <time.h>
static volatile long sink;
__attribute__((noinline)) void computes(long n) { for (long i = 0; i < n; i++) sink += i; }
int main(void)
{
  struct timespec used;
  computes(100000000);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  printf("%f\n", used.tv_sec + used.tv_nsec * 1e-9);
  fflush(stdout);
  return getchar() != EOF;
}
"""


class OwnRun(harness.Case):
    def rows(self, *options):
        done = self.callsig("report", "--by", "function", "--format", "json", *options, "callsig.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        return {row["function"]: row["tottime"] for row in report["rows"]}, report["notes"]

    def assert_sampled(self, notes, is_sampled):
        self.assertEqual(any("were in hooks" in note for note in notes), is_sampled, notes)

    def run_sampled(self, percent):
        """A run that was sampled: the processor time that it tells, the rows as reported, and as they were read."""
        program = self.compile("program", PROGRAM, "-O1")
        done = self.callsig("run", program, percent)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, notes = self.rows()
        if not any("were in hooks" in note for note in notes):
            # Said by the sampler of --beside, which may be denied the kernel's timer alone.
            self.skipTest("perf_event_open is not allowed here")
        self.assertFalse(any("estimated without samples" in note for note in notes), notes)
        # What is waited is not what hooks took, though no sample tells of it.
        self.assertGreater(rows["sleeps"], 0.29)
        return map(float, done.stdout.split()), rows, self.rows("--raw")[0]

    def hidden(self, program, *options):
        """hook_inner, hook_hidden and hook_floor of a run."""
        self.assertEqual(self.callsig("run", "-o", "out", *options, program).returncode, 0)
        with open(self.path("out"), "rb") as file:
            header = file.read(504)
        return struct.unpack_from("<Q", header, 112) + struct.unpack_from("<II", header, 496)

    def test_what_work_hides_of_hooks(self):
        """It is measured of the hooks of sleds, where calls are drawn; on a busy machine a run may not find it."""
        program = self.compile("program", harness.CALLS)
        self.assertEqual(self.hidden(program)[1:], (0, 0))
        source = self.write("calls.c", harness.CALLS)
        done = self.run_command(harness.CALLSIG_CC, "-O1", "-g", source, "-o", self.path("sleds"))
        self.assertEqual(done.returncode, 0, done.stderr)
        flags = self.callsig("flags").stdout
        if "fplugin" not in flags and "xray" not in flags:
            self.skipTest("no compiler here makes sleds")
        self.assertEqual(self.hidden("./sleds", "--times", "exact")[1:], (0, 0))
        runs = [self.hidden("./sleds") for _ in range(10)]
        self.assertTrue(any(0 < hidden <= inner and floor > 0 for inner, hidden, floor in runs), runs)

    def test_hooks_are_taken_out(self):
        _, rows, read = self.run_sampled("20")
        self.assertLess(rows["tiny"] + rows["calls"], read["tiny"] + read["calls"])

    def test_slowdown(self):
        """How much slower it ran is told by its samples, of which hooks have more than their calibration says."""
        self.run_sampled("20")
        report = json.loads(self.callsig("report", "--format", "json", "callsig.out").stdout)
        words = next(note for note in report["notes"] if "were in hooks" in note).split()
        every, hooks = int(words[words.index("of") + 1]), int(words[words.index("were") - 1])
        factor = every / (every - hooks)
        self.assertEqual(report["slowdown_by"], "samples")
        self.assertAlmostEqual(report["slowdown"], factor, 6)
        self.assertTrue(1 < report["slowdown_counting"] <= factor, report)
        score = json.loads(self.callsig("score", "--format", "json", "callsig.out").stdout)
        self.assertEqual(score["factor_by"], "samples")
        self.assertAlmostEqual(score["factor"], factor, 6)
        self.assertTrue(score["factor_low"] < factor < score["factor_high"], score)
        self.assertTrue(any(f"by samples: {hooks} of {every} of the run" in remark for remark in score["remarks"]), score["remarks"])

    @unittest.skipUnless(BUILT, "built without libmicrohttpd")
    def test_server(self):
        """What the server beside the program computes is none of the program's time."""
        program = self.compile("program", COMPUTES, "-O1")
        run = subprocess.Popen([harness.CALLSIG, "run", "--serve", "unix:socket", program], cwd=self.folder, env=self.environment,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (run.kill(), run.wait(), run.stdin.close(), run.stdout.close()))
        took = float(run.stdout.readline())
        with open(f"/proc/{run.pid}/task/{run.pid}/children") as file:
            server = next(child for child in file.read().split() if "serve" in self.stat(child)[1])
        client = Unix(self.path("socket"))
        while sum(map(int, self.stat(server)[13:15])) < 2 * took * os.sysconf("SC_CLK_TCK"):
            client.request("GET", "/")
            client.getresponse().read()
        client.close()
        run.stdin.close()
        self.assertEqual(run.wait(timeout=120), 0)
        rows, notes = self.rows()
        self.assert_sampled(notes, True)
        self.assertTrue(0.7 < rows["computes"] / took < 1.4, (rows, took))

    @staticmethod
    def stat(process):
        with open(f"/proc/{process}/stat") as file:
            head, name, rest = re.match(r"(\d+) \((.*)\) (.*)", file.read(), re.S).groups()
        return [head, name, *rest.split()]

    def test_switched(self):
        """Samples are of a run that recorded all the time, and not of one that was switched on meanwhile, by whomever."""
        program = self.compile("program", PROGRAM, "-O1")
        itself = self.compile("itself", SWITCHES, "-O1")
        for is_sampled, *command in ((True, "--for", "999s", program, "5"), (False, itself)):
            done = self.callsig("run", *command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_sampled(self.rows()[1], is_sampled)

    def test_switched_off(self):
        """What a function does when nothing is recorded any more is in no sample: of five parts of the work one is recorded."""
        itself = self.compile("itself", SWITCHES, "-O1")
        done = self.callsig("run", itself, "off")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, notes = self.rows()
        self.assert_sampled(notes, True)
        for name, ran in zip(("work", "other"), map(float, done.stdout.split())):
            self.assertTrue(0.7 < rows[name] * 1e3 / ran < 1.4, (rows, done.stdout))

    def test_action(self):
        """Samples in an action are of the code of the function that it is in, and what they tell is the action's."""
        program = self.compile("program", ACTION, "-O1", f"-I{harness.INCLUDE}", libs=[f"{harness.RUNTIME}/libcallsig.so", f"-Wl,-rpath,{harness.RUNTIME}"])
        done = self.callsig("run", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, notes = self.rows()
        self.assert_sampled(notes, True)
        read = self.rows("--raw")[0]  # which so few hooks in these change by little
        for name in ("{load}", "plain"):
            self.assertTrue(0.6 < rows[name] / read[name] < 1.5, (rows, read))

    def test_inlined(self):
        """Where a call was inlined that has no hook, what it took is its caller's; where it has one, it has a row for it."""
        for compiler, calls, least, most in ((harness.CALLSIG_CC, 20000, 0.08, 0.45), ("cc", 100000, 0.9, 1)):
            program = self.compile("inlined", INLINED, "-O2", "-g", compiler=compiler, instrument=compiler == "cc")
            done = self.callsig("run", program)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(self.callsig("report", "--by", "function", "--format", "json", "callsig.out").stdout)
            self.assert_sampled(report["notes"], True)
            rows = {row["function"]: row for row in report["rows"]}
            self.assertEqual(rows["step"]["ncalls"], calls)
            whole = rows["step"]["tottime"] + rows["inside"]["tottime"]
            # One loop runs up to twice as fast as another that is the same, by where it lies.
            self.assertTrue(least * whole <= rows["step"]["tottime"] <= most * whole, rows)

    def test_who_called_a_library(self):
        """What a library takes is its caller's, wherever on the stack the call of it lies."""
        tell = os.path.join(harness.BUILD, "tests", "tell_caller")
        if not os.path.exists(tell):
            self.skipTest("stacks are walked on x86-64 alone")
        for flags in ["-O2", "-fcf-protection"], ["-O0"], ["-O2", "-fno-omit-frame-pointer"]:
            self.compile("libbelow.so", LIBRARY, *flags, "-shared", "-fPIC", instrument=False)
            caller = self.compile("libcaller.so", CALLER, "-shared", "-fPIC",
                                  libs=("-L" + self.folder, "-lbelow", "-Wl,-rpath," + self.folder))
            for function in "small", "large", "both":
                done = self.run_command(tell, caller, function)
                self.assertEqual((done.returncode, done.stdout), (0, function + "\n"), done.stderr)
            # A frame that a sample has not all of ends the walk: nobody is named, or by chance another.
            done = self.run_command(tell, caller, "too_large")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(done.stdout, "too_large\n")

    def test_who_called_code_without_hooks(self):
        """What a function of the program itself takes that has no hook is its caller's, too."""
        tell = os.path.join(harness.BUILD, "tests", "tell_caller")
        if not os.path.exists(tell):
            self.skipTest("stacks are walked on x86-64 alone")
        self.compile("libbelow.so", LIBRARY, "-O2", "-shared", "-fPIC", instrument=False)
        libs = ("-L" + self.folder, "-lbelow", "-Wl,-rpath," + self.folder)
        for compiler, options in (harness.CALLSIG_CC, []), ("cc", []), (harness.CALLSIG_CC, ["-fno-asynchronous-unwind-tables"]):
            caller = self.compile("libcaller.so", CALLER, "-O2", "-g", "-shared", "-fPIC", *options, compiler=compiler,
                                  instrument=compiler == "cc", libs=libs)
            for function in "assembly", "leaves_out":
                done = self.run_command(tell, caller, function)
                self.assertEqual((done.returncode, done.stdout), (0, function + "\n"), (compiler, options, done.stderr))

    def test_what_a_library_took(self):
        """A note says which part of the time was in code without hooks, and whose; not where it is little."""
        self.compile("libturn.so", TURNING, "-O2", "-shared", "-fPIC", instrument=False)
        program = self.compile("divided", DIVIDED, "-O2", libs=("-L" + self.folder, "-lturn", "-Wl,-rpath," + self.folder))
        note = re.compile(r"([\d.]+) % of what functions computed is in code without hooks that they called: libturn\.so ([\d.]+) %; "
                          r"callsig run --library-calls shows such calls")
        for turns, least, most in ((("900", "300"), 60, 90), (("50", "1000"), None, None)):
            done = self.callsig("run", "-o", "out", program, *turns)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_sampled(self.callsig("report", "out").stdout.splitlines(), True)
            self.callsig("merge", "-o", "merged", "out")
            for file in "out", "merged":
                told = note.search(self.callsig("report", file).stdout)
                self.assertEqual(told is not None, least is not None, file)
                if told:
                    self.assertTrue(least < float(told[2]) <= float(told[1]) < most, told[0])
            self.assertIsNone(note.search(self.callsig("report", "out", "--function", "own").stdout))

    def run_tiny(self):
        """The report on calls of a nanosecond."""
        source, sleds = self.write("sleds.c", TINY), self.path("sleds")
        done = self.run_command(harness.CALLSIG + "-cc", "-O2", "-g", source, "-o", sleds)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("run", sleds, "2000000")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(self.callsig("report", "--by", "function", "--format", "json", "callsig.out").stdout)
        if not any("were in hooks" in note for note in report["notes"]):
            self.skipTest("perf_event_open is not allowed here")
        return report

    def test_programs_without_the_runtime(self):
        """What a run's processes execute without callsig's environment is in no recording, which is said."""
        self.run_sampled("20")
        calls = self.compile("calls", harness.CALLS)
        plain = self.compile("plain", harness.CALLS, instrument=False)
        one, three = (f"{what} not recorded: started without the variables of callsig's environment, as by env -i or sudo" for what in
                      (f"1 process ran {calls} and is", f"3 processes ran instrumented programs, as {calls}, and are"))
        for script, said in ((f"env -i {calls}; {calls}", one), (f"LD_PRELOAD= {calls}; env -i {calls}; env -i {calls}; env -i {plain}", three),
                             (f"env -i {plain}; CALLSIG_DISABLED=1 {calls}; {calls}", None), (f"{calls}; {calls} & wait", None)):
            done = self.callsig("run", "-o", "x.out", "sh", "-c", script + "; true")
            self.assertEqual(done.returncode, 0, done.stderr)
            if said is None:
                self.assertNotIn("not recorded", done.stderr, script)
            else:
                self.assertEqual(done.stderr.count(said), 1, (script, done.stderr))

    def test_tiny(self):
        """Most of what calls of a nanosecond take is hidden behind their hooks: each row says how far it may be off."""
        report = self.run_tiny()
        self.assertGreater(report["total_uncertainty"], 0)
        rows = [row for row in report["rows"] if row["ncalls"] > 1000000]
        self.assertTrue(rows)
        for row in rows:
            self.assertGreater(row["tottime_error"], row["ncalls"] * 1e-9, row)

    def test_denied(self):
        program = self.compile("program", PROGRAM, "-O1")
        deny = self.compile("deny", DENY, instrument=False)
        done = self.run_command(deny, "perf", harness.CALLSIG, "run", program, "20")
        self.assertEqual(done.returncode, 0, done.stderr)
        _, notes = self.rows()
        self.assert_sampled(notes, False)
        report = json.loads(self.callsig("report", "--format", "json", "callsig.out").stdout)
        self.assertEqual(report["slowdown_by"], None if report["slowdown"] is None else "calibration")
        self.assertTrue(any("estimated without samples of the run" in note for note in notes), notes)

    def test_another_program(self):
        """What runs after exec() is not what the recording is of."""
        program = self.compile("program", PROGRAM, "-O1")
        done = self.callsig("run", program, "20", "exec")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in os.listdir(self.folder):
            if name.startswith("callsig.out"):
                notes = json.loads(self.callsig("report", "--format", "json", name).stdout)["notes"]
                self.assert_sampled(notes, False)


class Times(OwnRun):
    """How near the times are: for a machine that does nothing else."""

    def test_times(self):
        (computes, fills), rows, read = self.run_sampled("100")
        self.assertAlmostEqual(rows["computes"], computes, delta=0.1 * computes + 0.01)
        # memset() is libc's, and has no rows.
        self.assertAlmostEqual(rows["fills"], fills, delta=0.1 * fills + 0.01)
        self.assertLess(rows["tiny"] + rows["calls"], 0.7 * (read["tiny"] + read["calls"]))

    def plain_seconds(self, program, *arguments):
        """User CPU time of a program by itself."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.assertEqual(self.run_command(program, *arguments).returncode, 0)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_turns_on_a_busy_machine(self):
        """What the clock gives a call and its callers is what each computed, whatever others take of the processors."""
        program = self.compile("turns", TURNS, "-O1")
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * len(os.sched_getaffinity(0)))]
        found = []
        try:
            for _ in range(5):
                done = self.callsig("run", program)
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = self.rows("--raw")[0]
                found.append([rows[name] * 1e3 / float(ran) for name, ran in zip(("main", "middle", "callee"), done.stdout.split())])
        finally:
            for one in busy:
                one.kill()
                one.wait()
        # The first call may still have a wait of its caller, or its caller one of the call.
        for of_one in zip(*found):
            self.assertTrue(0.85 < sorted(of_one)[2] < 1.15, found)

    def test_tiny_times(self):
        """The sum holds what calls of a nanosecond take, within an error that says something."""
        report = self.run_tiny()
        took = self.plain_seconds(self.compile("plain", TINY, "-O2", instrument=False), "2000000")
        # Another run of the plain program may be a fifth off, too.
        self.assertLessEqual(abs(report["total_time"] - took), report["total_uncertainty"] + 0.2 * took, report)
        self.assertLess(report["total_uncertainty"], 1.2 * took)


if __name__ == "__main__":
    harness.main()
