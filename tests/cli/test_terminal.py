"""What the command does at a terminal: a table's width and colours, the browser's line editing.

It is skipped, by name, where there is no pseudo-terminal to be had, as in a chroot without devpts.
"""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time

import harness
import test_report


class Terminal(harness.Case):
    def setUp(self):
        super().setUp()
        program = self.compile("program", "#define _GNU_SOURCE\n" + test_report.SOURCE, "-pthread")
        self.assertEqual(self.callsig("run", "-o", "callsig.out", program).returncode, 0)

    def test_a_table(self):
        def show(**environment):
            done = subprocess.run(["script", "-qec", f"stty cols 100; {harness.CALLSIG} report --percent", "/dev/null"],
                                  cwd=self.folder, stdout=subprocess.PIPE, env=dict(os.environ, TERM="xterm", **environment))
            return done.stdout.decode()
        self.assertIn("\033[", show())
        plain = show(NO_COLOR="1")
        self.assertNotIn("\033[", plain)
        self.assertIn("...", plain)
        self.assertLessEqual(max(len(line) for line in plain.splitlines() if line.startswith(" ") and "function calls" not in line), 100)
        self.assertNotIn("\033[", self.callsig("report").stdout)
        self.assertRegex(show(NO_COLOR="1"), r"(?m)^ +\d+ function calls .* seconds(, of which threads waited [\d.]+)?\r$")

    def interrupted(self, program, *options):
        """How `callsig run` ended, as os.waitpid() gives it, after a Ctrl-C while the program runs; and what it wrote."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(harness.CALLSIG, ["callsig", "run", *options, program], self.environment)
        self.addCleanup(os.close, terminal)
        seen, is_sent = b"", False
        while select.select([terminal], [], [], 60)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:
                break
            if b"ready" in seen and not is_sent:
                is_sent = os.write(terminal, b"\x03") > 0
        return os.waitpid(process, 0)[1], seen.decode(errors="replace")

    def test_interrupt(self):
        """A shell ends a loop of commands where the one that a Ctrl-C was for has ended by it: as the program has, the command does."""
        source = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void on(int number) { _exit(number + 128); }
int main(void) {
  if (HANDLES) signal(SIGINT, on);
  puts("ready");
  fflush(stdout);
  for (;;) pause(); }
"""
        for handles in (0, 1):
            program = self.compile(f"waits{handles}", source, f"-DHANDLES={handles}")
            status, seen = self.interrupted(program)
            self.assertEqual((os.WIFSIGNALED(status), os.WIFSIGNALED(status) or os.WEXITSTATUS(status)), (not handles, (True, 130)[handles]), seen)
            self.assertIn("(main(", seen)
        # Sent to the command alone, it is a signal as any other.
        run = subprocess.Popen([harness.CALLSIG, "run", "-o", "x", self.path("waits0")], cwd=self.folder, env=self.environment,
                               stdout=subprocess.PIPE, text=True)
        self.addCleanup(run.stdout.close)
        self.assertEqual(run.stdout.readline(), "ready\n")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=60), 130)

    def test_marks(self):
        """They are there however narrow the terminal is: of times that are no larger than their error, and of library calls."""
        source = """
#include <stdlib.h>
static int __attribute__((noinline)) a_function_of_a_long_name(int a_parameter, void *another_parameter) {
  free(another_parameter);
  return a_parameter; }
int main(int argc, char **argv) {
  for (int i = 0; i < 5000; i++)
    a_function_of_a_long_name(argc, malloc(1));
  return argv == NULL; }
"""
        program = self.compile("marked", source, "-fno-builtin")
        self.assertEqual(self.callsig("run", "--library-calls", "-o", "marked.out", program).returncode, 0)
        self.assertIn(" [library]", self.callsig("report", "marked.out").stdout)
        rows = [line for line in self.callsig("report", "marked.out").stdout.splitlines() if re.match(r" +\d+ .*\)", line)]
        for columns in (40, 80, 100):
            done = subprocess.run(["script", "-qec", f"stty cols {columns}; {harness.CALLSIG} report marked.out", "/dev/null"],
                                  cwd=self.folder, stdout=subprocess.PIPE, env=dict(os.environ, TERM="xterm", NO_COLOR="1"))
            shown = [line for line in done.stdout.decode().splitlines() if re.match(r" +\d+ .*[).\]]$", line) and "seconds" not in line]
            self.assertEqual([re.findall(r" \[(?:~|library)\]", line) for line in shown],
                             [re.findall(r" \[(?:~|library)\]", line) for line in rows], done.stdout.decode())
            self.assertLessEqual(max(map(len, shown)), max(columns, 71 + len(" [library] [~]")))

    def test_the_table_of_a_run(self):
        """It is made for the terminal that standard error is; elsewhere it is whole. Folders go before functions."""
        def run(rest, **environment):
            done = subprocess.run(["script", "-qec", f"stty cols 80; {harness.CALLSIG} run {self.path('program')} {rest}", "/dev/null"],
                                  cwd=self.folder, stdout=subprocess.PIPE, env=dict(self.environment, TERM="xterm", **environment))
            return done.stdout.decode()
        self.assertIn("\033[", run(""))
        plain = run("", NO_COLOR="1")
        self.assertNotIn("\033[", plain)
        self.assertRegex(plain, r"(?m) \.\.\.program\.c:\d+\(outer\(")
        self.assertLessEqual(max(len(line.rstrip("\r")) for line in plain.splitlines() if re.match(r" +\d+ ", line) and "calls" not in line), 80)
        run("2>table")
        with open(self.path("table")) as file:
            table = file.read()
        self.assertIn(self.path("program.c"), table)
        self.assertNotIn("\033[", table)

    def test_the_browser(self):
        for name in ("one.out", "two.out"):
            shutil.copy(self.path("callsig.out"), self.path(name))
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execve(harness.CALLSIG, ["callsig", "browse", "one.out"], dict(self.environment, TERM="xterm"))
        seen = ""

        def expect(text):
            nonlocal seen
            end = time.monotonic() + 300
            while text not in seen:
                ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
                self.assertTrue(ready, f"{text!r} did not come: {seen!r}")
                seen += os.read(terminal, 4096).decode()
            seen = seen[seen.index(text) + len(text):]

        def send(text):
            os.write(terminal, text.encode())

        expect("Welcome to the profile statistics browser.")
        expect("one.out% ")
        send("callee\t")  # a command, completed
        expect("s ")
        send("1\n")
        expect("called...")
        expect("% ")
        send("stats outer\x01\x0b")  # to the beginning, and away with the rest
        send("sort cumt\t\n")  # a key
        expect("ime")
        expect("% ")
        send("stats oute\t\n")  # a function
        expect("due to restriction <'outer'>")
        expect("% ")
        send("\x10\n")  # the line before, from the history
        expect("due to restriction <'outer'>")
        expect("% ")
        send("read tw\t\n")  # a file
        expect("two.out% ")
        send("foo\n")
        expect("*** Unknown syntax: foo")
        expect("% ")
        send("quit\n")
        expect("Goodbye.")
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)


if __name__ == "__main__":
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        print(f"SKIPPED: cli.terminal: no pseudo-terminal can be opened ({error}); mount devpts on /dev/pts")
        sys.exit(77)
    if shutil.which("script") is None:
        print("SKIPPED: cli.terminal: script (of bsdutils) is not installed")
        sys.exit(77)
    harness.main()
