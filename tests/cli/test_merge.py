"""callsig merge: the merge of recordings reports as all of them do; errors are one line and leave nothing behind."""

import csv
import io
import os
import resource

import harness

SOURCE = """
#include <pthread.h>
typedef int operation(int);
static int __attribute__((noinline)) twice(int n) { return n * 2; }
static int __attribute__((noinline)) thrice(int n) { return n * 3; }
static int __attribute__((noinline)) apply(operation *f, int n) { return f(n); }
static int __attribute__((noinline)) fact(int n) { return n < 2 ? apply(twice, 1) : n * fact(n - 1); }
static int __attribute__((noinline)) work(int n) { return fact(n) + apply(n % 2 ? twice : thrice, n); }
static void *thread(void *argument) { return work((int)(long)argument) ? 0 : argument; }
int main(int argc, char **argv) {
  (void)argv;
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, thread, (void *)(i + argc));
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return work(argc) == 0; }
"""
VIEWS = [[], ["--by", "function"], ["--by", "thread"], ["--by", "function,module"], ["--callers"], ["--callees"],
         ["--format", "json"], ["--format", "csv"], ["--compensate"],
         ["--by", "process"], ["--by", "function,rank"], ["--by", "function", "--columns", "+p50,p90,p99"], ["--strip-dirs", "-s", "name"]]
ROUNDED = 1e-12


class Merge(harness.Case):
    def setUp(self):
        super().setUp()
        program = self.compile("program", SOURCE, "-pthread")
        self.parts = []
        for i in range(4):
            self.parts.append(f"part{i}")
            # With histograms, and two of them ranks of a parallel job.
            rank = {"OMPI_COMM_WORLD_RANK": str(i)} if i > 1 else {}
            done = self.callsig("run", "--percentiles", "-o", self.parts[-1], program, *["x"] * i, env=rank)
            self.assertEqual(done.returncode, 0, done.stderr)
            if rank:
                os.rename(self.path(f"part{i}.rank{i}"), self.path(f"part{i}"))

    def merge(self, *arguments):
        done = self.callsig("merge", *arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), arguments)

    def report(self, files, *arguments):
        done = self.callsig("report", *files, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_equals_all(self):
        self.merge("-o", "merged", *self.parts)
        self.assertEqual(os.stat(self.path("merged")).st_mode & 0o777, 0o600)
        for view in VIEWS:
            self.assertEqual(self.report(["merged"], *view), self.report(self.parts, *view), view)
        self.merge("-o", "left", *self.parts[:2])
        self.merge("--output", "right", "left", *self.parts[2:])
        self.assertEqual(self.read("right"), self.read("merged"))

    def test_output_is_an_input(self):
        self.merge("-o", "merged", *self.parts[:2])
        self.merge("-o", self.parts[0], *self.parts[:2])
        self.assertEqual(self.read(self.parts[0]), self.read("merged"))

    def assert_same_rows(self, left, right):
        """The same lines of CSV; numbers that are sums of others may end otherwise, as the others are added in another order."""
        self.assertEqual(len(left), len(right))
        for one, other in zip(csv.reader(left), csv.reader(right)):
            self.assertEqual(len(one), len(other))
            for a, b in zip(one, other):
                if a != b:
                    self.assertLess(abs(float(a) - float(b)), ROUNDED * abs(float(b)), (one, other))

    def test_fold(self):
        # Recordings with one clock: with several, each number that is added up is rounded to the finest.
        self.merge("--fold", "-o", "folded", self.parts[0])
        for view in (["--by", "function"], []):
            rows = [sorted(self.report([name], "--raw", "--format", "csv", *view).splitlines()) for name in ("folded", "part0")]
            self.assert_same_rows([row for row in rows[0] if "shown as one" not in row], rows[1])
            self.assert_own_times_fold(view)
        views = [self.report([name], "--by", "function", "--columns", "ncalls,p50,p90,p99", "-s", "nfl", "--unit", "ns")
                 for name in ("folded", "part0")]
        self.assertEqual([line for line in views[0].splitlines() if "shown as one" not in line], views[1].splitlines())
        self.assertIn("[thread program (4)]", self.report(["folded"], "--by", "thread"))

    def assert_own_times_fold(self, view):
        """Without what hooks took, own times are the same to a tick. How much of a cumulative time is hooks is known of a context's
        whole subtree alone, and a folded recording has fewer contexts."""
        folded, part = ({(row["function"], row["signature"]): row for row in csv.DictReader(io.StringIO(self.report([name], "--format", "csv", *view)))
                         if row["ncalls"]} for name in ("folded", "part0"))
        self.assertEqual(folded.keys(), part.keys())
        for key, row in folded.items():
            self.assertEqual(row["ncalls"], part[key]["ncalls"], key)
            self.assertAlmostEqual(float(row["tottime"]), float(part[key]["tottime"]), delta=1e-9, msg=key)

    def test_usage(self):
        self.assert_fails(self.callsig("merge", "part0"), 2, "-o OUT")
        self.assert_fails(self.callsig("merge", "-o", "x"), 2, "nothing to merge")
        self.assert_fails(self.callsig("merge", "--what"), 2, "--what")
        self.assertIn("usage: callsig merge", self.callsig("merge", "--help").stdout)

    def test_failures(self):
        before = sorted(os.listdir(self.folder))
        self.assert_fails(self.callsig("merge", "-o", "x", "absent"), 1, "absent: cannot open")
        self.assert_fails(self.callsig("merge", "-o", "program.c", "part0"), 1, "program.c: exists and is not a recording")
        self.assert_fails(self.callsig("merge", "-o", ".", "part0"), 1, "is a folder")
        self.assert_fails(self.callsig("merge", "-o", "no/x", "part0"), 1, "no/x: No such file")
        full = self.run_command(harness.CALLSIG, "merge", "-o", "x", "part0", preexec_fn=limit_files)
        self.assert_fails(full, 1, "x: File too large")
        self.assertEqual(sorted(os.listdir(self.folder)), before)


    @harness.with_own_allocator
    def test_memory_ends(self):
        """One line, and no file, or the whole one."""
        self.merge("--fold", "-o", "whole", *self.parts[:2])
        for done in self.failed_allocations("merge", "--fold", "-o", "merged", *self.parts[:2], samples=60):
            if done.returncode == 0:
                self.assertEqual(self.read("merged"), self.read("whole"))
            else:
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, "^callsig: .+\\n$")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("merged.")], [])


def limit_files():
    """Files cannot grow, as on a full disk; Python ignores the signal, and what it starts inherits that."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


if __name__ == "__main__":
    harness.main()
