#!/usr/bin/env python3
# ctest: case - quick Trigger.test_call Trigger.test_stage Trigger.test_limit Trigger.test_usage Trigger.test_names_nothing Trigger.test_says_why_none_fired Trigger.test_brackets_in_names Trigger.test_shell Trigger.test_longest_had_not_ended
# ctest: case _full full
"""callsig run --trigger: a call or a task that took too long leaves a snapshot that names it, and the program runs on.

The program sleeps where it is told to, so that it is known which calls are long and with which arguments.
"""

import json
import os
import re

import harness
from harness import Case, INCLUDE, RUNTIME

SOURCE = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define CALLED __attribute__((noinline))
static void __attribute__((no_instrument_function)) pause_for(long ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000}; nanosleep(&t, NULL); }
static CALLED int parse(int n, int ms) { if (ms) pause_for(ms); __asm__ volatile(""); return n; }
static CALLED int other(int ms) { pause_for(ms); __asm__ volatile(""); return ms; }
static CALLED int last(int n) { __asm__ volatile(""); return n; }
static void __attribute__((no_instrument_function)) wait_for_all(void) { while (wait(NULL) > 0); }
static CALLED void *work(void *data) { parse(5000, 30); return data; }
int main(int argc, char **argv)
{
  struct callsig_stage *stage;
  struct callsig_stage_options options = {.size = sizeof options, .index = 1, .name = "decode"};
  callsig_stage_open(&options, &stage);
  for (int i = 1; i < argc; i++) {
    int n = atoi(argv[i] + 1);
    if (argv[i][0] == 'p') /* one that is long */
      parse(n, 30);
    else if (argv[i][0] == 'o')
      other(n);
    else if (argv[i][0] == 'x')
      exit(0);
    else if (argv[i][0] == 'f') /* that many processes go on */
      for (int child = n; child > 0; child--) {
        if (fork() == 0)
          break;
        if (child == 1)
          atexit(wait_for_all);
      }
    else if (argv[i][0] == 's') {
      struct callsig_task_options task = {.size = sizeof task, .item = 7};
      callsig_task_begin(stage, &task);
      pause_for(n);
      callsig_task_end(stage, 0);
    } else if (argv[i][0] == 't') /* in threads that end */
      for (int j = 0; j < n; j++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
      }
    else
      for (int j = 0; j < n; j++)
        parse(j, 0);
  }
  return last(0);
}
"""


class Trigger(Case):
    def record(self, triggers, *arguments, options=()):
        if not os.path.exists(self.path("program")):
            self.compile("program", SOURCE, "-I" + INCLUDE,
                         libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))
        asked = [word for trigger in triggers for word in ("--trigger", trigger)]
        done = self.callsig("run", "-o", "x.out", *asked, *options, self.path("program"), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def snapshots(self):
        return sorted((name for name in os.listdir(self.folder) if name.startswith("x.out.trigger.")), key=lambda name: int(name.split(".")[-1]))

    def counts(self, file):
        done = self.callsig("report", file, "--by", "function", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}

    def fired_by(self, file, process=""):
        """What the report says: the call, its seconds, and the trigger."""
        done = self.callsig("report", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.search(r"a snapshot, written while the program ran: (?:\S*:\d+)?\(?(.*?)\)? took ([0-9.]+) s" + process + r" \(--trigger '(.*)'\)", done.stdout)
        self.assertTrue(found, done.stdout)
        return found[1], float(found[2]), found[3]

    def test_call(self):
        """With a condition on arguments, and without; the program goes on behind the snapshot."""
        condition = "parse(n >= 4096) > 10ms"
        err = self.record([condition], "q200", "p100", "p5000", "o100", "q50")
        self.assertEqual(self.snapshots(), ["x.out.trigger.1"])
        call, seconds, trigger = self.fired_by("x.out.trigger.1")
        self.assertEqual((call, trigger), ("parse(n=5000, ms=30)", condition))
        self.assertTrue(0.03 <= seconds < 10, seconds)
        self.assertIn(f"trigger '{condition}': ", err)
        counts = self.counts("x.out.trigger.1")
        self.assertEqual(counts["parse"], 202)
        self.assertNotIn("last", counts)
        counts = self.counts("x.out")
        self.assertEqual((counts["parse"], counts["last"]), (252, 1))
        # The timeline around the moment.
        done = self.callsig("export", "--to", "chrome", "x.out.trigger.1", "-o", "x.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("x.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.assertIn("parse(n=5000, ms=30)", [event.get("args", {}).get("signature") for event in events])
        # Both are of one process, and a sum of them is none of its calls: that is said first.
        done = self.callsig("report", "x.out", "x.out.trigger.1")
        self.assertIn("2 recordings are of one process", done.stdout.split("\n\n\n")[1].splitlines()[0])
        # Notes of the snapshot name its file, and not that of the recording that it is of.
        self.assertRegex(done.stdout, rf"(?m)^{re.escape(self.path('x.out.trigger.1'))}: a snapshot, written while")
        # A merge keeps what it was for.
        done = self.callsig("merge", "-o", "merged.out", "x.out.trigger.1")
        self.assertEqual(self.fired_by("merged.out"), (call, seconds, trigger))

    def test_stage(self):
        self.record(["stage decode > 20ms"], "s1", "o40", "s40", "o100")
        self.assertEqual(self.snapshots(), ["x.out.trigger.1"])
        call, seconds, _ = self.fired_by("x.out.trigger.1")
        self.assertIn("decode", call)
        self.assertTrue(0.04 <= seconds < 10, seconds)

    def test_two(self):
        """Each call has a snapshot, and one that several triggers are of has one."""
        self.record(["parse > 20ms", "other >= 20ms", "parse(ms == 30) > 1ms"], "p1", "o30", "p2", "o100")
        fired = [self.fired_by(name)[0] for name in self.snapshots()]
        self.assertEqual(fired, ["parse(n=1, ms=30)", "other(ms=30)", "parse(n=2, ms=30)", "other(ms=100)"])

    def test_threads_that_end(self):
        """Also where they are folded meanwhile: each is seen once."""
        self.record(["parse(n == 5000) > 20ms"], "t80", "o50", options=("--trigger-limit", "200"))
        self.assertEqual(len(self.snapshots()), 80)

    def test_limit(self):
        err = self.record(["parse > 10ms"], *["p1"] * 5, options=("--trigger-limit", "2"))
        self.assertEqual(self.snapshots(), ["x.out.trigger.1", "x.out.trigger.2"])
        self.assertIn("2 snapshots were written for triggers, and no more are (--trigger-limit)", err)
        err = self.record(["parse > 10ms"], *["p1"] * 3, options=("--trigger-limit", "1"))
        self.assertIn("1 snapshot was written for triggers", err)
        # What an earlier run left is not this one's.
        self.record(["parse > 10s"], "p1")
        self.assertEqual(self.snapshots(), [])

    def test_names_nothing(self):
        err = self.record(["parser > 1ms", "stage encode > 1ms", "parse(m > 3) > 10s", "last > 10s"], "q10", "o30")
        self.assertIn("--trigger 'parser > 1ms': no such function was recorded", err)
        self.assertIn("--trigger 'stage encode > 1ms': no such stage was recorded", err)
        self.assertIn("--trigger 'parse(m > 3) > 10s': its condition names nothing that was recorded", err)
        self.assertEqual(self.snapshots(), [])

    def test_says_why_none_fired(self):
        """One line for each, in its own words, also where a call that takes long enough has no such argument."""
        err = self.record(["(parse|other) > 10s", "parse(n > 9) > 1ms", "other(m > 3) > 1ms", "stage decode > 10s"],
                          "q2", "o30", "s1")
        self.assertEqual([re.sub(r"\S*:\d+\(|, 0\.0\d+ s$", "~", line) for line in err.splitlines() if "--" in line],
                         ["callsig: run: --trigger '(parse|other) > 10s': no such call took so long: the longest was ~other(ms=30))~",
                          "callsig: run: --trigger 'parse(n > 9) > 1ms': no call with such arguments was recorded",
                          "callsig: run: --trigger 'other(m > 3) > 1ms': its condition names nothing that was recorded",
                          "callsig: run: --trigger 'stage decode > 10s': no task took so long: the longest was {0:1:decode}~"])
        self.assertEqual(self.snapshots(), [])

    def test_says_what_is_not_known(self):
        """Whether one of the calls had such an argument, which are in a bucket by now."""
        source = """__attribute__((noinline)) void many(int n) { (void)n; __asm__ volatile(""); }
                    int main(void) { for (int i = 0; i < 20000; i++) many(i); return 0; }"""
        done = self.callsig("run", "--trigger", "many(n == 5000) > 1s", "--trigger", "many(n == 50000) > 1s", self.compile("many", source))
        self.assertIn("'many(n == 5000) > 1s': no call is known to have had such arguments: some were not recorded exactly\n", done.stderr)
        self.assertIn("'many(n == 50000) > 1s': no call with such arguments was recorded\n", done.stderr)

    def test_longest_had_not_ended(self):
        """A call that exit() ends took so long, and is no call that ended."""
        err = self.record(["main > 20ms"], "o30", "x")
        self.assertEqual(self.snapshots(), [])
        self.assertRegex(err, r"--trigger 'main > 20ms': \S*:\d+\(main\(.*\)\) took 0\.0\d+ s, and had not ended when the program did")

    def shell(self, triggers, script, *options):
        """Of what a shell starts, which is not instrumented."""
        self.record(["last > 10s"])
        asked = [word for trigger in triggers for word in ("--trigger", trigger)]
        done = self.callsig("run", "-o", "x.out", *asked, *options, "sh", "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_shell(self):
        """The call of a child, in a snapshot of the child's alone."""
        err = self.shell(["parse(n >= 4096) > 10ms", "other > 10s"], "./program q20 p100; ./program q30 p5000 o40; ./program q7")
        self.assertEqual(self.snapshots(), ["x.out.trigger.1"])
        call, seconds, _ = self.fired_by("x.out.trigger.1", r" in process \d+")
        self.assertEqual(call, "parse(n=5000, ms=30)")
        self.assertTrue(0.03 <= seconds < 10, seconds)
        self.assertEqual(self.counts("x.out.trigger.1")["parse"], 31)
        self.assertEqual(self.counts("x.out")["parse"], 20 + 1 + 30 + 1 + 7)
        self.assertRegex(err, r"--trigger 'other > 10s': no such call took so long: the longest was \S*\(other\(ms=40\)\), 0\.0\d+ s")

    def test_many_processes(self):
        """None is missed, though their recordings are folded as they end; once each."""
        self.shell(["parse(n == 3) > 10ms"], "for i in $(seq 60); do ./program p1 & ./program p3 q9 & wait; done", "--trigger-limit", "200")
        self.assertEqual(len(self.snapshots()), 60)

    def test_forked(self):
        """The server's workers; a call that was open at the fork is one of each process."""
        self.record(["other > 20ms"], "f4", "o30", options=("--trigger-limit", "50"))
        self.assertEqual(len(self.snapshots()), 5)
        self.record(["main > 20ms", "last > 10s"], "f4", "o30")
        self.assertEqual(len(self.snapshots()), 5)

    def test_goes_on(self):
        """A child that outlives the program is watched until then."""
        self.shell(["other > 20ms"], "./program o30 o4000 & sleep 0.5")
        self.assertEqual(len(self.snapshots()), 1)

    def test_brackets_in_names(self):
        self.record(["(parse|other)(ms >= 30) > 20ms"], "p1", "o30", "q3")
        self.assertEqual([self.fired_by(name)[0] for name in self.snapshots()], ["parse(n=1, ms=30)", "other(ms=30)"])
        err = self.record([r"operator\(\)(n > 3) > 1ms", r"operator\(\) > 1ms"], "q3")
        self.assertEqual(err.count("no such function was recorded"), 2, err)

    def test_usage(self):
        for options, words in ((["--trigger", "parse"], ["--trigger 'parse'", "end it with a time"]),
                               (["--trigger", "> 5ms"], ["name a function"]),
                               (["--trigger", "parse(n = 3) > 5ms"], ["'=' is written '=='"]),
                               (["--trigger", "par[se > 5ms"], ["--trigger 'par[se > 5ms': 'par[se': missing terminating ]"]),
                               (["--trigger", "par(se > 5ms"], ["--trigger 'par(se > 5ms': 'par(se': missing closing parenthesis"]),
                               (["--trigger", "parse(n >) > 5ms"], ["--trigger 'parse(n >) > 5ms': 'n >', column 4: expected"]),
                               (["--trigger", "parse > 1ms > 5ms"], ["--trigger 'parse > 1ms > 5ms': one time"]),
                               (["--trigger", "stage decode > 1ms >= 5ms"], ["one time"]),
                               (["--trigger", "parse > 5 ms"], ["end it with a time"]),
                               (["--trigger", "parse > 5ms", "--times", "auto"], ["--times auto"]),
                               (["--trigger", "parse(n > 1) > 5ms", "--no-signatures"], ["--no-signatures"]),
                               (["--trigger-limit", "3"], ["--trigger"]),
                               (["--trigger", "parse > 5ms", "--trigger-limit", "0"], ["--trigger-limit: '0'"])):
            with self.subTest(options=options):
                self.assert_fails(self.callsig("run", *options, "true"), 2, *words)


if __name__ == "__main__":
    harness.main()
