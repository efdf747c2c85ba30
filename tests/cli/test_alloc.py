"""What functions ask the allocator for, and what of it is not freed: as the program itself and other tools count it."""

import json
import os
import re
import resource
import shutil
import subprocess
import unittest

import harness

PROGRAM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define PART __attribute__((noinline))
#define HUGE ((size_t)1 << 60)
PART void *take(size_t n) { return malloc(n); }
PART void give(void *p) { free(p); }
PART void *cleared(size_t count, size_t n) { return calloc(count, n); }
PART void *resized(void *p, size_t n) { return realloc(p, n); }
PART void *array(void *p, size_t count, size_t n) { return reallocarray(p, count, n); }
PART void *aligned(size_t n) { return aligned_alloc(64, n); }
PART void *posix(size_t alignment, size_t n) { void *p = NULL; return posix_memalign(&p, alignment, n) ? NULL : p; }
PART char *text(const char *s) { return strdup(s); }
PART char *part(const char *s, size_t n) { return strndup(s, n); }
#define RING 256
static _Atomic(void *) ring[RING];
static void *worker(void *seed)
{
  unsigned state = (unsigned)(uintptr_t)seed;
  for (int i = 0; i < 5000; i++) {
    state = state * 1103515245 + 12345;
    give(atomic_exchange(&ring[state >> 8 & (RING - 1)], take(20)));
  }
  return NULL;
}
static void *held;
static void handler(int number) { (void)number; give(held); held = NULL; give(take(8)); }
PART void *in_thread(void *unused) { (void)unused; return malloc(24); }
PART void *in_child(void) { return malloc(77); }
static void *volatile kept[32];
int main(void)
{
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, worker, (void *)(uintptr_t)(i + 1));
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < RING; i++)
    give(ring[i]);
  for (int i = 0; i < 300; i++) {
    void *block;
    pthread_create(&threads[0], NULL, in_thread, NULL);
    pthread_join(threads[0], &block);
    if (i % 10)
      give(block);
    else
      kept[0] = block;
  }
  held = take(4096);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  void *parents = take(11);
  pid_t child = fork();
  if (child == 0) {
    give(parents);
    kept[1] = resized(in_child(), 99);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  kept[1] = cleared(3, 7);
  kept[2] = resized(NULL, 50);
  kept[2] = resized(kept[2], 500);
  kept[3] = array(NULL, 6, 7);
  kept[4] = aligned(128);
  kept[5] = posix(64, 200);
  kept[6] = text("hello");
  kept[7] = part("hello", 3);
  errno = 42;
  kept[8] = take(10);
  int wrong = errno != 42 || posix(3, 10) || take(HUGE) || errno != ENOMEM || cleared(HUGE, HUGE) ||
              resized(kept[8], HUGE) || array(kept[8], HUGE, HUGE);
  give(resized(take(100), 0));
  kept[9] = take(0);
  free(NULL);
  return wrong;
}
"""
# Blocks, their bytes, and the bytes that are not freed. `parents` is the parent's, whatever the child does.
EXPECTED = {
    "take": (20000 + 1 + 1 + 1 + 1 + 1 + 1, 20000 * 20 + 4096 + 8 + 11 + 10 + 100, 11 + 10),
    "in_thread": (300, 7200, 30 * 24),
    "in_child": (1, 77, 0),
    "cleared": (1, 21, 21),
    "resized": (3, 50 + 500 + 99, 500 + 99),
    "array": (1, 42, 42),
    "aligned": (1, 128, 128),
    "posix": (1, 200, 200),
    "text": (1, 6, 6),
    "part": (1, 4, 4),
}

CXX = r"""
#include <memory>
#include <new>
#include <string>
#include <vector>
struct wide { alignas(64) char bytes[192]; };
struct failing { char bytes[40]; __attribute__((noinline)) failing() { throw 1; } };
static int *one() { return new int[25]; }
static wide *aligned() { return new wide; }
static void *quiet() { return new (std::nothrow) char[33]; }
static void fails() { try { delete new failing; } catch (int) { } }
int main()
{
  int *a = one(), *b = one();
  delete[] a;
  delete aligned();
  wide *w = aligned();
  void *q = quiet();
  fails();
  return b && w && q ? 0 : 1;
}
"""

KINDS = r"""
#include <stdlib.h>
void *volatile kept;
int work(int n) { kept = malloc((size_t)n); return n; }
int main(void) { return work(5) + work(5) + work(70) - 80; }
"""


BLOCKS = r"""
#include <stdlib.h>
void *volatile blocks[300000];
int main(void)
{
  for (int i = 0; i < 300000; i++)
    blocks[i] = malloc(48);
  for (int i = 0; i < 300000; i++)
    free(blocks[i]);
  return 0;
}
"""


def sums(rows):
    """{function: (blocks, bytes, bytes not freed)} of those that asked for something."""
    found = {}
    for row in rows:
        if row["allocs"]:
            old = found.get(row["function"], (0, 0, 0))
            found[row["function"]] = tuple(a + b for a, b in zip(old, (row["allocs"], row["allocbytes"], row["unfreed"])))
    return found


class Alloc(harness.Case):
    def report(self, *arguments):
        done = self.callsig("report", "--format", "json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def run_counted(self, program, *options, output="out", **more):
        done = self.callsig("run", *options, "-o", self.path(output), program, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path(output)

    def test_counts(self):
        program = self.compile("asks", PROGRAM, "-O1", "-fno-builtin", "-w", libs=["-lpthread"])
        for options in (["--alloc"], ["--library-calls"], ["--alloc", "--times", "exact"], ["--alloc", "--no-signatures"]):
            recording = self.run_counted(program, *options)
            expected = dict(EXPECTED)
            # It frees what it was given, and never what its child was.
            expected["take"] = (EXPECTED["take"][0], EXPECTED["take"][1], 10 + 11)
            with self.subTest(options=options):
                self.assertEqual(sums(self.report("--by", "function", recording)["rows"]), expected)
                by_signature = sums(self.report(recording)["rows"])
                self.assertEqual(by_signature, expected)
                by_thread = sums(self.report("--by", "function,thread,process", recording)["rows"])
                self.assertEqual(by_thread, expected)

    def test_a_merge_sums(self):
        program = self.compile("asks", PROGRAM, "-O1", "-fno-builtin", "-w", libs=["-lpthread"])
        first = self.run_counted(program, "--alloc", output="first")
        second = self.run_counted(program, "--alloc", output="second")
        merged = self.path("merged")
        self.assertEqual(self.callsig("merge", "-o", merged, first, second).returncode, 0)
        twice = {name: tuple(2 * n for n in values) for name, values in sums(self.report(first)["rows"]).items()}
        self.assertEqual(sums(self.report(merged)["rows"]), twice)
        self.assertEqual(sums(self.report(first, second)["rows"]), twice)

    def test_cxx(self):
        program = self.compile("asks", CXX, "-O1", "-std=c++17", compiler="c++")
        rows = sums(self.report("--by", "function", self.run_counted(program, "--alloc"))["rows"])
        self.assertEqual(rows["one"], (2, 200, 100))
        self.assertEqual(rows["aligned"], (2, 384, 192))
        self.assertEqual(rows["quiet"], (1, 33, 33))
        self.assertEqual(rows["fails"], (1, 40, 0))

    def test_the_table(self):
        program = self.compile("asks", KINDS, "-O1", "-fno-builtin")
        recording = self.run_counted(program, "--alloc")
        done = self.callsig("report", recording, "--columns", "ncalls,alloc", "-s", "allocbytes", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Ordered by: bytes asked for", done.stdout)
        lines = [line.split() for line in done.stdout.splitlines() if "work(" in line]
        self.assertEqual([line[:4] for line in lines], [["1", "1", "70", "70"], ["2", "2", "10", "10"]])
        csv = self.callsig("report", recording, "--format", "csv").stdout.splitlines()
        self.assertTrue(csv[0].endswith(",allocs,allocbytes,unfreed_allocs,unfreed"))
        self.assertTrue(any(line.endswith(",2,10,2,10") for line in csv))

    def usual(self, program, *options):
        """What half of the calls of malloc() and of free() took no more than together, as the clock read it."""
        rows = self.report("--raw", "--by", "function", self.run_counted(program, "--times", "exact", "--percentiles", *options))["rows"]
        found = {row["function"]: row["p50"] for row in rows if row["ncalls"] == 300000}
        self.assertEqual(found.keys(), {"malloc", "free"})
        return sum(found.values())

    def test_times_are_without_what_is_kept(self):
        """What callsig does for each block takes several times as long as the allocator does, and lies outside of the call's time."""
        program = self.compile("asks", BLOCKS, "-O1", "-fno-builtin")
        counted = self.usual(program, "--library-calls=malloc", "--library-calls=free")
        self.assertLess(self.usual(program, "--alloc"), 2 * counted + 20e-9)

    def test_counting_from_zero(self):
        program = self.compile("asks", r"""
#include <stdlib.h>
#include <callsig/callsig.h>
void *kept[9];
__attribute__((noinline)) void take(int i) { kept[i] = malloc(100); }
__attribute__((noinline)) void give(int i) { free(kept[i]); }
int main(void)
{
  for (int i = 0; i < 5; i++) take(i);
  callsig_reset();
  give(0); give(1);
  for (int i = 5; i < 8; i++) take(i);
  give(5);
  return 0;
}
""", "-fno-builtin", "-I" + harness.INCLUDE,
                               libs=("-L" + harness.RUNTIME, "-lcallsig", "-Wl,-rpath," + harness.RUNTIME))
        rows = sums(self.report("--by", "function", self.run_counted(program, "--alloc"))["rows"])
        self.assertEqual(rows, {"take": (3, 300, 200)})

    def test_sums_of_bytes_stand_still(self):
        """An allocator of another library's may give more than there is, often."""
        given = self.compile("libgives.so", "#include <stddef.h>\nvoid *aligned_alloc(size_t a, size_t n)\n"
                             "{ static char some[8][64]; static unsigned next; (void)n; return &some[next++ % 8][a % 64]; }\n",
                             "-shared", "-fPIC", instrument=False)
        program = self.compile("asks", r"""
#include <stdlib.h>
#define PART __attribute__((noinline))
void *volatile kept;
PART void much(size_t n) { kept = aligned_alloc(16, n); }
PART void less(size_t n) { kept = aligned_alloc(16, n); }
int main(void)
{
  for (int i = 0; i < 3; i++) much((size_t)1 << 63);
  less((size_t)1 << 63);
  return 0;
}
""", "-O1", "-fno-builtin", libs=(given, "-Wl,-rpath," + os.path.dirname(given)))
        recording = self.run_counted(program, "--alloc")
        rows = {row["function"]: row for row in self.report("--by", "function", recording)["rows"]}
        self.assertEqual([(rows[name]["allocs"], rows[name]["allocbytes"], rows[name]["unfreed"]) for name in ("much", "less")],
                         [(3, 2 ** 64 - 1, None), (1, 2 ** 63, 2 ** 63)])
        self.assertIn("sums of bytes asked for stand still at 2^64 - 1", self.callsig("report", "--columns", "+alloc", "--notes", recording).stdout)

    def test_a_call_under_way_when_counting_begins(self):
        """Its block is of the time before: neither asked for nor freed in the new one."""
        asking = self.compile("libasks.so", r"""
#include <stddef.h>
void *__libc_malloc(size_t);
void (*during)(void);
void *valloc(size_t n) { if (during) during(); return __libc_malloc(n); }
""", "-shared", "-fPIC", instrument=False)
        program = self.compile("asks", r"""
#include <stdlib.h>
#include <callsig/callsig.h>
extern void (*during)(void);
void *valloc(size_t n);
void *volatile kept;
__attribute__((noinline)) void nothing(void) { __asm__ volatile(""); }
static void reset(void) { callsig_reset(); nothing(); }
__attribute__((noinline)) void take(size_t n) { kept = valloc(n); }
__attribute__((noinline)) void give(void) { free(kept); }
int main(void)
{
  take(10);
  during = reset;
  take(100);
  during = NULL;
  give();
  take(1000);
  give();
  take(7);
  return 0;
}
""", "-O1", "-fno-builtin", "-I" + harness.INCLUDE,
                               libs=(asking, "-Wl,-rpath," + os.path.dirname(asking), "-L" + harness.RUNTIME, "-lcallsig",
                                     "-Wl,-rpath," + harness.RUNTIME))
        rows = sums(self.report("--by", "function", self.run_counted(program, "--alloc"))["rows"])
        self.assertEqual(rows, {"take": (2, 1007, 7)})

    def test_calls_that_are_left(self):
        """A call that a handler leaves by siglongjmp() never ends: its record is used again when its thread has, or a period begins."""
        program = self.compile("asks", r"""
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <callsig/callsig.h>
#define PART __attribute__((noinline))
static sigjmp_buf back;
static void leave(int number) { siglongjmp(back, number); }
static char *volatile text = (char *)1;
PART void nothing(void) { __asm__ volatile(""); }
PART void ask(void)
{
  free(malloc(10));
  if (sigsetjmp(back, 1) == 0)
    (void)strdup(text);
}
static void *thread(void *unused) { ask(); nothing(); return unused; }
int main(int argc, char **argv)
{
  (void)argv;
  signal(SIGSEGV, leave);
  for (int i = 0; i < 400; i++) {
    pthread_t one;
    if (argc > 1) {
      ask();
      nothing();
      callsig_reset();
      nothing();
    } else if (pthread_create(&one, NULL, thread, NULL) == 0) {
      pthread_join(one, NULL);
    }
  }
  ask();
  return 0;
}
""", "-O1", "-fno-builtin", "-pthread", "-I" + harness.INCLUDE,
                               libs=("-L" + harness.RUNTIME, "-lcallsig", "-Wl,-rpath," + harness.RUNTIME))
        for arguments, calls in (((), 401), (("periods",), 1)):
            recording = self.path("out")
            done = self.callsig("run", "--alloc", "-o", recording, program, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = sums(self.report("--by", "function", recording)["rows"])
            self.assertEqual(rows, {"ask": (calls, calls * 10, 0)})
            with open(recording, "rb") as file:
                self.assertLess(file.read().count(b"CASK"), 100)

    def test_what_is_not_told(self):
        program = self.compile("asks", KINDS, "-O1", "-fno-builtin")
        plain = self.run_counted(program, "--library-calls=malloc", output="plain")
        done = self.callsig("report", plain, "--columns", "+alloc")
        self.assertEqual(done.returncode, 0)
        notes = [line for line in done.stdout.splitlines() if "--alloc" in line]
        self.assertEqual(notes, ["no recording tells what was asked the allocator for: callsig run --alloc does"])
        self.assertRegex(done.stdout, r"\n +2 .* \? +\? +\? .*work\(n=5\)")
        self.assertTrue(all("allocs" not in row for row in self.report(plain)["rows"]))
        told = self.run_counted(program, "--alloc")
        done = self.callsig("report", plain, told, "--columns", "+alloc")
        self.assertIn("1 of the recordings do not tell what was asked the allocator for", done.stdout)
        self.assertEqual({row["unfreed"] for row in self.report(plain, told)["rows"] if row["function"] == "work"}, {None})

    def test_the_first_call_of_a_child(self):
        """A child's recording begins with its first hook: the block that this call asks for is in it."""
        program = self.compile("asks", r"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void *volatile kept;
int main(void)
{
  pid_t child = fork();
  if (child == 0) {
    kept = malloc(77);
    free(malloc(5));
    _exit(0);
  }
  waitpid(child, NULL, 0);
  return 0;
}
""", "-O1", "-fno-builtin")
        rows = sums(self.report("--by", "function", self.run_counted(program, "--alloc"))["rows"])
        self.assertEqual(rows, {"main": (2, 82, 77)})

    def test_functions_that_are_not_counted(self):
        program = self.compile("asks", r"""
#include <stdlib.h>
void (*volatile freeing)(void *) = free;
void *volatile kept;
int work(int n) { kept = malloc((size_t)n); if (n > 5) free(kept); else freeing(kept); return 0; }
int main(void) { return work(5) + work(70); }
""", "-O1", "-fno-builtin", "-fPIE", "-fno-plt")
        recording = self.run_counted(program, "--alloc")
        done = self.callsig("report", recording, "--columns", "+alloc")
        rows = sums(self.report("--by", "function", recording)["rows"])
        self.assertEqual(rows["work"][:2], (2, 75))
        if rows["work"][2] != 5:
            self.assertIn("what they free counts as not freed", done.stdout)

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not there")
    def test_valgrind_sees_the_same(self):
        """A program that alone asks: its own functions and no others call the allocator."""
        source = r"""
#include <stdlib.h>
#include <string.h>
struct node { struct node *left, *right; char *name; };
static void *volatile kept;
struct node *grow(int depth)
{
  struct node *made = calloc(1, sizeof *made);
  char *name = malloc(1);
  name[0] = 0;
  for (int i = 0; i < depth; i++) {
    name = realloc(name, strlen(name) + 3);
    strcat(name, "ab");
  }
  made->name = name;
  if (depth > 0) {
    made->left = grow(depth - 1);
    made->right = grow(depth - 2);
  }
  return made;
}
void drop(struct node *node)
{
  if (!node) return;
  drop(node->left);
  drop(node->right);
  free(node->name);
  free(node);
}
int main(void)
{
  struct node *tree = grow(14);
  drop(tree->left);
  kept = tree->right;
  free(tree);
  return 0;
}
"""
        program = self.compile("tree", source, "-O1", "-fno-builtin")
        plain = self.compile("plain", source, "-O1", "-fno-builtin", instrument=False)
        rows = sums(self.report("--by", "function", self.run_counted(program, "--alloc"))["rows"]).values()
        done = subprocess.run(["valgrind", "--leak-check=no", plain], capture_output=True, text=True, check=True)
        usage = re.search(r"total heap usage: ([\d,]+) allocs, [\d,]+ frees, ([\d,]+) bytes", done.stderr)
        at_exit = re.search(r"in use at exit: ([\d,]+) bytes", done.stderr)
        numbers = [int(text.replace(",", "")) for text in (*usage.groups(), at_exit[1])]
        self.assertEqual([sum(column) for column in zip(*rows)], numbers)

    def test_no_room_in_the_recording(self):
        """Each block is in a row, or is told to be in none."""
        functions = "".join(f"N void f{i}(unsigned path) {{ kept = malloc(8); free(kept); if (path > 1) (path & 1 ? odd : even)[{i} / 2 + 1](path >> 1); }}\n"
                            for i in range(34))
        tables = "".join(f"fn *const {name}[18] = {{{', '.join(f'f{2 * i + odd}' for i in range(17))}, f0}};\n"
                         for odd, name in ((0, "even"), (1, "odd")))
        declared = "".join(f"void f{i}(unsigned path);\n" for i in range(34))
        program = self.compile("paths", "#include <stdlib.h>\n#define N __attribute__((noinline))\ntypedef void fn(unsigned);\n"
                               "static void *volatile kept;\n" + declared + tables + functions +
                               "int main(void) { for (unsigned i = 0; i < 60000; i++) f0(i * 40503u & 65535u); return 0; }\n", "-O1", "-fno-builtin")
        blocks = sum(max((i * 40503 & 65535).bit_length(), 1) for i in range(60000))
        done = self.callsig("run", "--alloc", "-o", self.path("out"), program,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1100 << 10, 1100 << 10)))
        self.assertIn("RLIMIT_FSIZE", done.stderr)
        recording = self.path("out")
        told = self.callsig("report", "--columns", "+alloc", "--notes", recording).stdout
        lost = re.search(r"(\d+) blocks were asked for by calls that could not be recorded", told)
        self.assertIsNotNone(lost, told)
        counted = sum(values[0] for values in sums(self.report("--by", "function", recording)["rows"]).values())
        self.assertGreater(counted, 100)
        self.assertEqual(counted + int(lost[1]), blocks)

    def test_library_globs_stay_what_they_are(self):
        program = self.compile("asks", KINDS, "-O1", "-fno-builtin")
        recording = self.run_counted(program, "--library-calls=callo*")
        self.assertFalse(any(row.get("library") for row in self.report(recording)["rows"]))
        recording = self.run_counted(program, "--alloc", "--library-calls=callo*")
        self.assertEqual({row["function"] for row in self.report(recording)["rows"] if row.get("library")}, {"malloc"})

    def test_variable(self):
        program = self.compile("asks", KINDS, "-O1", "-fno-builtin")
        environment = dict(os.environ, CALLSIG_ALLOC="1", LD_BIND_NOW="1")
        recording = self.run_counted(program, env=environment)
        self.assertEqual(sums(self.report(recording)["rows"]), {"work": (3, 80, 80)})


if __name__ == "__main__":
    harness.main()
