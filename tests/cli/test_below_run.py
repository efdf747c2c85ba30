# ctest: case - quick
# ctest: case _full full --full
"""callsig run --below and --depth record the part of the call tree that the report cuts out of a full recording, and no more.

With --full, every bound with every way by which hooks come into a program; else half of them, by turns: each bound with hooks
and with sleds, of gcc and of clang."""

import json
import os
import random
import shutil
import sys

import harness
from harness import CALLSIG, Case

FULL = "--full" in sys.argv
UPPER, MIDDLE, LOWER = 8, 3, 12

START = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>
#ifndef HERE
#define HERE static
#endif
static __thread jmp_buf *target;
static __thread ucontext_t outside, inside;
static __thread int is_inside;
static volatile unsigned sink;
"""

# A switch to the other machine stack and back, in the middle of calls of both.
END = r"""
HERE void on_signal(int number) { low7(3, (unsigned)number); }
HERE void routine(void) { is_inside = 1; up1(5, 77); low2(4, 5); swapcontext(&inside, &outside); up3(5, 7); is_inside = 0; }
HERE void *work(void *seed)
{
  static __thread char stack[262144];
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &outside;
  makecontext(&inside, routine, 0);
  for (unsigned i = 0; i < 12; i++)
    up0(9, (unsigned)(size_t)seed * 7919 + i * 31);
#ifndef ONE_STACK
  swapcontext(&outside, &inside);
  up5(6, 99);
  swapcontext(&outside, &inside);
#endif
  return NULL;
}
int main(void)
{
  static char handlers[65536];
  stack_t other = {.ss_sp = handlers, .ss_size = sizeof handlers};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigaltstack(&other, NULL);
  sigaction(SIGUSR1, &action, NULL);
  work((void *)1);
  for (size_t i = 2; i < 5; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)i);
    pthread_join(thread, NULL);
  }
  return 0;
}
"""


def program():
    """Functions that call each other by a seed: the upper ones themselves and the middle ones, these the lower ones, and they themselves.
    Some leave by longjmp, some raise a signal."""
    draw = random.Random(5)
    upper, middle, lower = ([f"{kind}{i}" for i in range(count)] for kind, count in (("up", UPPER), ("mid", MIDDLE), ("low", LOWER)))
    lines = [START] + [f"HERE int {name}(int budget, unsigned seed);" for name in upper + middle + lower]
    for name in upper + middle + lower:
        callees = draw.sample(upper + middle if name in upper else lower, 4)
        attribute = "" if draw.random() < 0.3 else "__attribute__((noinline)) "
        body = ["  unsigned next = (seed * 5 + 3) % 16, way = next ^ next >> 2;", "  if (budget <= 0) return (int)(sink += seed & 3);"]
        if name in ("low3", "up4"):
            body += ["  jmp_buf here, *volatile before = target;", "  target = &here;",
                     f"  if (setjmp(here) == 0) {callees[0]}(budget - 1, next);", "  target = before;"]
        if name in ("low5", "low9"):
            body += ["#ifndef ONE_STACK", "  if (target && !is_inside && way % 3 == 0) longjmp(*target, 1);", "#endif"]
        if name == "up2":
            body += ["  if (way % 4 == 0) raise(SIGUSR1);"]
        body += [f"  if (way & {1 << i}) {callee}(budget - 1, next + {i});" for i, callee in enumerate(callees[:3])]
        body += [f"  return {callees[3]}(budget - 2, next ^ 5) + 1;"]
        lines += [f"HERE {attribute}int {name}(int budget, unsigned seed)", "{", *body, "}"]
    return "\n".join(lines) + END


# Hooks that count by the machine stack which calls are below the functions named TOP...: what callsig is held against.
ORACLE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#define PLAIN __attribute__((no_instrument_function))
static struct { void *function; const char *name; unsigned long calls, primitive, open; } known[100];
static unsigned inside;
static PLAIN int find(void *function)
{
  int i = 0;
  Dl_info info;
  while (known[i].function && known[i].function != function) i++;
  known[i].function = function;
  known[i].name = dladdr(function, &info) && info.dli_sname ? info.dli_sname : "(static)";
  return i;
}
static PLAIN int is_top(int i) { const char *at = strstr(TOPS, known[i].name); return at && at[strlen(known[i].name)] == ' '; }
PLAIN void __cyg_profile_func_enter(void *function, void *from)
{
  (void)from;
  int i = find(function);
  inside += is_top(i);
  known[i].calls += inside > 0;
  known[i].primitive += inside > 0 && known[i].open == 0;
  known[i].open += inside > 0;
}
PLAIN void __cyg_profile_func_exit(void *function, void *from)
{
  (void)from;
  int i = find(function);
  known[i].open -= inside > 0;
  inside -= is_top(i);
}
PLAIN __attribute__((destructor)) void tell(void)
{
  for (int i = 0; known[i].function; i++)
    if (known[i].calls) printf("%s %lu %lu\n", known[i].name, known[i].calls, known[i].primitive);
}
"""


HOOKS = ("-g", "-finstrument-functions")
# How hooks come into a program: the compiler, the options beside those for it.
DOORS = {
    "hooks at -O0": ("gcc", HOOKS, "-O0"),
    "hooks at -O2": ("gcc", HOOKS, "-O2"),
    "gcc sleds": ("gcc", None, "-O2"),
    "clang hooks": ("clang", HOOKS, "-O2"),
    "clang hooks after inlining": ("clang", ("-g", "-finstrument-functions-after-inlining"), "-O2"),
    "clang sleds": ("clang", None, "-O2"),
}
BOUNDS = (
    ("--depth", "1"),
    ("--depth", "3"),
    ("--depth", "6"),
    ("--below", r"\(mid[02]\)"),
    ("--below", r"\(mid[01]\)", "--depth", "2"),
    ("--below", "no such function"),
    ("--below", r"\(main\)", "--depth", "4"),
)


class BelowRun(Case):
    def build(self, door, *more):
        compiler, flags, level = DOORS[door]
        if shutil.which(compiler) is None:
            self.skipTest(f"there is no {compiler}")
        if flags is None:
            flags = self.callsig("flags", "--cc", compiler, "--cflags").stdout.split()
        self.write("calls.c", program())
        done = self.run_command(compiler, *flags, level, *more, self.path("calls.c"), "-o", self.path("calls"), "-lpthread", "-w")
        self.assertEqual(done.returncode, 0, done.stderr)

    def rows(self, recording, by, *options):
        done = self.callsig("report", "--format", "json", "--raw", "--by", by, *options, recording)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual([note for note in document["notes"] if "lost" in note or "without an ent" in note], [], options)
        return {row[by]: (row["ncalls"], row["pcalls"]) for row in document["rows"]}

    def assert_rows(self, got, wanted):
        different = [(name, got.get(name), wanted.get(name)) for name in sorted(got.keys() | wanted.keys()) if got.get(name) != wanted.get(name)]
        self.assertEqual(different[:5], [], f"{len(different)} of {len(wanted)}: name, got, wanted")

    def check(self, door, *settings):
        self.build(door)
        self.assertEqual(self.callsig("run", *settings, "-o", "full.out", "./calls").returncode, 0)
        turn = list(DOORS).index(door) % 2
        for bounds in BOUNDS if FULL else BOUNDS[turn::2]:
            with self.subTest(bounds=bounds):
                self.assertEqual(self.callsig("run", *settings, *bounds, "-o", "part.out", "./calls").returncode, 0)
                for by in "function", "signature":
                    wanted, got = self.rows("full.out", by, *bounds), self.rows("part.out", by)
                    self.assertEqual(bool(wanted), "no such function" not in bounds)
                    # What the report cuts off such a recording is nothing.
                    self.assert_rows(self.rows("part.out", by, *bounds), got)
                    self.assert_rows({name: calls for name, (calls, _) in got.items()}, {name: calls for name, (calls, _) in wanted.items()})
                    # A call is primitive by what is recorded, and a function that is open too deep is not.
                    if "--depth" in bounds:
                        self.assertTrue(all(got[name][1] >= primitive for name, (_, primitive) in wanted.items()))
                    else:
                        self.assert_rows(got, wanted)

    def test_hooks_at_O0(self):
        self.check("hooks at -O0")

    def test_hooks_at_O2(self):
        self.check("hooks at -O2", "--times", "exact")

    def test_gcc_sleds(self):
        self.check("gcc sleds")

    def test_clang_hooks(self):
        self.check("clang hooks")

    def test_clang_hooks_after_inlining(self):
        self.check("clang hooks after inlining")

    def test_clang_sleds(self):
        self.check("clang sleds", "--times", "exact")

    def test_names_nothing(self):
        """That no function has such a name is told where no table is, too; where one has, nothing is."""
        self.build("hooks at -O0")
        for below, is_told in ("no such function", True), (r"\(main\)", False):
            done = self.callsig("run", "--below", below, "-o", "part.out", "./calls")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("nothing was recorded" in done.stderr, is_told, done.stderr)
            self.assertNotIn("function calls", done.stderr)
            self.assertTrue(os.path.exists(self.path("part.out")))

    def test_around(self):
        """Where a call below enters again what is around, all that it calls is recorded, which no report can tell of a full recording."""
        self.write("hooks.c", ORACLE)
        for tops in ("low0", "low4", "low8"), ("low7",), ("up3", "mid1"):
            self.build("hooks at -O0", "-DONE_STACK", "-fno-optimize-sibling-calls")
            done = self.run_command("gcc", "-g", "-finstrument-functions", "-DONE_STACK", "-DHERE=", "-w", "-O0", "-rdynamic", self.path("calls.c"),
                                    self.path("hooks.c"), f'-DTOPS="{" ".join(tops)} "', "-o", self.path("oracle"))
            self.assertEqual(done.returncode, 0, done.stderr)
            wanted = {}
            for line in self.run_command(self.path("oracle")).stdout.splitlines():
                name, calls, primitive = line.split()
                wanted[name] = (int(calls), int(primitive))
            self.assertIn(tops[0], wanted)
            self.assertEqual(self.callsig("run", "--below", r"\((%s)\)" % "|".join(tops), "-o", "part.out", "./calls").returncode, 0)
            self.assert_rows(self.rows("part.out", "function"), wanted)


if __name__ == "__main__":
    sys.argv = [argument for argument in sys.argv if argument != "--full"]
    harness.main()
