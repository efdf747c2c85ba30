#!/usr/bin/env python3
# ctest: case - quick
"""callsig top: self time a second by function, signature and stage, held against what the program took by its own clock.

The clock is the program's: it goes on by what functions say that they take, and by nothing else. So it does not matter what a busy machine
does meanwhile, and each row is known. How long it was between two looks is told by the calls that were made then, whose number is known.
"""

import collections
import re
import subprocess

import harness

INTERVAL = 0.5
MOST_OFF = 0.005
ROUND_CALLS = 8000 * 4 * 2 + 2000 * 4 + 1  # with those of tasks

# For each line of input a round of calls; what was called and taken since the start is printed after it, in nanoseconds of the clock.
PROGRAM = """
#include <callsig/callsig.h>
#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((no_instrument_function))
static uint64_t now;
static uint64_t step_ns[4], outer_ns[4], rest_ns, parse_ns, draw_ns;
static const int values[4] = {1, 4, 9, 25};
static APART uint64_t read_clock(void *data) { (void)data; return now; }
static APART void take(uint64_t *sum, uint64_t ns) { now += ns; *sum += ns; }
__attribute__((noipa)) void step(int n, int i) { take(&step_ns[i], 1000 * n); }
__attribute__((noipa)) void outer(int n, int i) { take(&outer_ns[i], 300 * n); step(n, i); take(&outer_ns[i], 200 * n); }
static APART void in_stage(struct callsig_stage *stage, uint64_t ns, uint64_t *sum, int i)
{
  const uint64_t begun = now;
  callsig_task_begin(stage, NULL);
  outer(values[i], i);
  take(&rest_ns, ns);
  callsig_task_end(stage, 0);
  *sum += now - begun;
}
__attribute__((noipa)) void waits(void)
{
  for (int i = 0; i < 4; i++)
    printf("%d %lu %lu\\n", values[i], step_ns[i], outer_ns[i]);
  printf("%lu\\n%lu\\n%lu\\n", parse_ns, draw_ns, now);
  fflush(stdout);
  getchar();
}
__attribute__((constructor)) static APART void set_clock(void)
{
  if (callsig_set_clock(read_clock, NULL, 1000000000) != 0)
    abort();
}
int main(void)
{
  struct callsig_stage *parse, *draw;
  if (callsig_stage_open(&(struct callsig_stage_options){.size = sizeof(struct callsig_stage_options), .name = "parse"}, &parse) != 0 ||
      callsig_stage_open(&(struct callsig_stage_options){.size = sizeof(struct callsig_stage_options), .name = "draw"}, &draw) != 0)
    return 2;
  for (;;) {
    for (int j = 0; j < 8000; j++)
      for (int i = 0; i < 4; i++) {
        if (j % 4)
          outer(values[i], i);
        else
          in_stage(j % 8 ? parse : draw, j % 8 ? 7000 : 19000, j % 8 ? &parse_ns : &draw_ns, i);
      }
    waits();
    if (feof(stdin))
      return 0;
  }
}
"""

TITLE = re.compile(r"^(\d+) calls/s, ([\d.]+) s of self time a second.*; (\d+) calls, ([\d.]+) s in all", re.MULTILINE)
ROW = re.compile(r"^ +[\d.]+ +([\d.]+) +[\d.]+ +[\d.]+ +\d+ +[\d.]+  (.*)$", re.MULTILINE)


class SelfTime(harness.Case):
    def start(self, by, *options):
        source = self.write("program.c", PROGRAM)
        program = self.path("program")
        done = self.run_command("cc", "-O1", "-g", "-finstrument-functions", "-I" + harness.INCLUDE, source, "-o", program, "-L" + harness.RUNTIME,
                                "-Wl,-rpath," + harness.RUNTIME, "-lcallsig")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.program = subprocess.Popen([harness.CALLSIG, "run", "-o", "callsig.out", *options, program], cwd=self.folder, env=self.environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.program.communicate, timeout=600)
        self.took = self.taken()
        self.top = subprocess.Popen([harness.CALLSIG, "top", "--batch", "999", "--interval", str(INTERVAL), "--by", by, "callsig.out"],
                                    cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.top.communicate)
        self.addCleanup(self.top.kill)

    def taken(self):
        """What the program says that its rows took, and all of them, in seconds."""
        took = collections.Counter()
        for _ in range(4):
            value, step, outer = self.program.stdout.readline().split()
            for name, ns in ("step", step), ("outer", outer):
                took[f"{name}(n={value})"] += int(ns) / 1e9
                took[name] += int(ns) / 1e9
        for name in "parse", "draw", "all":
            took[name] = int(self.program.stdout.readline()) / 1e9
        return took

    def table(self):
        lines = []
        while lines[-1:] != ["\n"]:
            lines.append(self.top.stdout.readline())
            self.assertNotEqual(lines[-1], "", self.top.stderr.read() if self.top.poll() is not None else lines)
        return "".join(lines)

    def next_round(self):
        self.program.stdin.write("x")
        self.program.stdin.flush()
        return self.taken()

    def look_at_round(self, calls):
        """The table of the interval that a round lies in; None where a look was in the middle of it. The calls before it are given."""
        last = calls
        while True:
            text = self.table()
            now = int(TITLE.search(text)[3])
            if now == calls + ROUND_CALLS:
                return text if last == calls else None
            last = now

    def compare(self, text, took, wanted):
        """Holds the rows of these names against what they took, each by what is looked for in the table."""
        rate, own_rate, _, _ = map(float, TITLE.search(text).groups())
        passed = ROUND_CALLS / rate
        rows = {name: float(own) for own, name in ROW.findall(text)}
        for name, pattern in wanted.items():
            (own,) = [own for row, own in rows.items() if re.search(pattern, row)]
            self.assertAlmostEqual(own, took[name] / passed, delta=MOST_OFF * took[name] / passed + 0.0001, msg=f"{name}: {text}")
        self.assertAlmostEqual(own_rate, took["all"] / passed, delta=MOST_OFF * took["all"] / passed + 0.001, msg=text)

    def check(self, by, wanted, *options):
        self.start(by, *options)
        before, compared = self.took, 0
        calls = int(TITLE.search(self.table())[3])
        while compared < 3:
            now = self.next_round()
            text = self.look_at_round(calls)
            if text:
                self.compare(text, now - before, wanted)
                compared += 1
            before, calls = now, calls + ROUND_CALLS

    def groups(self, *options):
        for by, wanted in (("function", {name: rf"\({name}\)$" for name in ("step", "outer")}),
                           ("signature", {f"{name}(n={n})": rf"\({name}\(n={n}, " for name in ("step", "outer") for n in (1, 4, 9, 25)}),
                           ("stage", {name: f":{name}$" for name in ("parse", "draw")})):
            with self.subTest(by=by):
                try:
                    self.check(by, wanted, *options)
                finally:
                    self.doCleanups()
                    self.setUp()

    def test_every_call_timed(self):
        self.groups("--times", "exact")

    def test_sampled(self):
        self.groups("--times", "auto")


if __name__ == "__main__":
    harness.main()
