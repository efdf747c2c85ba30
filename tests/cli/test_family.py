# ctest: case - quick Family.test_script Family.test_text_in_place_of_a_command_line Family.test_making_recordings_is_no_time_of_the_program Family.test_modules_are_one Family.test_titles_of_forked_children Family.test_titles_of_a_parent Family.test_titles_longer_than_the_arguments Family.test_titles_while_running Family.test_open_calls_are_one_note Family.test_environment_that_is_left_out Family.test_sums_are_of_each Family.test_folded_while_running Family.test_large_ones_are_folded Family.test_process_that_ends_at_the_end Family.test_process_without_a_recording Family.test_earlier_run Family.test_process_that_goes_on Family.test_process_that_has_recorded_nothing Family.test_commands_of_nothing Family.test_name_that_is_taken Family.test_recording_of_no_run Family.test_notes_name_what_is_there Family.test_programs_are_not_compared Family.test_folder_that_cannot_be_read Family.test_killed_command Family.test_waiting_for_children_is_noted
# ctest: case _rest full Family.test_what_cannot_be_written Family.test_written_after_a_failure Family.test_database
"""The processes that a program starts: one recording of all, however many they are."""

import fcntl
import glob
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time

import harness
from test_beside import DENY

MAGIC = b"CSIGREC\0"  # that a recording begins with (docs/recording-format.md)

CALLS = """
    #include <stdlib.h>
    #include <unistd.h>
    static void __attribute__((noinline)) work(int n) { for (volatile int i = 0; i < n; i++) {} }
    int main(int argc, char **argv) {
      work(argc > 1 ? atoi(argv[1]) : 7);
      if (argc > 2 && write(1, "\\n", 1) == 1)
        sleep((unsigned)atoi(argv[2]));
      return 0; }"""

# Starts children one after the other, each of which naps, and waits for each.
WAITING = """
    #include <stdlib.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static int __attribute__((noinline)) nap(int us) { return us > 0 ? usleep((useconds_t)us) : 0; }
    static void __attribute__((noinline)) await(pid_t child) { waitpid(child, NULL, 0); }
    int main(int argc, char **argv) {
      for (int i = argc > 2 ? atoi(argv[1]) : 0; i > 0; i--) {
        pid_t child = fork();
        if (child == 0)
          _exit(nap(atoi(argv[2])));
        await(child);
      }
      return 0; }"""

# Its child, or what its child executes, makes its first call when there is a file.
DAEMON = """
    #include <fcntl.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/resource.h>
    #include <sys/stat.h>
    #include <unistd.h>
    #define QUIET __attribute__((no_instrument_function))
    static void QUIET await(void) { for (int i = 0; i < 60000 && access("go", F_OK) != 0; i++) usleep(1000); }
    static void QUIET __attribute__((constructor)) begin(void) { if (getenv("AWAIT")) await(); }
    static void __attribute__((noinline)) work(void) { __asm__ volatile(""); }
    int main(int argc, char **argv) {
      work();
      if (argc > 1 && fork() == 0) {
        int null = open("/dev/null", O_RDWR);
        if (setsid() < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
          return 1;
        if (strcmp(argv[1], "fails") == 0 && setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0}) == 0) {
          work();
          return mkdir("failed", 0700) == 0 ? await(), 0 : 1;
        }
        if (strcmp(argv[1], "calls") == 0)
          await();
        else if (setenv("AWAIT", "1", 1) == 0)
          execl(argv[0], argv[0], (char *)NULL);
        work();
      }
      for (int i = 0; i < 60000 && argc > 1 && strcmp(argv[1], "fails") == 0 && access("failed", F_OK) != 0; i++)
        usleep(1000);
      return 0; }"""

PID, RUN = 40, 376  # where they are in a recording's header
LIMIT = 10000  # bytes: less than a folded recording has

AT_ONCE = r'''
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void child(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
  for (int i = argc == 2 ? atoi(argv[1]) : 0; i > 0; i--)
    if (fork() == 0) {
      child();
      _exit(0);
    }
  while (wait(NULL) > 0)
    ;
  return 0;
}
'''


# Its children write a title of their own over their arguments, as servers do, or leave them as they are. What LEAVE says ends them.
TITLES = r'''
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void child(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void born(void) { __asm__ volatile(""); }
static void leave(void)
{
  const char *how = getenv("LEAVE");
  if (how && strcmp(how, "_exit") == 0)
    _exit(0);
  if (how)
    raise(SIGKILL);
  exit(0);
}
int main(int argc, char **argv)
{
  const size_t size = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - argv[0]);
  for (int i = 0; i < 4; i++)
    if (fork() == 0) {
      born();
      if (i < 3) {
        memset(argv[0], 0, size);
        snprintf(argv[0], size, i < 2 ? "serve: worker" : "serve: log");
      }
      child();
      while (argc > 2 && access("go", F_OK) != 0)
        usleep(1000);
      leave();
    }
  if (argc > 2 && write(1, "\n", 1) == 1)
    while (access("go", F_OK) != 0)
      usleep(1000);
  while (wait(NULL) > 0)
    ;
  return 0;
}
'''


# It writes a title over its arguments, with FILL behind it, and the children that it starts with that title end in two ways.
INHERITED_TITLE = r'''
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void child(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
  memset(argv[0], argv[1][0], (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - argv[0]));
  memcpy(argv[0], "serve: worker", sizeof "serve: worker");
  for (int i = 0; i < 4; i++) {
    if (fork() == 0) {
      child();
      if (i < 2)
        exit(0);
      raise(SIGKILL);
    }
    wait(NULL);
  }
  return 0;
}
'''


# Its child writes a title over its arguments and its environment, and another at each step, each of which is a call from another signature.
LONG_TITLES = r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void step(int number) { __asm__ volatile("" : : "r"(number) : "memory"); }
int main(int argc, char **argv)
{
  const int leaves = argc > 1 && strcmp(argv[1], "_exit") == 0;
  if (fork() == 0) {
    for (int i = 0; i < 40; i++) {
      snprintf(argv[0], 300, "long: a title that is longer than its arguments, step %d", i);
      step(i);
    }
    if (leaves)
      _exit(0);
    exit(0);
  }
  wait(NULL);
  return 0;
}
'''


# Each child's recording has more than twenty megabytes. It fails where a file is not there by the time, or long after it, that all have ended.
LARGE = r'''
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define ONE(name) __attribute__((noinline)) static void name(int n) { __asm__ volatile("" : : "r"(n) : "memory"); }
#define TEN(name) ONE(name##0) ONE(name##1) ONE(name##2) ONE(name##3) ONE(name##4) ONE(name##5) ONE(name##6) ONE(name##7) ONE(name##8) ONE(name##9)
#define HUNDRED(name) TEN(name##0) TEN(name##1) TEN(name##2) TEN(name##3) TEN(name##4) TEN(name##5) TEN(name##6) TEN(name##7) TEN(name##8) TEN(name##9)
#define NAMES(name) name##0, name##1, name##2, name##3, name##4, name##5, name##6, name##7, name##8, name##9,
#define ALL(name) NAMES(name##0) NAMES(name##1) NAMES(name##2) NAMES(name##3) NAMES(name##4) NAMES(name##5) NAMES(name##6) NAMES(name##7) NAMES(name##8) NAMES(name##9)
HUNDRED(a) HUNDRED(b) HUNDRED(c) HUNDRED(d)
static void (*const functions[])(int) = { ALL(a) ALL(b) ALL(c) ALL(d) };
__attribute__((noinline)) static void child(void)
{
  for (int n = 0; n < 200; n++)
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
      functions[i](n);
}
int main(int argc, char **argv)
{
  for (int i = 0; i < atoi(argv[1]); i++)
    if (fork() == 0) {
      child();
      exit(0);
    }
  while (wait(NULL) > 0)
    ;
  for (int i = 0; i < 6000 && access(argv[2], F_OK) != 0; i++)
    usleep(10000);
  return argc == 3 && access(argv[2], F_OK) == 0 ? 0 : 1;
}
'''


# One child has a large recording. Another one outlives its parent by a little, so that it ends while the large one is folded.
LATE = LARGE[:LARGE.index("int main(")] + r'''
#include <fcntl.h>
__attribute__((noinline)) static void late(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
  const pid_t parent = getpid();
  int null = open("/dev/null", O_RDWR), ready[2];
  char byte;
  if (fork() == 0) {
    child();
    exit(0);
  }
  wait(NULL);
  if (pipe(ready) == 0 && fork() == 0) {
    late();
    dup2(null, 1);
    dup2(null, 2);
    while (write(ready[1], "", 1) == 1 && getppid() == parent)
      usleep(1000);
    usleep(50000);
    _exit(0);
  }
  return read(ready[0], &byte, 1) == 1 ? 0 : argc + !argv;
}
'''


# Ends in a call of that number, or in main.
LEAVING = r'''
#include <stdlib.h>
__attribute__((noinline)) static void leave(int n) { __asm__ volatile("" : : "r"(n) : "memory"); exit(0); }
int main(int argc, char **argv)
{
  if (argc > 1 && atoi(argv[1]) > 0)
    leave(atoi(argv[1]));
  exit(0);
}
'''


class Family(harness.Case):
    def setUp(self):
        super().setUp()
        self.calls = self.compile("calls", CALLS)

    def names(self, output):
        return sorted(name for name in os.listdir(self.folder) if name.startswith((output, "." + output)))

    def script(self, text):
        self.write("script.sh", text)
        return "/bin/sh", "script.sh"

    def counts(self, *files, by="function,process"):
        """(function, process) -> calls, of a report."""
        done = self.callsig("report", "--format", "json", "--by", by, *files)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = {}
        for row in json.loads(done.stdout)["rows"]:
            key = row["function"], row.get("process") if "process" in by else row["signature"]
            counts[key] = counts.get(key, 0) + row["ncalls"]
        return counts

    def test_script(self):
        """The program itself is not instrumented, and what it starts is."""
        done = self.callsig("run", "-o", "a", *self.script("./calls 3\n./calls 4\n./calls 3\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("only programs that it starts", done.stderr)
        self.assertIn("this was 3 processes", done.stderr)
        self.assertEqual(self.names("a"), ["a"])
        counts = self.counts("a")
        one = [process for function, process in counts if function == "main" and process.startswith("calls 4 (")]
        self.assertEqual(len(one), 1, counts)
        self.assertRegex(one[0], r"^calls 4 \(\d+\)$")
        self.assertEqual(counts, {(function, process): calls for function in ("main", "work")
                                  for process, calls in (("calls 3 (2 processes)", 2), (one[0], 1))})

    def test_text_in_place_of_a_command_line(self):
        """What a program shows of itself in ps is no path, though paths may be in it."""
        done = self.callsig("run", "-o", "a", sys.executable, "-c", "import os; os.execv('./calls', ['server: serves ./site/a of 2', '3'])")
        self.assertEqual(done.returncode, 0, done.stderr)
        (process,) = {process for _, process in self.counts("a")}
        self.assertRegex(process, r"^'server: serves ./site/a of 2' 3 \(\d+\)$")

    def test_titles_of_forked_children(self):
        """What a child wrote over its arguments names it, in a report of the running program too, however it ends; those of one title are one.
        One without a title is not made one with its parent, whether or not the kernel sampled that."""
        self.compile("titles", TITLES)
        deny = self.compile("deny", DENY, instrument=False)
        argument = "some-long-argument-that-a-title-has-room-in"
        for how, sampler in (({}, ()), ({"LEAVE": "_exit"}, ()), ({"LEAVE": "SIGKILL"}, ()), ({}, (deny, "perf"))):
            done = self.run_command(*sampler, harness.CALLSIG, "run", "-o", "a", "./titles", argument, env={**self.environment, **how})
            self.assertEqual(done.returncode, 0, done.stderr)
            names = {re.sub(r"\(\d+\)", "(PID)", process): calls for (function, process), calls in self.counts("a").items() if function == "child"}
            self.assertEqual(names, {"'serve: worker' (2 processes)": 2, "'serve: log' (PID)": 1, f"titles {argument} (PID)": 1}, how)

    def test_titles_of_a_parent(self):
        """Children that have their parent's title are one, however each ends, and whatever fills what the title leaves of the command line."""
        self.compile("inherited", INHERITED_TITLE)
        for fill in ("", " "):
            done = self.callsig("run", "-o", "a", "./inherited", fill, "some-long-argument-that-a-title-has-room-in")
            self.assertEqual(done.returncode, 0, done.stderr)
            names = {process: calls for (function, process), calls in self.counts("a").items() if function == "child"}
            self.assertEqual(names, {"'serve: worker' (4 processes)": 4}, repr(fill))

    def test_titles_longer_than_the_arguments(self):
        """A title that goes on over the environment is whole, and one that is changed many times is the one at the end."""
        self.compile("long", LONG_TITLES)
        for how in "_exit", "exit":
            done = self.callsig("run", "-o", "a", "./long", how, env={**self.environment, "ROOM": "x" * 300})
            self.assertEqual(done.returncode, 0, done.stderr)
            (name,) = {process for function, process in self.counts("a") if function == "step"}
            self.assertRegex(name, rf"^'long: a title that is longer than its arguments, step 39' \(\d+\)$", how)

    def test_environment_that_is_left_out(self):
        """Where nothing was recorded since the program got no variables, that is among what may be the cause."""
        done = self.callsig("run", "-o", "a", "env", "-i", "./calls")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing was recorded in a: ", done.stderr)
        self.assertIn("(env -i, sudo)", done.stderr)
        self.assertEqual(self.names("a"), [])

    def test_open_calls_are_one_note(self):
        """What was open when processes ended is one line, however many they are, with the calls that most of them ended in."""
        self.compile("leaving", LEAVING)
        done = self.callsig("run", "-o", "a", *self.script("./leaving 1\n./leaving 2\n./leaving 2\n./leaving 0\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for options in (), ("--by", "function,process"):
            lines = [line for line in self.callsig("report", "a", "--notes", *options).stdout.splitlines() if " open " in line]
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], r"^7 calls of 4 processes still open when they exited; the innermost: \S*\(leave\(n=2\)\), \S*\(leave\(n=1\)\), \S*\(main\(argc=2, .*\)\)$")

    def begun(self, output):
        """The recordings of these names, without files that are being made: what is in them is no recording yet."""
        def has_begun(name):
            with open(self.path(name), "rb") as file:
                return file.read(len(MAGIC)) == MAGIC
        return [name for name in self.names(output) if has_begun(name)]

    def test_titles_while_running(self):
        self.compile("titles", TITLES)
        with subprocess.Popen([harness.CALLSIG, "run", "-o", self.path("a"), "./titles", "some-long-argument-of-it", "wait"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=self.environment, cwd=self.folder) as run:
            self.addCleanup(run.kill)
            self.assertEqual(run.stdout.read(1), b"\n")
            names = {}
            try:
                for _ in range(100):
                    names = {process.partition(" (")[0] for function, process in self.counts(*self.begun("a")) if function == "child"}
                    if len(names) == 3:
                        break
                    time.sleep(0.05)
            finally:
                self.write("go", "")
        self.assertEqual(names, {"'serve: worker'", "'serve: log'", "titles some-long-argument-of-it wait"})

    def test_making_recordings_is_no_time_of_the_program(self):
        """Children that begin at once wait for each other in the folder of their recordings: rows have no more than processors can do."""
        self.compile("at_once", AT_ONCE)
        begun = time.monotonic()
        done = self.callsig("run", "-o", "a", "./at_once", "300")
        took = time.monotonic() - begun
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(self.callsig("report", "a", "--format", "json").stdout)
        self.assertEqual(report["total_calls"], 301)
        self.assertLess(report["total_time"], took * (1 + len(os.sched_getaffinity(0))))

    def test_waiting_for_children_is_noted(self):
        """Who waits for children that end at once waits for their recordings: a note says so, but not of children that take long."""
        self.compile("waiting", WAITING)
        for naps, children in (("0", 100), ("200000", 3)):
            done = self.callsig("run", "-o", naps, "./waiting", str(children), naps)
            self.assertEqual(done.returncode, 0, done.stderr)
            table = self.callsig("report", naps, "--notes").stdout
            self.assertIn("threads waited", table)
            # At a millisecond each they are a tenth of the waiting: of 100 on a machine that is not too busy.
            waited = json.loads(self.callsig("report", naps, "--format", "json").stdout)["total_wait"]
            self.assertEqual(f"{children} processes were started by others" in table, children * 0.001 >= 0.1 * waited, (waited, table))
        self.assertGreater(waited, 0.3)

    def test_sums_are_of_each(self):
        """Calls by process are those of each process's own recording."""
        script = self.script("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n  ./calls $((i % 3))\ndone\n")
        for name, *options in (("one",), ("each", "--apart")):
            done = self.callsig("run", "-o", name, *options, *script)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names("one"), ["one"])
        self.assertEqual(len(self.names("each")), 12)
        own = {}
        for (function, process), calls in self.counts(*self.names("each")).items():
            key = function, process[:process.index(" (")]
            own[key] = own.get(key, 0) + calls
        self.assertEqual({(function, process[:process.index(" (")]): calls for (function, process), calls in self.counts("one").items()}, own)
        self.assertEqual(self.counts("one", by="signature"), self.counts(*self.names("each"), by="signature"))

    def test_modules_are_one(self):
        """What a process of the same command line adds are counts: its modules are not kept once more for each."""
        sizes = []
        for count in (4, 24):
            done = self.callsig("run", "-o", "family", "--", "sh", "-c", f"for i in $(seq {count}); do ./calls 3; done")
            self.assertIn(f"this was {count} processes", done.stderr)
            sizes.append(os.path.getsize(self.path("family")))
        self.assertLess(sizes[1] - sizes[0], 20 * 20)

    def test_process_without_a_recording(self):
        """One that goes on, and of which no recording could be made, is not said to record."""
        done = self.callsig("run", "-o", "a", self.compile("daemon", DAEMON), "fails")
        self.write("go", "")
        self.assertEqual((done.returncode, self.names("a")), (0, ["a"]), done.stderr)
        self.assertEqual(done.stderr, "callsig: 1 process that the program started goes on, and records in a.PID where that could be made: not counted here\n")
        self.assertIn("1 forked process is not recorded", self.callsig("report", "a", "--notes").stdout)

    def test_folded_while_running(self):
        """Many short processes leave few files at any time."""
        script = self.script("i=0\nwhile [ $i -lt 60 ]; do\n  ./calls $i\n  i=$((i + 1))\n"
                             "  [ $((i % 20)) != 0 ] || while [ $(ls many.* | wc -l) -gt 18 ]; do sleep 0.02; done\ndone\n")
        done = self.callsig("run", "-o", "many", *script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names("many"), ["many"])
        self.assertIn("this was 60 processes", done.stderr)
        counts = self.counts("many", by="signature")
        self.assertEqual({signature: calls for (function, signature), calls in counts.items() if function == "work"},
                         {f"work(n={i})": 1 for i in range(60)})

    def test_large_ones_are_folded(self):
        """Few processes whose recordings are large are folded while the program runs too, so that bytes are bounded."""
        large = self.compile("large", LARGE)
        done = self.callsig("run", "-o", "few", large, "4", "few.family")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names("few"), ["few"])
        self.assertIn("this was 5 processes", done.stderr)
        counts = self.counts("few", by="signature")
        self.assertEqual(sum(calls for (_, signature), calls in counts.items() if "(n=" in signature), 4 * 400 * 200)

    def test_process_that_ends_at_the_end(self):
        """A process that ends while the others are folded is folded as well, or told to go on; it is no recording more, apart from them."""
        late = self.compile("late", LATE)
        done = self.callsig("run", "-o", "a", late)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("more recording", done.stderr)
        self.assertIn("this was 3 processes" if self.names("a") == ["a"] else "goes on", done.stderr)
        calls = {function: count for (function, _), count in self.counts(*self.names("a")).items()}
        self.assertEqual((calls["late"], calls["child"]), (1, 1))

    def test_earlier_run(self):
        """What an earlier run left beside is gone, and what is no recording of a run is not."""
        script = self.script("./calls 1\n./calls 1\n./calls 1\n")
        self.callsig("run", "--apart", "-o", "a", *script)
        self.assertEqual(len(self.names("a")), 3)
        self.write("a.77", "not a recording")
        self.callsig("merge", "-o", "a.5", "a")
        self.callsig("run", "--apart", "-o", "a", *script)
        self.assertEqual(len(self.names("a")), 5)
        self.assertIn("a.5", self.names("a"))
        self.assertIn("a.77", self.names("a"))
        self.callsig("run", "-o", "a", *script)
        self.assertEqual(self.names("a"), ["a", "a.5", "a.77"])
        self.assertEqual(self.counts("a")["main", "calls 1 (3 processes)"], 3)

    def test_process_that_goes_on(self):
        """A process that outlives the run keeps its own recording."""
        done = self.callsig("run", "-o", "a", *self.script("./calls 1\n./calls 2\n./calls 3 60 > /dev/null 2>&1 &\necho $! > pid\n"
                                                          "while ! ls a.$! 2> /dev/null; do sleep 0.01; done\n"))
        with open(self.path("pid"), encoding="ascii") as file:
            pid = int(file.read())
        try:
            self.assertIn("1 process that the program started goes on, and records in a.PID: not counted here", done.stderr)
            self.assertEqual(self.names("a"), ["a", f"a.{pid}"])
            self.assertEqual(sum(calls for (function, _), calls in self.counts("a").items() if function == "main"), 2)
            self.assertEqual(sum(calls for (function, _), calls in self.counts("a", f"a.{pid}").items() if function == "main"), 3)
        finally:
            os.kill(pid, signal.SIGKILL)

    def test_commands_of_nothing(self):
        """Where no process recorded a call, nobody is sent to a report that tells their commands apart."""
        self.compile("inherited", INHERITED_TITLE)
        done = self.callsig("run", "--off", "./inherited", " ", "some-long-argument-that-a-title-has-room-in")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Acallsig: nothing was recorded: [^\n]*\n\Z")

    def test_process_that_has_recorded_nothing(self):
        """A child whose first call comes when its parent's run is over, as a daemon's may, is told of like any that goes on."""
        daemon = self.compile("daemon", DAEMON)
        for name, child, mains in (("a", "calls", 0), ("b", "executes", 1)):
            done = self.callsig("run", "-o", name, daemon, child)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.names(name), [name])
            self.assertEqual(done.stderr, f"callsig: 1 process that the program started goes on, and records in {name}.PID: not counted here\n")
            self.write("go", "")
            deadline = time.monotonic() + 60
            while len(self.names(name)) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            own = self.names(name)[1:]
            self.assertEqual(len(own), 1)
            with open(self.path(own[0]), "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # which its process gives up when it ends
            os.unlink(self.path("go"))
            counts = self.counts(name), self.counts(own[0])
            self.assertEqual([sum(count for (function, _), count in found.items() if function == "work") for found in counts], [1, 1])
            self.assertEqual(sum(count for (function, _), count in counts[1].items() if function == "main"), mains)

    def test_name_that_is_taken(self):
        """A file of the name of the folded recordings that is not this run's stays: one line says so, and all is folded at the end."""
        self.callsig("run", "-o", "other", "./calls", "99")
        for name, make in (("a", lambda: self.write("a.family", "somebody's")),
                           ("b", lambda: self.callsig("merge", "-o", "b.family", "other"))):
            make()
            before = os.stat(self.path(name + ".family"))
            done = self.callsig("run", "-o", name, *self.script("i=0\nwhile [ $i -lt 40 ]; do\n  ./calls $i\n  i=$((i + 1))\ndone\n"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count(name + ".family: exists and is not of this run, so it is left alone"), 1, done.stderr)
            self.assertIn("this was 40 processes", done.stderr)
            after = os.stat(self.path(name + ".family"))
            self.assertEqual((after.st_ino, after.st_size, after.st_mtime_ns), (before.st_ino, before.st_size, before.st_mtime_ns))
            self.assertEqual(self.names(name), [name, name + ".family"])
            self.assertEqual(sum(calls for (function, _), calls in self.counts(name).items() if function == "main"), 40)

    def test_recording_of_no_run(self):
        """A recording that no run made is nobody's earlier one, whatever its name."""
        done = self.callsig("run", "-o", "other", "./calls", "99")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("other"), "rb") as file:
            recording = bytearray(file.read())
        pid = int.from_bytes(recording[PID:PID + 4], "little")
        recording[RUN:RUN + 8] = bytes(8)
        with open(self.path(f"a.{pid}"), "wb") as file:
            file.write(recording)
        self.callsig("run", "-o", "a", "./calls", "1")
        self.assertEqual(self.names("a"), ["a", f"a.{pid}"])

    def test_what_cannot_be_written(self):
        """Where no folded recording can be written, those of the processes stay, and one line says why."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, resource.RLIM_INFINITY))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        script = self.script("ulimit -S -f unlimited\ni=0\nwhile [ $i -lt 40 ]; do\n  ./calls $i\n  i=$((i + 1))\ndone\n")
        done = self.callsig("run", "-o", "a", *script, preexec_fn=limit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("File too large; name a file"), 1, done.stderr)
        self.assertIn("39 more recordings of processes that the program started", done.stderr)
        self.assertEqual(len(self.names("a")), 40)
        self.assertEqual(sum(calls for (function, _), calls in self.counts(*self.names("a")).items() if function == "main"), 40)

    def test_written_after_a_failure(self):
        """What cannot be folded at one time is folded at another, while the program runs."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, resource.RLIM_INFINITY))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self.write("script.sh", "ulimit -S -f unlimited\ni=0\nwhile [ $i -lt 40 ]; do\n  ./calls $i\n  i=$((i + 1))\ndone\n"
                                "touch there\nwhile [ ! -e done ]; do sleep 0.01; done\n")
        run = subprocess.Popen([harness.CALLSIG, "run", "-o", "a", "/bin/sh", "script.sh"], cwd=self.folder, env=self.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        told = run.stderr.readline()
        while "File too large" not in told and told:
            told = run.stderr.readline()
        self.assertIn("a.family: File too large", told)
        while not os.path.exists(self.path("there")):
            time.sleep(0.01)
        self.assertEqual(len(self.names("a")), 40)
        resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        while len(self.names("a")) > 18:
            time.sleep(0.01)
        self.write("done", "")
        errors = run.stderr.read()
        run.stderr.close()
        self.assertEqual(run.wait(), 0, errors)
        self.assertNotIn("File too large", errors)
        self.assertIn("this was 40 processes", errors)
        self.assertEqual(self.names("a"), ["a"])

    def test_notes_name_what_is_there(self):
        """Notes of processes whose files were folded name the processes."""
        done = self.callsig("run", "-o", "a", *self.script("i=0\nwhile [ $i -lt 3 ]; do\n  ./calls $i\n  i=$((i + 1))\ndone\n./calls 5 60 > ready &\n"
                                                          "while [ ! -s ready ]; do sleep 0.01; done\nkill -9 $!\nwait\n"))
        self.assertEqual(self.names("a"), ["a"])
        report = self.callsig("report", "a")
        for text in (done.stderr, report.stdout):
            self.assertNotRegex(text, r"a\.\d+: ")
        self.assertRegex(report.stdout, r"calls 5 60 \(\d+\): ")

    def test_database(self):
        """With --db, processes are folded while the program runs too, and the database has all of them."""
        script = self.script("i=0\nwhile [ $i -lt 60 ]; do\n  ./calls $i\n  i=$((i + 1))\n"
                             "  [ $((i % 20)) != 0 ] || while [ $(ls many.* | wc -l) -gt 18 ]; do sleep 0.02; done\ndone\n")
        done = self.callsig("run", "-o", "many", "--db", "many.db", "--interval", "0.05", *script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names("many"), ["many", "many.db"])
        base = sqlite3.connect(self.path("many.db"))
        self.addCleanup(base.close)
        self.assertEqual(base.execute("SELECT count(*) FROM runs").fetchone(), (60,))

    def test_programs_are_not_compared(self):
        """How evenly time is shared is said of processes of one program alone."""
        self.compile("else", CALLS)
        self.callsig("run", "-o", "a", *self.script("./calls 1\n./else 2\n"))
        self.assertNotIn(" across ", self.callsig("report", "a", "--by", "function,process").stdout)
        self.callsig("run", "-o", "b", *self.script("./calls 1\n./calls 2\n./else 1\n./else 2\n./else 3\n"))
        text = self.callsig("report", "b", "--by", "function,process").stdout
        self.assertIn("across 2 processes of calls\n", text)
        self.assertIn("across 3 processes of else\n", text)
        done = self.callsig("report", "--format", "json", "--by", "function,process", "b")
        compared = {(os.path.basename(row["program"]), row["function"]): row["count"] for row in json.loads(done.stdout)["spread"]["rows"]}
        self.assertEqual(compared, {(program, function): count for program, count in (("calls", 2), ("else", 3))
                                    for function in ("main", "work")})

    def test_folder_that_cannot_be_read(self):
        """Where the recordings of processes cannot be looked for, a line says that they are not counted."""
        os.mkdir(self.path("there"))
        done = self.callsig("run", "-o", "there/a", *self.script("./calls 1\n./calls 2\nmv there elsewhere\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("recordings of processes that the program started cannot be looked for beside it", done.stderr)
        self.assertEqual(len(os.listdir(self.path("elsewhere"))), 2)

    def left(self, output):
        """The recordings that a killed run left."""
        return sorted(name for name in glob.glob(output + "*", root_dir=self.folder))

    def test_killed_command(self):
        """SIGKILL of the command at any moment loses no call of a process that has ended, and counts none twice."""
        self.write("script.sh", "i=0\nwhile [ $i -lt 40 ]; do\n  ./calls $i\n  i=$((i + 1))\n  echo >> ended\ndone\ntouch done\n")
        for moment in (1, 18, 20, 34):
            for name in self.left("a") + ["ended", "done"]:
                if os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
            run = subprocess.Popen([harness.CALLSIG, "run", "-o", "a", "/bin/sh", "script.sh"], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not os.path.exists(self.path("ended")) or os.path.getsize(self.path("ended")) < moment:
                time.sleep(0.001)
            run.kill()
            run.wait()
            while not os.path.exists(self.path("done")):
                time.sleep(0.01)
            done = self.callsig("report", "--format", "json", "--by", "function", *self.left("a"))
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = {row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}
            self.assertEqual(calls, {"main": 40, "work": 40}, moment)


if __name__ == "__main__":
    harness.main()
