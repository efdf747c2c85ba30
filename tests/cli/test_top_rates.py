#!/usr/bin/env python3
"""callsig top: rates are what was added between two looks, whatever moved from one row to another meanwhile."""

import re
import subprocess
import time

import harness

INTERVAL = 2.0

# For each line of input: 'n' calls step() with as many values as the guard does not widen, 'w' with many more; 't' has threads call it,
# one after the other, 'p' processes with a thread each; 'b' begins a thread that calls it, which 'r' has take another name and end; 'x' executes the program again; 'e' waits and ends.
PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) void step(long n) { __asm__ volatile("" : : "r"(n)); }
#define APART __attribute__((no_instrument_function))
static APART void steps(int count, int values) { for (int i = 0; i < count; i++) step(i % values); }
static APART void *work(void *unused) { steps(200, 8); return unused; }
static APART void threads(int count) {
  pthread_t thread;
  for (int i = 0; i < count; i++) { pthread_create(&thread, NULL, work, NULL); pthread_join(thread, NULL); } }
static pthread_barrier_t barrier;
static APART void *waits(void *unused) {
  steps(200, 8);
  pthread_barrier_wait(&barrier); /* the calls are made */
  pthread_barrier_wait(&barrier);
  pthread_setname_np(pthread_self(), "renamed");
  return unused; }
static APART void processes(int count) {
  for (int i = 0; i < count; i++) {
    if (fork() == 0) { threads(1); _exit(0); }
    wait(NULL); } }
int main(int argc, char **argv) {
  char line[16];
  pthread_t thread;
  (void)argc;
  pthread_barrier_init(&barrier, NULL, 2);
  setvbuf(stdin, NULL, _IONBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    if (line[0] == 'n') steps(120000, 12);
    if (line[0] == 'w') steps(3000, 3000);
    if (line[0] == 't') threads(50);
    if (line[0] == 'p') processes(60);
    if (line[0] == 'b') { pthread_create(&thread, NULL, waits, NULL); pthread_barrier_wait(&barrier); }
    if (line[0] == 'r') { pthread_barrier_wait(&barrier); pthread_join(thread, NULL); }
    if (line[0] == 'x') { execl(argv[0], argv[0], "again", (char *)NULL); }
    if (line[0] == 'e') { usleep(600000); return 0; }
    puts("done");
    fflush(stdout);
  }
  return 0; }
"""

TITLE = re.compile(r"^callsig top: program \(\d+\)(?: and \d+ process\w* of it)?, (?:running|ended after) ([\d.]+) s.*\n"
                   r"(\d+) calls/s, ([\d.]+) s of self time a second.*; (\d+) calls, ([\d.]+) s in all", re.MULTILINE)
ROW = re.compile(r"^ +([\d.]+) +([\d.]+) +[\d.]+ +[\d.]+ +(\d+) +([\d.]+)  (.*)$", re.MULTILINE)


class Table:
    def __init__(self, text):
        self.text = text
        running, rate, own_rate, calls, own = TITLE.search(text).groups()
        self.running, self.rate, self.own_rate, self.calls, self.own = float(running), float(rate), float(own_rate), int(calls), float(own)
        self.rows = {row[4]: (float(row[0]), float(row[1]), int(row[2])) for row in ROW.findall(text)}


class Rates(harness.Case):
    def start(self, *options):
        program = self.compile("program", PROGRAM, "-pthread")
        self.program = subprocess.Popen([harness.CALLSIG, "run", "--times", "exact", "-o", "callsig.out", program], cwd=self.folder,
                                        env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.ask("n")
        self.top = subprocess.Popen([harness.CALLSIG, "top", "--batch", "9", "--interval", str(INTERVAL), *options, "callsig.out"],
                                    cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end_top)

    def end(self):
        self.program.communicate(timeout=600)

    def end_top(self):
        self.top.kill()
        self.top.communicate()

    def ask(self, *letters):
        for letter in letters:
            self.program.stdin.write(letter + "\n")
            self.program.stdin.flush()
            self.assertEqual(self.program.stdout.readline(), "done\n")

    def table(self):
        lines = []
        while lines[-1:] != ["\n"]:
            lines.append(self.top.stdout.readline())
            self.assertNotEqual(lines[-1], "", self.top.stderr.read() if self.top.poll() is not None else lines)
        return Table("".join(lines))

    def check_calls(self, before, table):
        """The calls a second are what all rows counted more; `running` is told to a tenth of a second. How long `running` was."""
        passed, added = table.running - before.running, table.calls - before.calls
        self.assertGreater(passed, 0.3, table.text)
        self.assertLessEqual(table.rate * (passed - 0.11), added + 1, before.text + table.text)
        self.assertGreaterEqual(table.rate * (passed + 0.11), added - 1, before.text + table.text)
        self.assertAlmostEqual(sum(row[0] for row in table.rows.values()), table.rate, delta=0.5 + 0.06 * len(table.rows), msg=table.text)
        return passed

    def check(self, before, table):
        """The same, and so is the self time."""
        passed = self.check_calls(before, table)
        self.assertLessEqual(table.own_rate * (passed - 0.11), table.own - before.own + 0.01, before.text + table.text)
        self.assertAlmostEqual(sum(row[1] for row in table.rows.values()), table.own_rate, delta=0.01 * len(table.rows), msg=table.text)

    def follow(self, *letters):
        """A table after each of the letters, the first after none."""
        before = self.table()
        for letter in letters:
            self.ask(*letter)
            table = self.table()
            self.check(before, table)
            before = table
        return before

    def test_signatures_are_widened(self):
        self.start()
        last = self.follow("n", "w", "n")
        self.assertTrue(any("step(n=2^" in name for name in last.rows), last.text)

    def test_threads_end(self):
        self.start("--by", "thread")
        last = self.follow("t", "t", "t")
        self.assertTrue(any(name.startswith("ended threads (") for name in last.rows), last.text)

    def test_a_thread_gets_another_name(self):
        self.start("--by", "thread")
        last = self.follow("b", "r")
        self.assertTrue(any(name.startswith("renamed (") for name in last.rows), last.text)

    def test_processes_are_folded(self):
        self.start("--by", "thread")
        self.follow("p", "p", "p")

    def test_the_program_ends(self):
        self.start()
        before = self.table()
        self.ask("n")
        self.program.stdin.write("e\n")
        self.program.stdin.flush()
        table = self.table()
        while "ended after" not in table.text:
            table = self.table()
        self.check(before, table)

    def test_the_program_executes_another(self):
        self.start("--by", "function")
        before = self.table()
        self.program.stdin.write("x\n")
        self.program.stdin.flush()
        self.ask("n")
        begun = time.monotonic()
        table = self.table()
        self.check_calls(before, table)  # how long main() went on before the other program is not recorded
        after = self.table()
        self.assertNotIn(" of it", table.text + after.text)
        self.assertGreater(after.running - before.running, time.monotonic() - begun - 0.3)


if __name__ == "__main__":
    harness.main()
