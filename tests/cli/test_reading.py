#!/usr/bin/env python3
"""Tables show what matters: addresses and lengths that are none are no rows of their own, waiting is told, long names and
long lists of notes are shortened, and nothing of that changes what the numbers are."""

import json
import re

import harness
import pprof_reader

ADDRESSES = """
#include <stdlib.h>
#include <stddef.h>
#define SHOWN __attribute__((noinline))
SHOWN void touch(unsigned long where, long n) { (void)where; (void)n; __asm__ volatile(""); }
SHOWN void mixed(unsigned long a) { (void)a; __asm__ volatile(""); }
SHOWN void take(void *ptr, size_t size) { (void)ptr; (void)size; __asm__ volatile(""); }
SHOWN void sum(float *v, int count) { (void)v; (void)count; __asm__ volatile(""); }
__attribute__((no_instrument_function)) int main(void) {
  int here;
  float f[3];
  char *p = malloc(10);
  touch((unsigned long)p, 1); touch((unsigned long)&here, 1); touch((unsigned long)touch, 1); touch(0, 1);
  mixed((unsigned long)p); mixed(7);
  take(p, 0); take(p, 10); take(p, (size_t)-1); take(0, 0);
  sum(f, 3); sum(f, -1); sum(f, 0);
  free(p);
  return 0; }
"""

WAITING = """
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) void wait_turn(void) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
static __attribute__((noinline)) void work(void) { usleep(100000); }
static void *waiter(void *argument) { wait_turn(); return argument; }
int main(void) {
  pthread_t threads[4];
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, waiter, 0);
  work();
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return 0; }
"""

LONG = "f" * 250

WIDENED = "".join(f"static __attribute__((noinline)) long many_{i}(long n) {{ __asm__ volatile(\"\"); return n; }}\n"
                  for i in range(12)) + f"""
static __attribute__((noinline)) long {LONG}(int a_rather_long_name_of_an_argument, int another_name_that_is_long) {{
  __asm__ volatile(""); return a_rather_long_name_of_an_argument + another_name_that_is_long; }}
__attribute__((no_instrument_function)) int main(void) {{
  for (long n = 0; n < 3000; n++) {{ {' '.join(f'many_{i}(n);' for i in range(12))} }}
  return {LONG}(1000001, 1) + {LONG}(1000002, 1) == 0; }}
"""


class Reading(harness.Case):
    def record(self, source, *arguments):
        program = self.compile("program", source, *arguments)
        done = self.callsig("run", "--times", "exact", "-o", "callsig.out", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def report(self, *arguments):
        done = self.callsig("report", "--strip-dirs", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def named(self, *arguments):
        return {name.split("(", 1)[1][:-1]: row[0] for name, row in self.rows(self.report(*arguments)).items()}

    def test_addresses_and_lengths(self):
        self.record(ADDRESSES)
        rows = self.named()
        self.assertEqual({name: calls for name, calls in rows.items() if not name.startswith("mixed")}, {
            "touch(where:long unsigned int, n=1)": "4",
            "take(ptr:void*, size=0)": "1", "take(ptr:void[10], size=10)": "1", "take(ptr=NULL, size=0)": "1",
            "take(ptr:void*, size=18446744073709551615)": "1",
            "sum(v:float[3], count=3)": "1", "sum(v:float*, count=-1)": "1", "sum(v:float*, count=0)": "1"})
        # Where other values are among them, it is a number for all that is known.
        self.assertEqual(len([name for name in rows if re.fullmatch(r"mixed\(a=\d+\)", name)]), 2, rows)
        touched = [row for row in json.loads(self.report("--format", "json"))["rows"]
                   if row["function"] == "touch"]
        self.assertEqual([row["args"][0]["state"] for row in touched], ["widened"])

    def test_addresses_of_several_processes(self):
        """A merged recording, or one of a run of several processes, tells addresses as the recordings that it is of do."""
        self.record(ADDRESSES)
        self.assertEqual(self.callsig("run", "--times", "exact", "-o", "other.out", self.path("program")).returncode, 0)
        self.assertEqual(self.callsig("merge", "-o", "merged.out", "callsig.out", "other.out").returncode, 0)
        self.assertEqual(self.callsig("merge", "-o", "again.out", "merged.out").returncode, 0)
        self.assertEqual(self.callsig("merge", "--fold", "-o", "folded.out", "callsig.out", "other.out").returncode, 0)
        touched = "touch(where:long unsigned int, n=1)"
        for by in ((), ("--by", "signature,process")):
            tables = [self.callsig("report", "--format", "csv", *by, "touch", *files).stdout
                      for files in (("callsig.out", "other.out"), ("merged.out",), ("again.out",))]
            self.assertEqual(tables[0].count("where:"), 2 if by else 1, tables)
            self.assertEqual(tables[1:], tables[:1] * 2)
        self.assertEqual(self.named("folded.out", "touch"), {touched: "8"})
        done = self.callsig("run", "--times", "exact", "-o", "family.out", "sh", "-c", "./program; ./program")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.named("family.out", "touch"), {touched: "8"})

    def test_waiting_is_told(self):
        """Five threads wait for a tenth of a second each, four of them for the fifth: the sum is no time that the program ran."""
        self.record(WAITING, "-pthread")
        told = r"^(of the \S+ seconds threads waited|times of all threads are added: )"
        self.assertRegex(self.report(), "(?m)" + told)
        self.assertNotRegex(self.report("--function", "work"), "(?m)" + told)

    def test_few_notes(self):
        self.record(WIDENED)
        everything = [line for line in self.report("--notes").splitlines() if line.startswith("widened: ")]
        self.assertEqual(len(everything), 12)
        few = [line for line in self.report("many_[0-3][(]").splitlines() if line.startswith("widened: ") or "more note" in line]
        self.assertEqual(len(few), 4, few)
        self.assertTrue(all(re.search(r"many_[0-3]\)", line) for line in few[:3]), few)
        self.assertEqual(few[3], "9 more notes: callsig report --notes")
        self.assertEqual(len(json.loads(self.report("--format", "json"))["notes"]),
                         len(self.report("--notes").split("\n\n\n")[-1].splitlines()))

    def test_long_names(self):
        """The middle is left out, and the rows stay two."""
        self.record(WIDENED)
        rows = [name for name in self.rows(self.report("fff")) if "fff" in name]
        self.assertEqual([len(name) for name in rows], [300, 300])
        self.assertTrue(all("..." in name and name.endswith("another_name_that_is_long=1))") for name in rows), rows)
        rows = [name for name in self.rows(self.report("fff", "--full-names")) if "fff" in name]
        self.assertEqual(sorted(name.split("=")[1] for name in rows),
                         ["1000001, another_name_that_is_long", "1000002, another_name_that_is_long"])
        self.assertTrue(all(LONG in name for name in rows))

    def test_notes_are_hidden_in_pprof(self):
        """Comments that begin with # are not in pprof's tables."""
        self.record(WIDENED)
        self.assertEqual(self.callsig("export", "--to", "pprof", "-o", "p.pb.gz").returncode, 0)
        comments = pprof_reader.read(self.path("p.pb.gz"))["comments"]
        self.assertEqual(len([one for one in comments if one.startswith("# widened: ")]), 12)
        self.assertTrue(all(one.startswith("# ") for one in comments), comments)


if __name__ == "__main__":
    harness.main()
