#!/usr/bin/env python3
# ctest: skips
"""callsig top: tables of a running program with --batch, and the screen in a pseudo-terminal: keys, sizes, a program that ends."""

import itertools
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import fcntl
import threading
import time

import harness

try:
    import pty
    os.close(os.openpty()[0])
except OSError:
    print("there is no pseudo-terminal to be had")
    sys.exit(77)

# Calls a function a hundred times and waits, until it is told to end; every line that it reads is one more round.
ROUNDS = """
#include <stdio.h>
static __attribute__((noinline)) void step(int n) { (void)n; __asm__ volatile(""); }
static __attribute__((noinline)) void other(int n) { step(n + 1); }
int main(void) {
  for (int c; (c = getchar()) != EOF;) {
    for (int i = 0; i < 100; i++) { step(7); other(3); }
    puts("round");
    fflush(stdout);
  }
  return 0; }
"""


# Does 1000 calls in each of so many children, which end but for the last, and 10 itself; says so, and waits for input's end.
FAMILY = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static __attribute__((noinline)) void step(int n) { (void)n; __asm__ volatile(""); }
static void __attribute__((no_instrument_function)) steps(int count) { for (int i = 0; i < count; i++) step(7); }
int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 0, ready[2];
  char byte;
  if (pipe(ready)) return 1;
  steps(10);
  for (int i = 0; i < count; i++) {
    if (fork() == 0) {
      steps(1000);
      if (write(ready[1], "x", 1) != 1) return 1;
      if (i == count - 1) { close(ready[0]); if (read(0, &byte, 1)) {} }
      _exit(0);
    }
    if (i < count - 1) wait(NULL);
    if (read(ready[0], &byte, 1) != 1) return 1;
  }
  puts("round");
  fflush(stdout);
  return getchar() != EOF; }
"""


class Top(harness.Case):
    def test_number_that_is_anothers(self):
        """What has ended has ended, whoever has the number of its process by now: here this one."""
        self.assertEqual(self.callsig("run", self.compile("calls", harness.CALLS)).returncode, 0)
        with open(self.path("callsig.out"), "rb") as file:
            recording = bytearray(harness.unsealed(file.read()))
        recording[40:44] = struct.pack("<I", os.getpid())
        for status, is_told in ((0, "by callsig run"), (-1, "by the program itself")):
            recording[108:112] = struct.pack("<i", status)
            with open(self.path("other.out"), "wb") as file:
                file.write(recording)
            done = self.callsig("top", "--batch", "1", "--interval", "0.1", "other.out")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, rf"^callsig top: calls \({os.getpid()}\), ended after ", is_told)

    def test_processes(self):
        """Processes that were born since, live, have ended and were folded: the calls of all, and how many run."""
        program = self.compile("program", FAMILY)
        self.child = subprocess.Popen([harness.CALLSIG, "run", "--times", "exact", "-o", "callsig.out", program, "40"], cwd=self.folder,
                                      env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.assertEqual(self.child.stdout.readline(), "round\n")
        for _ in range(3):
            done = self.callsig("top", "--batch", "1", "--by", "function", "-s", "total-calls", "callsig.out")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^callsig top: program \(\d+\) and 1 process of it, running ")
            self.assertRegex(done.stdout, r" 40010 +[0-9.]+  program\.c:\d+\(step\)\n")
            self.assertEqual(done.stderr, "")

    def test_processes_that_end_faster_than_they_are_read(self):
        """What is shown lacks some of them then, and says so: the folded recording is another one after each look."""
        self.start()
        os.mkdir(self.path("many"))
        for i in range(500):
            self.write(f"many/{i}", "")
        for i in range(2000):  # which are looked at, and are none of the run's
            self.write(f"callsig.out.{i + 10000000}", "")
        ended = threading.Event()

        def fold():
            for i in itertools.cycle(range(500)):
                os.link(self.path("many", str(i)), self.path("next"))
                os.rename(self.path("next"), self.path("callsig.out.family"))
                if os.path.exists(self.path("next")):  # both were the same file
                    os.unlink(self.path("next"))
                if ended.is_set():
                    return
        folding = threading.Thread(target=fold)
        folding.start()
        try:
            done = self.callsig("top", "--batch", "1", "--interval", "0.1")
        finally:
            ended.set()
            folding.join()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\(step\(n=7\)\)")
        self.assertIn("end faster than they can be read together: some of their calls are missing", done.stderr)

    def start(self, source=ROUNDS):
        program = self.compile("program", source)
        self.child = subprocess.Popen([harness.CALLSIG, "run", "--times", "exact", "-o", "callsig.out", program], cwd=self.folder,
                                      env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.round()

    def round(self):
        self.child.stdin.write("x")
        self.child.stdin.flush()
        self.assertEqual(self.child.stdout.readline(), "round\n")

    def end(self):
        if self.child.poll() is None:
            self.child.stdin.close()
            self.child.wait(timeout=600)
            self.child.stdout.close()

    def screen(self, *arguments, rows=24, **environment):
        """Starts the command on a terminal; self.expect() and self.send() talk to it."""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
            os.chdir(self.folder)
            os.execve(harness.CALLSIG, ["callsig", "top", "--interval", "0.1", *arguments],
                      {**self.environment, "TERM": "xterm", **environment})
        self.seen = ""
        self.addCleanup(os.close, self.terminal)

    def expect(self, pattern):
        """Waits until the screen, drawn anew by Control-L, shows what the pattern matches. What is repeated or skipped is spaces here."""
        end, redraw = time.monotonic() + 300, 0
        while True:
            plain = re.sub("\033\\[(\\d+)[bC]", lambda found: " " * int(found[1]), self.seen)
            plain = re.sub("\033(\\[[0-9;?]*[A-Za-z]|[()].|[=>78])", "", plain)
            if re.search(pattern, plain):
                break
            self.assertLess(time.monotonic(), end, f"{pattern!r} did not come: {plain[-2000:]!r}")
            if time.monotonic() > redraw:
                self.seen, redraw = "", time.monotonic() + 1
                self.send("\x0c")
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.seen += os.read(self.terminal, 65536).decode(errors="replace")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def status(self):
        """The exit status; what is drawn meanwhile is read, so that nobody waits for it."""
        while True:
            try:
                read = os.read(self.terminal, 65536)
            except OSError:
                break
            if not read:
                break
            self.seen += read.decode(errors="replace")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def test_batch(self):
        self.start()
        done = self.callsig("top", "--batch", "2", "--interval", "0.1", "--by", "function", "-s", "total-calls")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tables = done.stdout.rstrip("\n").split("\n\n")
        self.assertEqual(len(tables), 2)
        rows = [line.split() for line in tables[1].splitlines() if "program.c" in line]
        self.assertEqual([(row[4], row[6]) for row in rows[:2]], [("200", "program.c:3(step)"), ("100", "program.c:4(other)")])
        self.assertEqual(rows[0][0], "0.0")  # nothing was called between the looks
        self.assertEqual([row[6] for row in rows], ["program.c:3(step)", "program.c:4(other)", "program.c:5(main)"])
        done = self.callsig("top", "--batch", "1", "--interval", "0.1", "--filter", "STEP", "--top", "1", "-s", "name")
        self.assertEqual([line.split()[4:] for line in done.stdout.splitlines() if "program.c" in line and "top:" not in line][0][0::2],
                         ["100", "program.c:3(step(n=4))"])

    def test_by_process_and_after_its_end(self):
        self.start()
        with open(f"/proc/{self.child.pid}/task/{self.child.pid}/children") as file:
            program = file.read().split()[0]
        done = self.callsig("top", program, "--batch", "1", "--interval", "0.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"callsig top: program ({program}), running", done.stdout)
        self.end()
        done = self.callsig("top", "callsig.out", "--batch", "5", "--interval", "0.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("its last state", done.stdout)
        self.assertRegex(done.stdout, r" 100 +\S+  program\.c:3\(step\(n=7\)\)")

    def test_screen(self):
        self.start()
        self.screen()
        self.expect(r"callsig top: program \(")
        self.expect(r"program\.c:3\(step\(n=7\)\)")
        self.expect("q quit")
        self.send("g")
        self.expect("by function")
        self.send("ss")
        self.expect("sorted by total-self")
        self.send("/step\r")
        self.expect("names with step")
        self.send("\r")  # the callers of the one row
        self.expect(r"< program\.c:")
        self.send("?")
        self.expect("Any key ends this help.")
        self.send("x")
        self.expect("q quit")
        self.send(" ")
        self.expect("frozen")
        self.send("w")
        self.expect("written: callsig-top-")
        self.send("q")
        self.assertEqual(self.status(), 0)
        [snapshot] = [name for name in os.listdir(self.folder) if name.startswith("callsig-top-")]
        report = self.callsig("report", "--strip-dirs", snapshot)
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertRegex(report.stdout, r"(?m)^ +100 .*program\.c:3\(step\(n=7\)\)")
        self.assertIsNone(self.child.poll())
        self.round()  # the program goes on

    def test_grouped_while_frozen(self):
        """Rows are grouped anew by what was read already, with their rates: nothing is looked at."""
        self.start()
        self.screen("--by", "function", "--interval", "5")
        self.expect(r"; 301 calls,")
        self.round()
        self.expect(r"[1-9]\d* calls/s, .*; 601 calls,")
        self.send(" ")
        self.expect("frozen")
        self.round()
        self.send("g")
        self.expect("by stage")
        self.expect(r"[1-9]\d* calls/s, .*; 601 calls,")
        self.send(" ")
        self.expect(r"; 901 calls,")
        self.send("q")
        self.assertEqual(self.status(), 0)

    def test_signals(self):
        """Ctrl-C quits; of other signals the command dies. The terminal is as before in any case, and the program goes on."""
        self.start()
        for number, status in ((None, 0), (signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP)):
            self.screen("--interval", "1000")
            self.expect("q quit")
            os.kill(self.pid, number) if number else self.send("\x03")
            self.assertEqual(self.status(), status)
            self.assertIn("\033[?1049l", self.seen)
        self.round()

    def test_letters_are_typed_and_taken_off_whole(self):
        self.start()
        self.screen(LC_ALL="C.UTF-8")
        self.expect("q quit")
        self.send("/st\u00fc\u6f22\U0001d465\x7f\x7f")
        self.expect("names with: st\u00fc *$")
        self.send("\x7f")
        self.expect("names with: st *$")
        self.send("\u6f22" * 100)  # no part of one that there is no room for
        self.expect("names with: st(\u6f22)+[.][.][.]")
        self.send("\x7f" * 66 + "ep\r")
        self.expect(r"names with step\W")
        self.expect(r"program\.c:3\(step\(n=7\)\)")
        self.send("q")
        self.assertEqual(self.status(), 0)

    def test_names_are_utf8_in_any_locale(self):
        self.start(ROUNDS.replace("other", "gr\u00f6\u00dfer"))
        self.screen("--by", "function", LC_ALL="C")
        self.expect("program\\.c:4\\(gr\u00f6\u00dfer\\)")
        self.send("q")
        self.assertEqual(self.status(), 0)

    def test_rates_and_the_end(self):
        self.start()
        self.screen("--by", "function", "-s", "total-calls")
        self.expect(r"callsig top: program \(")
        self.round()
        self.expect(r" 400 +\S+ +program\.c:3\(step\)")
        self.end()
        self.expect("its last state")
        self.send("q")
        self.assertEqual(self.status(), 0)

    def test_first_screen_of_what_has_ended(self):
        self.start()
        self.end()
        self.screen("--interval", "1000", "callsig.out")
        self.expect(r"callsig top: program \(\d+\), ended after .*: its last state")
        self.expect(r"program\.c:3\(step\(n=7\)\)")
        self.send("q")
        self.assertEqual(self.status(), 0)

    def test_sizes_and_terminals_without_colours(self):
        self.start()
        self.screen(rows=4, TERM="vt100", NO_COLOR="1")
        self.expect("q quit")
        for height, width in ((1, 1), (50, 200), (3, 10), (24, 80)):
            fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
            os.kill(self.pid, signal.SIGWINCH)
            time.sleep(0.15)
        self.expect("calls/s +self s/s")
        self.assertNotRegex(self.seen, "\033\\[3[0-7]m")
        self.send("q")
        self.assertEqual(self.status(), 0)

    def test_errors(self):
        program = self.compile("program", harness.CALLS)
        self.assertEqual(self.callsig("run", "-o", "callsig.out", program).returncode, 0)

        def fails(done, status, *parts):
            self.assert_fails(done, status, *parts)

        fails(self.callsig("top"), 1, "no terminal", "--batch N")
        fails(self.callsig("top", self.write("text", "no recording, and long enough" * 40), "--batch", "1"), 1, "text", "recording")
        fails(self.callsig("top", "missing", "--batch", "1"), 1, "missing")
        fails(self.callsig("top", str(os.getpid()), "--batch", "1"), 1, str(os.getpid()), "records nothing")
        fails(self.callsig("top", "999999999", "--batch", "1"), 1, "no process 999999999")
        fails(self.callsig("top", "a", "b"), 2, "one process or recording")
        fails(self.callsig("top", "--by", "rank"), 2, "--by", "rank")
        fails(self.callsig("top", "-s", "cumtime"), 2, "cumtime")
        fails(self.callsig("top", "--batch", "0"), 2, "--batch")
        fails(self.callsig("top", "--interval", "0"), 2, "--interval")
        fails(self.callsig("top", "--top", "3"), 2, "--top")
        for kind in ("no-such-terminal", "dumb"):
            self.screen(TERM=kind)
            self.assertEqual(self.status(), 1)
            self.assertEqual(self.seen, f"callsig: top: nothing can be drawn on a terminal of the kind '{kind}': set TERM, or use --batch\r\n")


if __name__ == "__main__":
    harness.main()
