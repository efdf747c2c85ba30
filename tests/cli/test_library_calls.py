"""Calls of imported functions are rows: counted as the library itself counts them, and the program does not notice."""

import csv
import io
import json
import os
import re
import shutil
import unittest

import harness

# A library that is not instrumented and counts its own calls.
LIBRARY = r"""
#include <stdarg.h>
#include <stdio.h>
struct pair { double a; long b; };
struct large { long words[5]; };
static long calls[9];
int simple(int n) { calls[0]++; return n * 3; }
double floats(double x, float y, int n) { calls[1]++; return x * y + n; }
long many(int a, int b, int c, int d, int e, int f, int g, long h) { calls[2]++; return a + b + c + d + e + f + g * 10 + h * 100; }
long variadic(int count, ...)
{
  va_list list;
  double sum = 0;
  calls[3]++;
  va_start(list, count);
  for (int i = 0; i < count; i++)
    sum += va_arg(list, double);
  va_end(list);
  return (long)sum;
}
struct pair small(struct pair p) { calls[4]++; return (struct pair){p.a * 2, p.b + 1}; }
struct large whole(int n) { calls[5]++; return (struct large){{n, n + 1, n + 2, n + 3, n + 4}}; }
long double wide(long double x) { calls[6]++; return x / 3; }
void each(int n, void (*visit)(int)) { calls[7]++; for (int i = 0; i < n; i++) visit(i); }
_Complex double turned(_Complex double z) { calls[8]++; return z * 1.0i; }
void told(FILE *out) { for (int i = 0; i < 9; i++) fprintf(out, "%ld ", calls[i]); }
"""
NAMES = ["simple", "floats", "many", "variadic", "small", "whole", "wide", "each", "turned"]
UNTIMED = {"many", "variadic", "wide"}

HEADER = r"""
#include <complex.h>
#include <stdio.h>
struct pair { double a; long b; };
struct large { long words[5]; };
int simple(int n);
double floats(double x, float y, int n);
long many(int a, int b, int c, int d, int e, int f, int g, long h);
long variadic(int count, ...);
struct pair small(struct pair p);
struct large whole(int n);
long double wide(long double x);
void each(int n, void (*visit)(int));
_Complex double turned(_Complex double z);
void told(FILE *out);
"""

PROGRAM = HEADER + r"""
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static double sum;
static jmp_buf back;
static int (*volatile compare)(const char *, const char *) = strcmp;
static void visit(int i) { sum += simple(i); }
static void leave(int i) { if (i == 1) longjmp(back, 1); }
static void work(int rounds)
{
  for (int i = 0; i < rounds; i++) {
    errno = 1000 + i;
    sum += simple(i % 3) + floats(i, 0.5f, i) + many(1, 2, 3, 4, 5, 6, i, i) + variadic(3, 1.0, 2.5, (double)i);
    struct pair p = small((struct pair){i, i});
    struct large l = whole(i);
    sum += p.a + p.b + l.words[0] + l.words[4] + (double)wide(i) + cimag(turned(i + 1.0i));
    if (errno != 1000 + i)
      sum = -1e9;
  }
  each(5, visit);
  if (!setjmp(back))
    each(5, leave);
}
static void *thread(void *data) { for (int i = 0; i < 1000; i++) simple(7); return data; }
int main(void)
{
  work(20);
  pthread_t other;
  pthread_create(&other, NULL, thread, NULL);
  pthread_join(other, NULL);
  pid_t child = fork();
  if (child == 0) {
    simple(11);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  told(stderr);
  printf("%.6f %d %d\n", sum, compare == strcmp, strcmp("a", "a"));
  return 0;
}
"""

# What is thrown, or cancelled, goes through the frames of library calls.
THROWING = r"""
#include <cstdlib>
#include <cstdio>
#include <pthread.h>
#include <unistd.h>
static int compare(const void *, const void *) { throw 7; }
static void sort() { int values[] = {3, 1, 2}; qsort(values, 3, sizeof *values, compare); }
static int ends[2];
struct cleaner { ~cleaner() { ends[1] = 5; } };
static void *wait(void *data) { cleaner c; char byte; if (read(ends[0], &byte, 1) < 0) return data; return nullptr; }
int main()
{
  int caught = 0;
  for (int i = 0; i < 3; i++)
    try { sort(); } catch (int number) { caught += number; }
  pthread_t thread;
  void *result;
  if (pipe(ends)) return 1;
  pthread_create(&thread, nullptr, wait, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  std::printf("%d %d %d\n", caught, result == PTHREAD_CANCELED, ends[1]);
}
"""

PLUGIN = "int simple(int n); int plugged(int n) { return simple(n) + simple(n); }"
# Loads a plugin and calls it, when nothing of /proc is left.
LEAVING_PROC = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
int main(void)
{
  void *plugin = dlopen("./plugin.so", RTLD_LAZY);
  int (*plugged)(int) = plugin ? (int (*)(int))dlsym(plugin, "plugged") : NULL;
  if (!plugged || unshare(CLONE_NEWNS) || mount("none", "/proc", NULL, MS_REC | MS_PRIVATE, NULL) ||
      mount("none", "/proc", "tmpfs", 0, NULL))
    return 1;
  plugged(2);
  printf("%d\n", plugged(4));
  return 0;
}
"""

LOADING = r"""
#include <dlfcn.h>
int main(void)
{
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    void *plugin = dlopen("./plugin.so", RTLD_LAZY);
    int (*plugged)(int) = (int (*)(int))dlsym(plugin, "plugged");
    sum += plugged(1) + plugged(2);
    dlclose(plugin);
  }
  return sum == 54 ? 0 : 1;
}
"""

# Plug-ins take each other's places, and one that another thread unloads may be back before that has ended.
LOADING_AT_ONCE = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void *load(void *data)
{
  char file[] = "./plugin0.so", name[] = "plugged0";
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++) {
    file[8] = name[7] = (char)('0' + ((long)data + i) % 3);
    void *plugin = dlopen(file, RTLD_LAZY);
    int (*plugged)(int) = (int (*)(int))dlsym(plugin, name);
    sum += plugged(1) + plugged(2);
    dlclose(plugin);
  }
  return (void *)sum;
}
int main(void)
{
  pthread_t threads[4];
  void *sum;
  long total = 0;
  for (long i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, load, (void *)i);
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], &sum);
    total += (long)sum;
  }
  return total == 4 * ROUNDS * 18 ? 0 : 1;
}
"""


# dlclose() that does not return after it has unloaded something, until it may.
SLOW_DLCLOSE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <unistd.h>
atomic_int holds, closed, may_return;
int dlclose(void *handle)
{
  int (*next)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
  int result = next(handle);
  closed = 1;
  while (holds && !may_return)
    usleep(1000);
  return result;
}
"""
REPLACING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
extern atomic_int holds, closed, may_return;
static void *unload(void *library) { dlclose(library); return NULL; }
int main(void)
{
  pthread_t thread;
  void *library = dlopen("./libplaced.so", RTLD_NOW);
  ((int (*)(int))dlsym(library, "placed"))(1);
  holds = 1;
  pthread_create(&thread, NULL, unload, library);
  while (!closed)
    usleep(1000);
  void *plugin = dlopen("./plugin.so", RTLD_NOW);
  Dl_info imported;
  dladdr(dlsym(plugin, "simple"), &imported);
  printf("%d %p\n", ((int (*)(int))dlsym(plugin, "plugged"))(1), imported.dli_fbase);
  may_return = 1;
  pthread_join(thread, NULL);
  return 0;
}
"""


THREADS = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static atomic_int compared;
static int compare(const void *a, const void *b) { compared++; return *(const int *)a - *(const int *)b; }
static void spin(int n)
{
  int values[4] = {4, 3, 2, 1};
  for (int i = 0; i < n; i++) {
    void *p = malloc((size_t)(i % 600) + 1);
    memset(p, 0, (size_t)(i % 600) + 1);
    free(p);
  }
  qsort(values, 4, sizeof *values, compare);
}
static void *run(void *data) { spin(2000); return data; }
int main(void)
{
  pthread_t threads[6];
  for (int i = 0; i < 6; i++)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 6; i++)
    pthread_join(threads[i], NULL);
  printf("%d\n", compared);
  return 0;
}
"""


class LibraryCalls(harness.Case):
    def setUp(self):
        super().setUp()
        self.compile("liboracle.so", LIBRARY, "-shared", "-fPIC", instrument=False)
        self.linked = ("-L.", self.path("liboracle.so"), "-Wl,-rpath," + self.folder, "-lpthread", "-ldl", "-lm")

    def rows(self, *options, file="run.out"):
        done = self.callsig("report", "--format", "json", "--raw", *options, file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["rows"]

    def record(self, *arguments, options=("--library-calls",)):
        return self.callsig("run", "--apart", "-o", "run.out", *options, *arguments)

    def check_counts(self, *flags):
        program = self.compile("program", PROGRAM, "-fno-builtin", *flags, libs=self.linked)
        plain = self.run_command(program)
        done = self.record(program)
        self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
        self.assertTrue(plain.stdout.endswith(" 1 0\n") and "-1000000000" not in plain.stdout)
        self.assertIn("(strcmp) are not counted", done.stderr)
        counts = [int(word) for word in plain.stderr.split()]
        rows = {row["function"]: row for row in self.rows("--by", "function") if "library" in row}
        self.assertEqual({name: rows[name]["ncalls"] for name in NAMES}, dict(zip(NAMES, counts)))
        self.assertEqual({name: rows[name]["timed_calls"] for name in NAMES},
                         {name: 0 if name in UNTIMED else rows[name]["timed_calls"] for name in NAMES})
        of_table = {row["function"]: row for row in csv.DictReader(io.StringIO(self.callsig("report", "--format", "csv", "--raw", "--by", "function", "run.out").stdout))}
        for name in NAMES:
            self.assertEqual(of_table[name]["timed_calls"], str(rows[name]["timed_calls"]))
            self.assertEqual(of_table[name]["tottime_error"] == "", rows[name]["tottime_error"] is None)
        for view, times in (("--callees", r"\? +\?"), ("--callers", r"\? +\?"), ("--view=averages", r"(?:\? +){5}")):
            table = self.callsig("report", "--raw", "--by", "function", *view.split("="), "run.out").stdout
            for name in UNTIMED:
                if rows[name]["ncalls"] > 0:
                    self.assertTrue(re.search(rf"{times}.*\({name}\)|\({name}\).* {times} |^ *{name} +{times}", table, re.MULTILINE), (view, name, table))
        self.assertEqual(rows["_setjmp" if "_setjmp" in rows else "setjmp"]["ncalls"], 1)
        self.assertEqual((rows["longjmp"]["ncalls"], rows["fork"]["ncalls"], rows["told"]["ncalls"]), (1, 1, 1))
        self.assertNotIn("strcmp", rows)
        return rows

    def test_counts_by_lazy_slots(self):
        self.check_counts("-Wl,-z,lazy")
        child, = [name for name in os.listdir(self.folder) if name.startswith("run.out.")]
        simple, = [row for row in self.rows("--by", "function", file=child) if row["function"] == "simple"]
        self.assertEqual(simple["ncalls"], 1)

    def test_counts_by_slots_that_are_read_only(self):
        self.check_counts("-Wl,-z,now,-z,relro", "-fno-plt")

    def test_functions_that_cannot_be_counted_are_named(self):
        """All of them in one line, or as many as it has room for."""
        for count, length in ((3, 4), (60, 30), (1, 600)):
            names = [f"f{i}".ljust(length, "_") for i in range(count)]
            library = self.compile("libread.so", "".join(f"int {name}(int n) {{ return n; }}\n" for name in names), "-shared", "-fPIC", instrument=False)
            program = self.compile("reads", "".join(f"int {name}(int);\n" for name in names) +
                                   "int (*volatile kept)(int);\nint main(void)\n{\n" +
                                   "".join(f"kept = {name}; {name}(1);\n" for name in names) + "return 0;\n}\n",
                                   libs=(library, "-Wl,-rpath," + self.folder))
            done = self.record(program)
            self.assertEqual(done.returncode, 0, done.stderr)
            told = re.search(r"the calls of (\d+) of the functions that it imports \((.*)\) are not counted", done.stderr)
            listed = told[2].split(", ")
            self.assertEqual(int(told[1]), count)
            if count == 3:
                self.assertEqual(sorted(listed), names)
            else:
                self.assertEqual(listed.pop(), "...")
                self.assertLessEqual(set(listed), set(names))
                self.assertEqual(len(listed), 0 if count == 1 else 14)

    def test_functions_with_rows_of_their_own_are_not_said_to_be_uncounted(self):
        """Their addresses are taken, but they are in a library that counts its calls itself."""
        library = self.compile("libcounts.so", "int counted(int n) { return n; }\n", "-shared", "-fPIC")
        program = self.compile("reads", "int counted(int);\nint (*volatile kept)(int);\nint main(void)\n{\nkept = counted; counted(1);\nreturn 0;\n}\n",
                               libs=(library, "-Wl,-rpath," + self.folder))
        done = self.record(program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([row["ncalls"] for row in self.rows() if row["function"] == "counted"], [1])

    def test_arguments_and_callers(self):
        self.compile("program", PROGRAM, "-fno-builtin", libs=self.linked)
        self.assertEqual(self.record("./program").returncode, 0)
        rows = {row["signature"]: row for row in self.rows()}
        self.assertEqual([rows[f"simple(n={n})"]["ncalls"] if f"simple(n={n})" in rows else rows[f"simple($1={n})"]["ncalls"]
                          for n in (0, 1, 2, 3, 4, 7)], [8, 8, 7, 1, 1, 1000])
        self.assertIn("many($1=1, $2=2, $3=3, $4=4, $5=5, $6=6, $7=19, $8=19)", rows)
        self.assertIn("variadic($1=3, ...)", rows)
        self.assertIn("each($1=5, $2=visit)", rows)
        done = self.callsig("report", "--callers", "--by", "function", "run.out", r"\(simple\)")
        self.assertIn("(visit)", done.stdout)
        self.assertIn("(thread)", done.stdout)
        rows = self.callsig("report", "--by", "function", "run.out", r"\[library\]").stdout
        self.assertIn("(many) [library]", rows)
        self.assertNotIn("(visit)", rows)
        self.assertIn("(many) [library]", self.callsig("report", "--by", "function", "run.out", r"\(many\)$").stdout)
        table = self.callsig("report", "--by", "function", "run.out").stdout.splitlines()
        many, = [line for line in table if "(many)" in line]
        self.assertEqual((many.split()[:5], many.endswith(" [library]")), (["20", "?", "?", "?", "?"], True))
        self.assertRegex("\n".join(table), r"\n\d+ calls of library functions without times \(\?\): what they took is in their callers' own time, \d+ of them called by .*:\d+\(work\)\n")

    def test_globs(self):
        self.compile("program", PROGRAM, libs=self.linked)
        self.assertEqual(self.record("./program", options=("--library-calls=sim*", "--library-calls=man[xy]")).returncode, 0)
        self.assertEqual({row["function"] for row in self.rows("--by", "function") if "library" in row}, {"simple", "many"})
        self.assertEqual(self.record("./program", options=()).returncode, 0)
        self.assertEqual([row for row in self.rows() if "library" in row], [])

    @unittest.skipUnless(shutil.which("c++"), "no C++ compiler")
    def test_unwinding(self):
        for flags in (), ("-fno-plt",):
            program = self.compile("throwing", THROWING, "-x", "c++", *flags, compiler="c++", libs=("-lpthread",))
            done = self.record(program)
            self.assertEqual((done.returncode, done.stdout), (0, "21 1 5\n"), done.stderr)
            rows = {row["function"]: row["ncalls"] for row in self.rows("--by", "function")}
            self.assertEqual((rows["qsort"], rows["compare"], rows["read"]), (3, 3, 1))

    def check_loading(self, *flags, **compiler):
        self.compile("plugin.so", PLUGIN, "-g", "-shared", "-fPIC", *flags, libs=self.linked, **compiler)
        self.compile("loading", LOADING, "-g", *flags, libs=self.linked, **compiler)
        done = self.record("./loading")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        rows = {row["function"]: row["ncalls"] for row in self.rows("--by", "function")}
        self.assertEqual((rows["simple"], rows["plugged"], rows["dlopen"]), (12, 6, 3))

    def test_module_that_comes_and_goes(self):
        self.check_loading()

    def test_module_with_sleds_that_comes_and_goes(self):
        self.check_loading("-O1", "-fno-optimize-sibling-calls", compiler=harness.CALLSIG_CC, instrument=False)

    def test_modules_that_threads_load(self):
        for kind in ({}, {"compiler": harness.CALLSIG_CC, "instrument": False}):
            for number in "012":
                self.compile(f"plugin{number}.so", PLUGIN.replace("plugged", f"plugged{number}"), "-g", "-shared", "-fPIC",
                             libs=self.linked, **kind)
            self.compile("loading", LOADING_AT_ONCE, "-g", "-DROUNDS=400", libs=(*self.linked, "-lpthread"), **kind)
            done = self.record("./loading")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            rows = self.rows("--by", "function")
            counts = [sum(row["ncalls"] for row in rows if row["function"].startswith(name)) for name in ("plugged", "simple")]
            self.assertEqual(counts, [3200, 6400])

    def test_library_where_a_module_was(self):
        """The library of an imported function comes to where a module with hooks was, which a thread has unloaded and has not told of yet: it is
        no module with hooks."""
        place = "-Wl,-Ttext-segment=0x7d0000000000"
        self.compile("libplaced.so", "int placed(int n) { return n; }", "-g", "-shared", "-fPIC", place)
        self.compile("libimported.so", "int simple(int n) { return n * 3; }", "-shared", "-fPIC", place, instrument=False)
        self.compile("libslow.so", SLOW_DLCLOSE, "-shared", "-fPIC", instrument=False, libs=("-ldl",))
        self.compile("plugin.so", PLUGIN, "-g", "-shared", "-fPIC", libs=(self.path("libimported.so"),))
        program = self.compile("replacing", REPLACING, "-g", libs=(self.path("libslow.so"), "-Wl,-rpath," + self.folder, "-lpthread", "-ldl"))
        done = self.record(program)
        self.assertEqual((done.returncode, done.stdout), (0, "6 0x7d0000000000\n"), done.stderr)
        rows = {row["function"]: row["ncalls"] for row in self.rows("--by", "function")}
        self.assertEqual((rows["placed"], rows["plugged"], rows["simple"]), (1, 1, 2))

    @unittest.skipUnless(os.geteuid() == 0, "a place of its own can be had by root alone")
    def test_where_proc_is_gone(self):
        """What a module's slots lie beside is the program's data: it stays writable where nothing tells how its pages are protected."""
        self.compile("plugin.so", "int calls = 1;\nint simple(int);\nint plugged(int n) { calls += simple(n); return calls; }\n", "-g", "-shared", "-fPIC",
                     "-Wl,-z,lazy", libs=self.linked)
        program = self.compile("leaving", LEAVING_PROC, "-g", libs=self.linked)
        done = self.record(program)
        self.assertEqual((done.returncode, done.stdout), (0, "19\n"), done.stderr)
        self.assertIn("plugin.so: the slots of the functions that it imports cannot be written here", done.stderr)
        rows = {row["function"]: row["ncalls"] for row in self.rows("--by", "function")}
        self.assertEqual((rows["plugged"], rows.get("simple")), (2, None))

    def test_threads_with_sleds(self):
        program = self.compile("threads", THREADS, "-g", "-fno-builtin", "-O2", compiler=harness.CALLSIG_CC, instrument=False,
                               libs=("-lpthread",))
        done = self.record(program)
        self.assertEqual(done.returncode, 0, done.stderr)
        counted = {"malloc": 12000, "memset": 12000, "free": 12000, "qsort": 6, "pthread_create": 6, "pthread_join": 6,
                   "compare": int(done.stdout)}
        rows = {row["function"]: row["ncalls"] for row in self.rows("--by", "function")}
        self.assertEqual({name: rows[name] for name in counted}, counted)
        # Below qsort, by the tree; and widened, since there are more sizes than signatures that a function may have.
        self.assertIn("(qsort)", self.callsig("report", "--callers", "--by", "function", "run.out", r"\(compare\)").stdout)
        sizes = [row["signature"] for row in self.rows() if row["function"] == "malloc"]
        self.assertIn("malloc($1=2^8..2^9)", sizes)

    def test_refused(self):
        self.compile("program", PROGRAM, libs=self.linked)
        self.assert_fails(self.record("--beside", "./program"), 2, "--beside", "library calls")
        self.compile("static", harness.CALLS, libs=(os.path.join(harness.RUNTIME, "libcallsig.a"), "-lpthread"))
        self.assert_fails(self.record("./static"), 1, "static", "libcallsig.so")


if __name__ == "__main__":
    harness.main()
