#!/usr/bin/env python3
"""Standard files that are closed, or that nobody reads any more, and signals that the command gets."""

import os
import select
import signal
import subprocess
import time

import harness

# Ends with a bit for each standard file that is open, and is slow enough for what is told meanwhile.
TELLS = """
#include <fcntl.h>
#include <unistd.h>
static int __attribute__((noinline)) work(int n) { return n + 1; }
int main(void)
{
  int open = 0;
  for (int file = 0; file < 3; file++)
    open |= (fcntl(file, F_GETFD) >= 0) << file;
  for (int i = 0; i < 1000; i++)
    work(i % 10);
  return open;
}
"""

# Tells of the one signal that it waits for, and of the value that came with it.
WAITS = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
  siginfo_t info;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  alarm(60);
  puts("ready");
  fflush(stdout);
  int got = sigwaitinfo(&all, &info);
  printf("%d %d\\n", got, info.si_code == SI_QUEUE ? info.si_value.sival_int : -1);
  return 3;
}
"""


class Closed(harness.Case):
    def run_without(self, closed, *arguments):
        """Runs the command without some of its standard files. The others lead nowhere."""
        def close():
            for file in closed:
                os.close(file)
        return subprocess.run([harness.CALLSIG, *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=close, timeout=120).returncode

    def test_nothing_is_written_into_the_recording(self):
        program = self.compile("program", TELLS)
        for closed in ((2,), (1, 2), (0, 1, 2), (0,), (1,)):
            self.assertEqual(self.run_without(closed, "run", program), 7 - sum(1 << file for file in closed), closed)
            done = self.callsig("report", "--by", "function")
            self.assertEqual((done.returncode, done.stderr), (0, ""), closed)
            self.assertIn("1001 function calls", done.stdout, closed)
            self.assertEqual(os.listdir(self.folder).count("callsig-2.out"), 0)

    def test_nothing_is_written_into_what_is_made(self):
        program = self.compile("program", harness.CALLS)
        self.assertEqual(self.callsig("run", "-o", "rec.out", program).returncode, 0)
        for closed in ((1,), (2,), (0, 1, 2)):
            self.assertEqual(self.run_without(closed, "export", "--to", "folded", "rec.out", "-o", "made"), 0)
            with open(self.path("made")) as made:
                self.assertTrue(all(line.rsplit(" ", 1)[1].strip().isdigit() for line in made), closed)

    def test_output_that_is_closed_is_told(self):
        program = self.compile("program", harness.CALLS)
        self.assertEqual(self.callsig("run", "-o", "rec.out", program).returncode, 0)
        done = self.run_command("sh", "-c", 'exec "$0" report rec.out >&-', harness.CALLSIG)
        self.assert_fails(done, 1, "standard output", "Bad file descriptor")


class Unread(harness.Case):
    def test_status_is_that_of_the_program(self):
        """Nobody reads the table: that ends neither the wait nor what is done behind it."""
        program = self.compile("program", TELLS)
        ends = os.pipe()
        os.close(ends[0])
        self.addCleanup(os.close, ends[1])
        for options in ((), ("--apart",)):
            done = subprocess.run([harness.CALLSIG, "run", *options, program], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=ends[1], timeout=120)
            self.assertEqual(done.returncode, 7)

    def test_program_has_the_signal(self):
        """As without callsig, a program is ended by it, and one that was started with it ignored finds it so."""
        program = self.compile("program", "#include <signal.h>\nint main(void) { return signal(SIGPIPE, SIG_DFL) == SIG_IGN; }")
        for disposition, status in ((signal.SIG_DFL, 0), (signal.SIG_IGN, 1)):
            done = subprocess.run([harness.CALLSIG, "run", "-o", "x", program], cwd=self.folder, env=self.environment, timeout=120,
                                  restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, disposition))
            self.assertEqual(done.returncode, status)


class GivenUp(harness.Case):
    """What the program closes is closed for who is at the other end, though this command goes on."""

    SOURCE = """
        #include <signal.h>
        #include <unistd.h>
        static int __attribute__((noinline)) work(int n) { return n + 1; }
        int main(int argc, char **argv) {
          (void)argv;
          work(1);
          alarm(60);
          close(argc - 1);
          for (;;) pause(); }"""

    def start(self, *arguments):
        program = self.compile_once("program", self.SOURCE)
        process = subprocess.Popen([harness.CALLSIG, "run", "-o", "x", program, *arguments], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(lambda: (process.send_signal(signal.SIGTERM), process.wait(), process.stdout.close()))
        return process

    def test_output(self):
        process = self.start("closes 1")
        self.addCleanup(process.stdin.close)
        self.assertTrue(select.select([process.stdout], [], [], 30)[0])
        self.assertEqual(process.stdout.read(), b"")
        self.assertIsNone(process.poll())

    def test_input(self):
        process = self.start()
        os.set_blocking(process.stdin.fileno(), False)
        end = time.monotonic() + 30
        with self.assertRaises(BrokenPipeError):
            while time.monotonic() < end:
                try:
                    os.write(process.stdin.fileno(), b"x" * 4096)
                except BlockingIOError:
                    time.sleep(0.05)
        self.assertIsNone(process.poll())
        process.stdin.close()


class Sent(harness.Case):
    """Signals by which programs are told something, and that only few of them get."""

    def send(self, number, *send):
        program = self.compile_once("program", WAITS)
        process = subprocess.Popen([harness.CALLSIG, "run", "-o", "x", program], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.stdout.close(), process.stderr.close()))
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertEqual(self.run_command(*send, str(int(number)), str(process.pid)).returncode, 0)
        output, errors = process.communicate(timeout=120)
        return process.returncode, output, errors

    def test_each(self):
        for number in (signal.SIGABRT, signal.SIGPIPE, signal.SIGURG, signal.SIGIO, signal.SIGVTALRM, signal.SIGPROF, signal.SIGPWR,
                       signal.SIGRTMIN, signal.SIGRTMIN + 5, signal.SIGRTMAX):
            self.assertEqual(self.send(number, "kill", "-s"), (3, f"{int(number)} -1\n", ""), number)

    def test_value(self):
        """What comes with a signal goes on with it."""
        for number in (signal.SIGUSR1, signal.SIGRTMIN + 1):
            self.assertEqual(self.send(number, "kill", "-q", "4711", "-s"), (3, f"{int(number)} 4711\n", ""), number)

    def test_timer_that_was_set_before(self):
        """As without callsig, a program ends by the alarm that was set before it was executed."""
        program = self.compile("program", WAITS)
        done = self.run_command(harness.CALLSIG, "run", "-o", "x", program, preexec_fn=lambda: signal.alarm(2), timeout=30)
        self.assertEqual((done.returncode, done.stdout), (3, f"ready\n{int(signal.SIGALRM)} -1\n"))

    def test_what_the_program_sends_is_not_sent_back(self):
        """Not to itself, whose parent this command is, nor a second time, where it is of the group."""
        program = self.compile("sender", """
            #include <signal.h>
            #include <unistd.h>
            static volatile sig_atomic_t count;
            static void on(int number) { (void)number; count++; }
            int main(void) {
              kill(getppid(), SIGUSR1); /* which would end it */
              usleep(100000);
              signal(SIGHUP, on);
              kill(0, SIGHUP);
              usleep(100000);
              return count; }""")
        done = self.run_command(harness.CALLSIG, "run", "-o", "x", program, start_new_session=True)
        self.assertEqual((done.returncode, done.stderr), (1, ""))


if __name__ == "__main__":
    harness.main()
