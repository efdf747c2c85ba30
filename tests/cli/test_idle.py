#!/usr/bin/env python3
# ctest: case - quick Idle.test_switched_to_and_fro Idle.test_switches_itself_on Idle.test_forked_child Idle.test_executed Idle.test_reset_and_off_while_idle Idle.test_run_is_killed Idle.test_left_behind Idle.test_seccomp Idle.test_loaded_library Idle.test_threads Idle.test_slow_run Idle.test_ends_meanwhile Idle.test_hooks Idle.test_recording_is_moved Idle.test_recording_is_cut Idle.test_text_that_may_not_be_written IdleClang.test_threads
# ctest: case _full full
"""A program that is run and does not record has no calls of hooks in its text, until it is asked for something or switches recording on
itself: and counts are exact then, as ever.

The program does what lines on its standard input say, and answers each; `b` says what its sleds are at that moment.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness

SOURCE = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <callsig/callsig.h>

#define PLAIN CALLSIG_NO_INSTRUMENT
#define CALLED __attribute__((noinline))
extern int callsig_enable(void) __attribute__((weak));
extern int callsig_disable(void) __attribute__((weak));

""" + harness.FORBID + r"""
static CALLED void first(void) { __asm__ volatile(""); }
static CALLED void second(void) { __asm__ volatile(""); }
static CALLED void fourth(void) { __asm__ volatile(""); }
static CALLED int third(int n) { int sum = 0; while (n > 0) { sum += n--; __asm__ volatile("" : "+r"(sum)); } return sum; }

/* The first instruction of the function: a call, one that was taken out, or what the compiler made of it. */
static PLAIN const char *state(const void *function)
{
  const unsigned char *text = function;
  if (!memcmp(text, "\xf3\x0f\x1e\xfa", 4))
    text += 4;
  while (*text == 0x2e)
    text++;
  return *text == 0xe8 ? "calls" : *text == 0xa9 ? "idle" : *text == 0x0f || *text == 0xeb ? "off" : "?";
}

static int stop; /* no thread is there, or is to go on */
static long made[4];
static CALLED void *busy(void *at)
{
  long n = 0;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    fourth();
    n++;
  }
  *(long *)at = n;
  return 0;
}

static PLAIN void answer(const char *line)
{
  static pthread_t threads[4];
  static void (*loaded)(void);
  const int n = atoi(line + 1);
  if (line[0] == '1' || line[0] == '2')
    for (int i = 0; i < n; i++)
      (line[0] == '1' ? first : second)();
  else if (line[0] == '3')
    third(n);
  else if (line[0] == 'e' || line[0] == 'd') {
    line[0] == 'e' ? callsig_enable() : callsig_disable();
    for (int i = 0; i < n; i++)
      second();
  } else if (line[0] == 'z' && forbid())
    exit(3);
  else if (line[0] == 'u')
    prctl(PR_SET_DUMPABLE, 0);
  else if (line[0] == 't') {
    stop = 0;
    for (int i = 0; i < 4; i++)
      pthread_create(&threads[i], 0, busy, &made[i]);
  } else if (line[0] == 'j') {
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 4; i++)
      pthread_join(threads[i], 0);
    printf("%ld\n", made[0] + made[1] + made[2] + made[3]);
    return;
  } else if (line[0] == 'l') {
    void *library = dlopen("./library.so", RTLD_NOW);
    loaded = library ? (void (*)(void))dlsym(library, "loaded") : 0;
    printf("%s\n", loaded ? state((void *)loaded) : dlerror());
    return;
  } else if (line[0] == 'c')
    loaded();
  printf("%s\n", line[0] == 'b' ? state((void *)first) : line[0] == 'B' ? state((void *)loaded) : "done");
}

int main(int argc, char **argv)
{
  (void)argc;
  char line[64];
  setvbuf(stdin, 0, _IONBF, 0);
  setvbuf(stdout, 0, _IOLBF, 0);
  printf("%d\n", (int)getpid());
  while (fgets(line, sizeof line, stdin)) {
    if (line[0] == 'f') { /* a child goes on; its parent waits for it */
      pid_t child = fork();
      if (child) {
        waitpid(child, 0, 0);
        continue;
      }
      printf("%d\n", (int)getpid());
    } else if (line[0] == 'o') { /* a child goes on; its parent ends */
      if (fork())
        _exit(0);
      printf("%d\n", (int)getpid());
    } else if (line[0] == 'x')
      execv(argv[0], argv);
    else
      answer(line);
  }
  return 0;
}
"""

LIBRARY = "__attribute__((noinline)) void loaded(void) { __asm__ volatile(\"\"); }\n"


class Idle(harness.Case):
    compiler = "gcc"

    def build(self):
        """Once for all: copies are what runs."""
        kept = self.kept()
        if not os.path.exists(kept.path("library.so")):
            kept.write("program.c", SOURCE)
            kept.write("library.c", LIBRARY)
            for output, *arguments in (("program", "program.c", "-rdynamic"), ("library.so", "library.c", "-shared", "-fPIC")):
                done = kept.run_command(harness.CALLSIG_CC, "-O1", "-g", "-pthread", f"-I{harness.INCLUDE}", *arguments, "-o", kept.path(output),
                                        env={"CALLSIG_CC": self.compiler})
                self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("program", "library.so"):
            shutil.copy(kept.path(name), self.folder)

    def start(self, *options):
        run = subprocess.Popen([harness.CALLSIG, "run", "--off", "-o", "x.out", *options, self.path("program")], cwd=self.folder,
                               env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(self.stop, run)
        self.run_ = run
        self.pid = run.stdout.readline().strip()
        self.assertTrue(self.pid, "the program did not start")

    def stop(self, run):
        for pipe in (run.stdin, run.stdout, run.stderr):
            pipe.close()
        run.wait()

    def say(self, line):
        self.run_.stdin.write(line + "\n")
        self.run_.stdin.flush()
        return self.run_.stdout.readline().strip()

    def end(self):
        self.run_.stdin.close()
        said = self.run_.stderr.read()
        self.assertEqual(self.run_.wait(), 0, said)
        self.assertNotIn("from outside", said)

    def await_state(self, wanted, question="b", seconds=60):
        until = time.monotonic() + seconds
        while (state := self.say(question)) != wanted:
            self.assertLess(time.monotonic(), until, f"{state} for {wanted}")
            time.sleep(0.05)

    def await_idle(self):
        """Until the calls are out."""
        self.say("1 1")
        self.await_state("idle")

    def switch(self, word, name=None):
        """Asks, while the program calls a function, until it was taken."""
        asking = subprocess.Popen([harness.CALLSIG, "ctl", "--wait", "60s", name or self.pid, word], cwd=self.folder,
                                  env=self.environment, stderr=subprocess.PIPE, text=True)
        while asking.poll() is None:
            self.say("3 1")
        self.assertEqual((asking.returncode, asking.stderr.read()), (0, ""))
        asking.stderr.close()

    def counts(self, *files):
        done = self.callsig("report", *(files or ("x.out",)), "--by", "function", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = {row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}
        return {name: counts.get(name) for name in ("first", "second")}

    def test_switched_to_and_fro(self):
        self.build()
        self.start()
        self.say("1 100")
        self.await_idle()
        for turn in range(3):
            self.say("1 200")
            self.switch("on")
            self.assertEqual(self.say("b"), "calls")
            self.say("2 30")
            self.switch("off")
            self.await_idle()
        self.end()
        self.assertEqual(self.counts(), {"first": None, "second": 90})

    def test_reset_and_off_while_idle(self):
        """Whatever is asked is done."""
        self.build()
        self.start()
        self.await_idle()
        self.switch("reset")
        self.switch("off")
        self.await_idle()
        self.switch("on")
        self.say("2 7")
        self.end()
        self.assertEqual(self.counts(), {"first": None, "second": 7})

    def test_switches_itself_on(self):
        """All calls after callsig_enable() are there."""
        self.build()
        self.start()
        for turn in range(3):
            self.await_idle()
            self.say("e 40")
            self.assertEqual(self.say("b"), "calls")
            self.say("d 1000")
            self.assertEqual(self.say("b"), "calls")
        self.end()
        self.assertEqual(self.counts(), {"first": None, "second": 120})

    def test_forked_child(self):
        """It has its parent's text."""
        self.build()
        self.start("--apart")
        self.await_idle()
        child = self.say("f")
        self.await_state("calls")
        self.say("1 1") # so the child has a recording
        self.await_idle()
        self.switch("on", child)
        self.assertEqual(self.say("b"), "calls")
        self.say("2 50")
        self.end()
        self.assertEqual(self.counts(f"x.out.{child}"), {"first": None, "second": 50})

    def test_forked_child_switches_itself_on(self):
        self.build()
        self.start("--apart")
        self.await_idle()
        child = self.say("f")
        self.say("e 50")
        self.assertEqual(self.say("b"), "calls")
        self.end()
        self.assertEqual(self.counts(f"x.out.{child}"), {"first": None, "second": 50})

    def test_child_of_its_own(self):
        """A forked child that is asked by its own recording, after another time of being idle."""
        self.build()
        self.start("--apart")
        self.say("1 1")
        child = self.say("f")
        self.await_idle()
        self.switch("on", child)
        self.say("2 50")
        self.switch("off", child)
        self.await_idle()
        self.switch("on", child)
        self.say("2 5")
        self.end()
        self.assertEqual(self.counts(f"x.out.{child}"), {"first": None, "second": 55})

    def test_executed(self):
        """What a process executes has a recording of its own, and is found."""
        self.build()
        self.start("--apart")
        self.await_idle()
        self.assertEqual(self.say("x"), self.pid)
        self.await_idle()
        self.switch("on")
        self.say("2 50")
        self.end()
        files = [name for name in os.listdir(self.folder) if name.startswith("x.out")]
        self.assertEqual(self.counts(*files), {"first": None, "second": 50})

    def test_run_is_killed(self):
        """Who asks puts the calls back then, and the program itself does."""
        self.build()
        for itself in (False, True):
            with self.subTest(itself=itself):
                self.start()
                self.await_idle()
                self.run_.kill()
                self.run_.wait()
                if itself:
                    self.say("e 20")
                else:
                    self.switch("on")
                    self.say("2 20")
                self.say("2 30")
                self.assertEqual(self.say("b"), "calls")
                self.run_.stdin.close()
                while os.path.exists(f"/proc/{self.pid}"):
                    time.sleep(0.01)
                self.assertEqual(self.counts(), {"first": None, "second": 50})

    def test_left_behind(self):
        """A child that outlives the run has its calls again."""
        self.build()
        self.start("--apart")
        self.await_idle()
        self.say("o")
        self.await_state("calls")
        self.run_.stdin.close()
        self.run_.wait()

    def test_seccomp(self):
        """A program that may not write its own text any more."""
        self.build()
        self.start()
        self.switch("on")
        self.say("2 1")
        self.switch("off")
        self.await_idle()
        self.say("z")
        self.switch("on")
        self.say("2 50")
        self.switch("off")
        self.await_idle()
        self.switch("on")
        self.say("2 5")
        self.end()
        self.assertEqual(self.counts(), {"first": None, "second": 56})

    def test_loaded_library(self):
        """What may be unloaded is let be: it calls its hooks, and is recorded as ever."""
        self.build()
        self.start()
        self.await_idle()
        self.assertEqual(self.say("l"), "calls")
        self.say("c")
        self.await_idle()
        self.assertEqual(self.say("B"), "calls")
        self.switch("on")
        self.say("c")
        self.say("2 5")
        self.end()
        done = self.callsig("report", "x.out", "--by", "function", "--format", "json")
        counts = {row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}
        self.assertEqual((counts["loaded"], counts["second"]), (1, 5))

    def test_threads(self):
        """Calls are taken out and put back under running threads."""
        self.build()
        self.start()
        self.say("t")
        for turn in range(3):
            self.await_state("idle")
            self.switch("on")
            self.switch("off")
        self.await_state("idle")
        self.say("j")
        self.end()

    def test_calls_of_threads(self):
        """All that threads call between two idle times is there."""
        self.build()
        self.start()
        made = 0
        for turn in range(2):
            self.await_idle()
            self.switch("on")
            self.say("t")
            time.sleep(0.05)
            made += int(self.say("j"))
            self.switch("off")
        self.end()
        done = self.callsig("report", "x.out", "--by", "function", "--format", "json")
        self.assertEqual({row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}["fourth"], made)

    @unittest.skipUnless(os.geteuid() == 0, "becomes another user")
    def test_text_that_may_not_be_written(self):
        """Of a process that its own user may not look into: it calls its hooks all the time, and is steered as ever."""
        self.build()
        # Where the build lies may be closed to that user.
        for folder, file in (("bin", harness.CALLSIG), ("lib", os.path.join(harness.BUILD, "profiler", "libcallsig.so.0"))):
            os.mkdir(self.path(folder))
            shutil.copy(file, self.path(folder))
        os.chmod(self.folder, 0o777)
        run = subprocess.Popen(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", self.path("bin/callsig"), "run", "--off", "-o", "x.out",
                                self.path("program")], cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(self.stop, run)
        self.run_ = run
        self.pid = run.stdout.readline().strip()
        self.assertTrue(self.pid, run.stderr.read() if run.poll() is not None else "")
        self.say("u")
        self.say("1 1")
        while "may not be changed from outside" not in (line := run.stderr.readline()):
            self.assertTrue(line)
        self.assertIn(f"process {self.pid} calls its hooks", line)
        self.assertEqual(self.say("b"), "calls")
        self.end()

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_slow_run(self):
        """Who switches is in the middle of it for seconds: the program does not wait for ever, and misses nothing."""
        self.build()
        self.start("--apart")
        self.say("1 1")
        tracer = subprocess.Popen(["strace", "-f", "-p", str(self.run_.pid), "-o", self.path("trace"), "-e", "trace=pwrite64", "-e",
                                   "inject=pwrite64:delay_enter=200000"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(tracer.stderr.close)
        self.addCleanup(tracer.wait)
        self.addCleanup(tracer.kill)
        self.assertIn("attached", tracer.stderr.readline())
        self.await_state("idle")
        for turn in range(3):
            self.say("e 40")
            self.say("d 1000")
            time.sleep(1.3)  # so that it is taking calls out when the program wants them
        self.end()
        self.assertEqual(self.counts(), {"first": None, "second": 120})

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_ends_meanwhile(self):
        """A program that ends before who wants its calls out has found its process has forbidden nothing."""
        self.build()
        self.start("--apart")
        tracer = subprocess.Popen(["strace", "-f", "-p", str(self.run_.pid), "-o", self.path("trace"), "-P", "/proc", "-e", "trace=openat", "-e",
                                   "inject=openat:delay_enter=2000000"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(tracer.stderr.close)
        self.addCleanup(tracer.wait)
        self.addCleanup(tracer.kill)
        self.assertIn("attached", tracer.stderr.readline())
        self.say("e 1")
        self.say("d 1")
        time.sleep(1.8)  # its calls are wanted out after a second, and then its process is looked for, for two
        self.end()

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_breakpoint(self):
        """A debugger writes back what it found: the call comes when it has gone."""
        self.build()
        self.start()
        self.await_idle()
        debugger = subprocess.Popen(["gdb", "-q", "-nx", "-p", self.pid, "-ex", "break *first if 0", "-ex", "continue&"], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(self.environment, DEBUGINFOD_URLS=""))
        self.addCleanup(debugger.stdout.close)
        while "Continuing." not in (line := debugger.stdout.readline()):
            self.assertTrue(line, "gdb ended")
        self.switch("on")
        debugger.stdin.write("detach\nquit\n")
        debugger.stdin.close()
        debugger.stdout.read()
        debugger.wait()
        self.await_state("calls")
        self.say("1 30")
        self.end()
        self.assertEqual(self.counts()["first"], 30)

    def test_recording_is_moved(self):
        self.build()
        self.start()
        self.await_idle()
        os.rename(self.path("x.out"), self.path("y.out"))
        for turn in range(2):
            self.switch("on")
            self.say("2 20")
            self.switch("off")
            self.await_idle()
        self.run_.stdin.close()
        self.run_.wait()
        self.assertEqual(self.counts("y.out"), {"first": None, "second": 40})

    def test_recording_is_cut(self):
        """The program's own end, and not that of who looks after it."""
        self.build()
        self.start()
        self.await_idle()
        os.truncate(self.path("x.out"), 0)
        time.sleep(0.5)
        self.assertEqual(self.say("b"), "idle")
        os.kill(int(self.pid), signal.SIGTERM)
        self.assertEqual(self.run_.wait(), 128 + signal.SIGTERM)

    def test_hooks(self):
        """Without sleds there is nothing to be taken out."""
        self.compile("program", SOURCE, "-pthread", f"-I{harness.INCLUDE}")
        self.start()
        self.say("1 1")
        time.sleep(1.5)
        self.switch("on")
        self.say("2 5")
        self.end()
        self.assertEqual(self.counts(), {"first": None, "second": 5})


class IdleClang(Idle):
    compiler = "clang"

    def setUp(self):
        super().setUp()
        if not shutil.which(self.compiler):
            self.skipTest("clang is not installed")


if __name__ == "__main__":
    harness.main()
