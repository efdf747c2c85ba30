"""What functions return is part of their rows by rule, as the program itself has written down what each of its calls returned."""

import collections
import json
import os
import re

import harness

# Each function writes what it was called with and what it returns into a log, when it returns: independent of callsig.
PROGRAM = r"""
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum color { RED = 2, GREEN = 5 };
#define N __attribute__((noinline, noipa))
static FILE *out;
__attribute__((no_instrument_function)) N static void told(const char *format, ...);
#include <stdarg.h>
static void told(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vfprintf(out, format, list);
  va_end(list);
}
#define RETURN(format, type, value, ...) \
  do { type result = (value); told(format "\n", __VA_ARGS__, result); return result; } while (0)

N int sign(int n) { RETURN("sign(n=%d) = %d", int, n > 2 ? -n : n, n); }
N signed char tiny(int n) { RETURN("tiny(n=%d) = %d", signed char, (signed char)(n * 100), n); }
N unsigned short half(int n) { RETURN("half(n=%d) = %d", unsigned short, (unsigned short)-n, n); }
N unsigned long huge(int n) { RETURN("huge(n=%d) = %lu", unsigned long, -1ul - (unsigned)n, n); }
N bool even(int n) { bool e = n % 2 == 0; told("even(n=%d) = %s\n", n, e ? "true" : "false"); return e; }
N enum color paint(int n) { enum color c = n ? RED : GREEN; told("paint(n=%d) = %s\n", n, n ? "RED" : "GREEN"); return c; }
N char *find(char *s, int c) { char *at = strchr(s, c); told("find(s:char*, c=%d) = %s\n", c, at ? "char*" : "NULL"); return at; }
N double ratio(int a, int b) { RETURN("ratio(a=%d, b=%d) = %.1f", double, (double)a / b, a, b); }
N float ratiof(int a, int b) { RETURN("ratiof(a=%d, b=%d) = %.1f", float, (float)a / b, a, b); }
N double typed(int a) { double d = a; told("typed(a=%d) = double\n", a); return d; }
N int below(int n) { told("below(n=%d) = %s\n", n, n < 0 ? "<0" : n < 1 ? "0" : ">=1"); return n; }
N long power(long n) { told("power(n=%ld) = 2^4..2^5\n", n); return n; }
N int fact(int n) { RETURN("fact(n=%d) = %d", int, n < 2 ? 1 : n * fact(n - 1), n); }
N int ping(int n);
N int pong(int n) { RETURN("pong(n=%d) = %d", int, n == 0 ? 0 : ping(n - 1) + 1, n); }
N int ping(int n) { RETURN("ping(n=%d) = %d", int, n == 0 ? 1 : pong(n - 1) + 1, n); }
N int none(void) { told("none() = 7\n"); return 7; }
N int many(const char *format, ...) { told("many(format:char*, ...) = 3\n"); return 3 + (*format == 'x'); }
static jmp_buf env;
N int inner(int n)
{
  if (n == 1) {
    told("inner(n=1) = ?\n");
    longjmp(env, 7);
  }
  RETURN("inner(n=%d) = %d", int, n + 1, n);
}
N int jumps(int n)
{
  int got = setjmp(env);
  int result = got ? got : inner(n);
  told("jumps(n=%d) = %d\n", n, result);
  return result;
}
N int waits(int n)
{
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  int status;
  waitpid(child, &status, 0);
  RETURN("waits(n=%d) = %d", int, status + n, n);
}
static void *thread(void *data)
{
  for (int i = 0; i < 10; i++)
    sign(i % 5);
  return data;
}
int main(int argc, char **argv)
{
  out = fopen(argv[argc - 1], "w");
  for (int i = 0; i < 5; i++) {
    sign(i), tiny(i), half(i), huge(i), even(i), paint(i % 2), ratio(i, 2), ratiof(i, 2), typed(i), below(i - 2), power(16 + i);
    find((char *)"hello", i % 2 ? 'l' : 'z');
  }
  fact(6), ping(7), none(), many("y", 1), jumps(0), jumps(1), jumps(1), waits(3);
  for (int i = 0; i < 3; i++) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
  }
  return fclose(out);
}
"""

NAMES = ["sign", "tiny", "half", "huge", "even", "paint", "find", "typed", "fact", "ping", "pong", "none", "many", "inner", "jumps",
         "waits"]
RULES = "".join(f"function {name}: return\n" for name in NAMES) + """
function ratio: return value
function ratiof: return value
function below: return bucket 0,1
function power: return bucket log2
"""


def sleds(test, name, source, *flags):
    """The program with sleds; the test is skipped where there is no plug-in."""
    file = test.write(name + ".c", source)
    done = test.run_command(harness.CALLSIG_CC, "-g", *flags, file, "-o", test.path(name), "-lpthread")
    test.assertEqual(done.returncode, 0, done.stderr)
    if "callsig_sleds" not in test.run_command("readelf", "-SW", test.path(name)).stdout:
        test.skipTest("callsig-cc has no plug-in for this compiler, and made no sleds")
    return test.path(name)


def rows_of(report):
    return collections.Counter({row["signature"]: row["ncalls"] for row in report["rows"]})


class Returned(harness.Case):
    maxDiff = None

    def report(self, *arguments):
        done = self.callsig("report", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def profile(self, program, rules, *options):
        """Runs it with the rules. Returns the recording, and what the program wrote down."""
        recording, log = self.path("recording"), self.path("log")
        done = self.callsig("run", "--rules", self.write("rules", rules), *options, "-o", recording, program, log)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(log) as file:
            return recording, collections.Counter(line.strip() for line in file)

    def compare(self, *flags, options=()):
        program = sleds(self, "program", PROGRAM, *flags)
        recording, told = self.profile(program, RULES, *options)
        report = self.report(recording)
        rows = rows_of(report)
        for name in ("main", "thread"):
            for row in [row for row in rows if row.startswith(name + "(")]:
                del rows[row]
        self.assertEqual(dict(rows), dict(told))
        return recording, report

    def test_optimised(self):
        recording, report = self.compare("-O2", "-fno-optimize-sibling-calls")
        self.assertEqual(report["total_calls"], sum(row["ncalls"] for row in report["rows"]))

    def test_not_optimised(self):
        self.compare("-O0")

    def test_every_call_timed(self):
        self.compare("-O1", "-fno-optimize-sibling-calls", options=["--times", "exact"])

    def test_sums_do_not_change(self):
        """By function, calls and primitive calls are those of a run without rules, and times are shared out."""
        recording, report = self.compare("-O0")
        plain = self.path("plain")
        self.assertEqual(self.callsig("run", "-o", plain, self.path("program"), self.path("log")).returncode, 0)
        counts = []
        for file in (recording, plain):
            by_function = self.report(file, "--by", "function")
            counts.append({row["function"]: (row["ncalls"], row["pcalls"]) for row in by_function["rows"]})
        self.assertEqual(*counts)
        by_function = self.report(recording, "--by", "function")
        own, by_row = collections.Counter(), collections.Counter()
        for row in by_function["rows"]:
            own[row["function"]] += row["tottime"]
        for row in report["rows"]:
            by_row[row["function"]] += row["tottime"]
            self.assertGreaterEqual(row["tottime"], 0, row)
            self.assertLessEqual(row["tottime"], row["cumtime"] + 1e-9 if row["ncalls"] == row["pcalls"] else 1, row)
        for name, time in own.items():
            self.assertAlmostEqual(by_row[name], time, delta=1e-6, msg=name)

    def test_time_reaches_the_callers(self):
        """What calls is another variant than what counts: time with callees still is that of all that was called."""
        source = """
        #define N __attribute__((noinline, noipa))
        static volatile double sink;
        N int leaf(int n) { for (int i = 0; i < 4000; i++) sink += i; return n % 3; }
        N int middle(int n) { int sum = 0; for (int i = 0; i < 50; i++) sum += leaf(i); return (sum + n) % 2; }
        N int again(int n) { return n == 0 ? middle(n) : again(n - 1) + leaf(n); }
        int main(void) { int sum = 0; for (int i = 0; i < 200; i++) sum += middle(i) + (i % 20 == 0 ? again(9) : 0); return sum < 0; }
        """
        rules = "".join(f"function {name}: return\nfunction {name}: n ignore\n" for name in ("leaf", "middle", "again"))
        recording, merged = self.profile_alone(sleds(self, "callers", source, "-O1"), rules), self.path("merged")
        self.assertEqual(self.callsig("merge", "-o", merged, recording).returncode, 0)
        for arguments in [(recording,), (recording, "--raw"), (merged,)]:
            with self.subTest(arguments=arguments):
                by_function = {row["function"]: row for row in self.report(*arguments, "--by", "function")["rows"]}
                whole = sum(row["tottime"] for row in by_function.values())
                self.assertAlmostEqual(by_function["main"]["cumtime"], whole, delta=whole / 1000)
                rows = self.report(*arguments)["rows"]
                called = sum(row["cumtime"] for row in rows if row["function"] == "middle")
                below = (by_function["middle"]["ncalls"] * 50) / by_function["leaf"]["ncalls"]
                self.assertGreater(called, by_function["leaf"]["tottime"] * below * 0.8, rows)
                for row in rows:
                    if row["function"] == "leaf":
                        self.assertAlmostEqual(row["tottime"], row["cumtime"], delta=1e-6)

    def test_callees_are_told(self):
        """What was called is known of all calls of a signature together: the row whose value is not known has it."""
        source = """
        #define N __attribute__((noinline, noipa))
        N int leaf(int n) { return n % 3; }
        N int middle(int n) { int sum = 0; for (int i = 0; i < 5; i++) sum += leaf(n); return sum % 2; }
        N int other(int n) { return middle(n); }
        int main(void) { int sum = 0; for (int i = 0; i < 40; i++) sum += other(i % 4); return sum < 0; }
        """
        rules = "function middle: return\nfunction middle: n bucket 0,2\nfunction leaf: n ignore\n"
        recording = self.profile_alone(sleds(self, "callees", source, "-O1"), rules)

        def told(*arguments):
            done = self.callsig("report", recording, "--strip-dirs", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            found, who = [], None
            for line in done.stdout.split("called...")[-1].splitlines():
                arrow = re.match(r"(\S.*?) +-> ", line)
                who = arrow[1] if arrow else who
                link = re.search(r" (\d+(?:/\d+)?) +[\d.]+ +[\d.]+  (\S.*)$", line)
                if link and who:
                    found.append((who.split(":")[1], link[1], link[2].split(":")[1].removesuffix(" [~]")))
            return found

        links = told("--callees", "--raw")
        called = [(who, count) for who, count, callee in links if callee[1:].startswith("(leaf(")]
        self.assertEqual(sorted(count for _, count in called), ["100", "100"], links)
        self.assertTrue(all(who.endswith(" = ?)") and "(middle(n" in who for who, _ in called), links)
        by_function = told("--callees", "--raw", "--by", "function")
        self.assertIn("200", [count for who, count, callee in by_function if "(leaf" in callee], by_function)
        self.assertFalse([who for who, _, _ in told("--callees", "--raw", "other") if "(middle" in who])

    def test_json_and_expressions(self):
        recording, report = self.compare("-O0")
        found = {row["signature"]: row for row in report["rows"]}
        row = found["sign(n=3) = -3"]
        self.assertEqual(row["returned"], {"name": "return", "type": "int", "state": "read", "value": -3})
        self.assertEqual([arg["name"] for arg in row["args"]], ["n"])
        self.assertEqual(found["inner(n=1) = ?"]["returned"]["state"], "lost")
        self.assertNotIn("returned", next(row for row in report["rows"] if row["function"] == "main"))
        negative = rows_of(self.report(recording, "--signature", "return < 0"))
        self.assertEqual({row for row in negative if not row.startswith("below")}, {"sign(n=3) = -3", "sign(n=4) = -4", "tiny(n=2) = -56", "tiny(n=4) = -112"})

    def test_widened(self):
        """More values than a function may have signatures: the value widens, to buckets, and no call is lost."""
        source = """
#include <stdio.h>
__attribute__((noinline, noipa)) long next(void) { static long n; return n++; }
int main(void) { long sum = 0; for (int i = 0; i < 4000; i++) sum += next(); return sum < 0; }
"""
        recording = self.profile_alone(sleds(self, "wide", source, "-O1"), "function next: return\n")
        report = self.report(recording)
        rows = {row["signature"]: row["ncalls"] for row in report["rows"] if row["function"] == "next"}
        expected = {"next() = 0": 1}
        expected.update({f"next() = 2^{b}..2^{b + 1}": min(2 ** b, 4000 - 2 ** b) for b in range(12)})
        self.assertEqual(rows, expected)

    def profile_alone(self, program, rules):
        """The recording of a program that writes nothing down."""
        recording = self.path("recording")
        done = self.callsig("run", "--rules", self.write("rules", rules), "-o", recording, program)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertTrue(os.path.exists(recording), done.stderr)
        return recording

    def test_unknown_without_sleds(self):
        """The hook before a function's end does not know the value: nothing is guessed."""
        program = self.compile("hooks", harness.CALLS)
        recording = self.profile_alone(program, "function twice: return\nfunction work: return\n")
        rows = rows_of(self.report(recording))
        self.assertEqual(rows["twice(n=7) = ?"], 1)
        self.assertEqual(rows["work(n=1) = ?"], 1)

    def test_tail_call(self):
        """A jump to another function: what that returns is not this one's to tell."""
        source = """
__attribute__((noinline, noipa)) int leaf(int n) { return n + 1; }
__attribute__((noinline, noipa)) int jump(int n) { return leaf(n * 2); }
int main(void) { return jump(1) + jump(2) - 8; }
"""
        recording = self.profile_alone(sleds(self, "tail", source, "-O2"), "function leaf: return\nfunction jump: return\n")
        self.assertEqual(dict(rows_of(self.report(recording, "--function", "leaf|jump"))),
                         {"leaf(n=2) = 3": 1, "leaf(n=4) = 5": 1, "jump(n=1) = ?": 1, "jump(n=2) = ?": 1})

    def test_dropped_value(self):
        """gcc drops what no caller uses, in a clone: what lies in the register then is nobody's."""
        source = """
#include <stdio.h>
static volatile int sink;
__attribute__((noinline)) static int store(int n, int unused) { sink = n; return n * 17; }
int main(int argc, char **argv) { (void)argv; store(argc, 1); store(argc + 1, 2); return 0; }
"""
        program = sleds(self, "dropped", source, "-O2")
        symbols = self.run_command("nm", program).stdout
        recording = self.profile_alone(program, "function store: return\n")
        rows = [row["signature"] for row in self.report(recording, "--function", "store")["rows"]]
        self.assertTrue(rows)
        for row in rows:
            self.assertTrue(row.endswith(" = ?") or (".isra" not in symbols and row.endswith((" = 17", " = 34"))), (row, symbols))

    def test_library_calls(self):
        """What an imported function returns, beside what the program got."""
        source = r"""
#include <stdio.h>
#include <unistd.h>
#include <string.h>
__attribute__((noinline, noipa)) void all(int out)
{
  char text[8];
  for (int i = 0; i < 5; i++) {
    int got = (int)read(i < 2 ? -1 : 0, text, i);
    dprintf(out, "%d %d %d\n", i < 2 ? -1 : 0, i, got);
  }
}
int main(void) { all(1); return 0; }
"""
        program = sleds(self, "library", source, "-O1")
        recording = self.path("recording")
        done = self.callsig("run", "--library-calls=read", "--rules", self.write("rules", "function read: return\n"), "-o",
                            recording, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        got = collections.Counter(tuple(map(int, line.split())) for line in done.stdout.splitlines())
        rows = collections.Counter()
        for row in self.report(recording)["rows"]:
            if row["function"] != "read":
                continue
            rows[(row["args"][0]["value"], row["args"][2]["value"], row["returned"]["value"])] += row["ncalls"]
        self.assertEqual(rows, got)

    def test_refused(self):
        source = """
        struct pair { long a, b; };
        void nothing(void) { }
        struct pair both(void) { return (struct pair){1, 2}; }
        long double wide(void) { return 1; }
        int main(void) { nothing(); both(); wide(); return 0; }
        """
        program = sleds(self, "refused", source, "-O0")
        for rule, words in (("function main: return string", "what is returned can be a bucket or a value"),
                            ("function main: return ignore", "what is returned can be a bucket or a value"),
                            ("function nothing: return", "it returns nothing"),
                            ("function both: return", "it returns struct pair, not a number or pointer"),
                            ("function wide: return", "it returns long double, not a number or pointer"),
                            ("function nowhere: return", "no function 'nowhere'")):
            with self.subTest(rule=rule):
                done = self.callsig("run", "--rules", self.write("rules", rule + "\n"), program)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertIn("rules:1:", done.stderr)

    def test_gdb(self):
        """gdb's finish reads the same values."""
        if not os.path.exists("/usr/bin/gdb"):
            self.skipTest("gdb is not installed")
        program = sleds(self, "program", PROGRAM, "-O2", "-fno-optimize-sibling-calls")
        gdb = ["gdb", "-q", "-nx", "-batch"]
        commands = "set width 0\nset pagination off\nbreak tiny\nrun\n" + "finish\ncontinue\n" * 5
        path = self.write("commands", commands)
        done = self.run_command(*gdb, "-x", path, "--args", program, self.path("log"))
        if "Value returned" not in done.stdout:
            self.skipTest("gdb cannot trace here: " + done.stderr[:100])
        values = re.findall(r"Value returned is \$\d+ = (-?\d+)", done.stdout)
        self.assertEqual(len(values), 5, done.stdout)
        recording, _ = self.profile(program, RULES)
        rows = {row["args"][0]["value"]: row["returned"]["value"] for row in self.report(recording)["rows"]
                if row["function"] == "tiny"}
        self.assertEqual([rows[i] for i in range(5)], [int(value) for value in values])


if __name__ == "__main__":
    harness.main()
