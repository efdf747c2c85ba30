"""Runs in one folder at the same time: none takes another's recording away, and each prints its own."""

import os
import signal
import subprocess
import time

import harness

# Calls twice() as often as its argument says, and waits for the file "go".
WAITS = """
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#define PLAIN __attribute__((no_instrument_function))
static int __attribute__((noinline)) twice(int n) { return n * 2; }
PLAIN static void call(int n) { while (n--) twice(n); }
/* COUNT, then 1: call before too, then anything: as a forked child, whose parent ends. */
PLAIN int main(int argc, char **argv) {
  if (argc > 2 && atoi(argv[2])) call(atoi(argv[1]));
  if (argc > 3 && fork() != 0) _exit(0);
  close(open(getenv("MARKER"), O_CREAT | O_WRONLY, 0600));
  while (access("go", F_OK) != 0) usleep(1000);
  call(atoi(argv[1]));
  return 0; }
"""


class AtOnce(harness.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("waits", WAITS)
        self.marks = 0
        self.environment["MARKER"] = self.path("marker0")
        self.assertEqual(self.callsig("index", self.program).returncode, 0)

    def launch(self, mark, *arguments, **environment):
        process = subprocess.Popen(arguments, cwd=self.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=dict(self.environment, MARKER=self.path(f"marker{mark}"), **environment))
        self.addCleanup(self.end, process)
        return process

    def wait_for(self, mark, process):
        """Waits until the program has come to its marker."""
        for _ in range(30000):
            if os.path.exists(self.path(f"marker{mark}")):
                return
            if process.poll():
                break
            time.sleep(0.01)
        self.fail(f"the program did not start: {process.poll()}")

    def start(self, *arguments, **environment):
        """Starts a command in the background, up to its program's marker."""
        self.marks += 1
        process = self.launch(self.marks, *arguments, **environment)
        self.wait_for(self.marks, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()

    def go(self):
        self.write("go", "")

    def table(self, process):
        _, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, errors)
        return errors

    def test_two_runs(self):
        """Also while the first has not recorded a call yet, the second takes another name and says so."""
        for recorded, words in (("1", "callsig: process "), ("0", "callsig: another run")):
            first = self.start(harness.CALLSIG, "run", self.program, "3", recorded)
            second = self.start(harness.CALLSIG, "run", self.program, "50", recorded)
            self.go()
            once = 2 if recorded == "1" else 1
            table, other = self.table(first), self.table(second)
            self.assertIn(f"{3 * once} function calls", table)
            self.assertIn(f"{50 * once} function calls", other)
            self.assertIn(words, other)
            self.assertIn("still records in callsig.out: this run records in callsig-2.out\n", other)
            self.assertIn(f"{3 * once} function calls", self.callsig("report", "callsig.out").stdout)
            self.assertIn(f"{50 * once} function calls", self.callsig("report", "callsig-2.out").stdout)
            os.unlink(self.path("go"))

    def test_named(self):
        first = self.start(harness.CALLSIG, "run", "-o", "named", self.program, "3", "1")
        done = self.callsig("run", "-o", "named", self.program, "50")
        self.assert_fails(done, 1, "run: named: process ", " still records there; choose another place with -o")
        self.go()
        self.assertEqual(self.table(first), "")
        self.assertIn("6 function calls", self.callsig("report", "named").stdout)

    def test_nothing_replaces_what_is_held(self):
        """A recording that is written, or whose program has not called anything yet, is no place for what another command writes."""
        recorded = self.start(harness.CALLSIG, "run", "-o", "recorded", self.program, "3", "1")
        other = self.start(harness.CALLSIG, "run", "-o", "other", self.program, "3", "1")
        awaited = self.start(harness.CALLSIG, "run", "-o", "awaited", self.program, "3", "0")
        for name in ("recorded", "other", "awaited"):
            for command in (("merge", "-o", name, "recorded"), ("ctl", "recorded", "snapshot", name)):
                self.assert_fails(self.callsig(*command), 1, f"{name} is ", "name another file")
        self.go()
        for name, process, calls in (("recorded", recorded, 6), ("other", other, 6), ("awaited", awaited, 3)):
            self.table(process)
            self.assertIn(f"{calls} function calls", self.callsig("report", name).stdout)
        self.assertEqual(self.callsig("merge", "-o", "recorded", "awaited").returncode, 0)

    def test_ten_runs(self):
        runs = [self.launch(number, harness.CALLSIG, "run", self.program, str(number), "1") for number in range(101, 111)]
        for number, run in zip(range(101, 111), runs):
            self.wait_for(number, run)
        self.go()
        for number, run in zip(range(101, 111), runs):
            self.assertIn(f" {2 * number} function calls", self.table(run))

    def test_program_outlives_its_run(self):
        """The program holds its recording itself: the command may be killed."""
        first = self.start(harness.CALLSIG, "run", self.program, "3", "1")
        first.send_signal(signal.SIGKILL)
        first.wait(timeout=600)
        done = self.callsig("run", "-o", "callsig.out", self.program, "50")
        self.assert_fails(done, 1, "still records there")
        self.go()
        for _ in range(10000):
            done = self.callsig("report", "callsig.out")
            if "6 function calls" in done.stdout:
                break
            time.sleep(0.01)
        self.assertIn("6 function calls", done.stdout)

    def test_program_without_a_run(self):
        first = self.start(self.program, "3", "1", LD_PRELOAD=os.path.join(harness.RUNTIME, "libcallsig.so"))
        self.assert_fails(self.callsig("run", "-o", "callsig.out", self.program, "50"), 1, "still records there")
        self.go()
        self.table(first)
        self.assertIn("6 function calls", self.callsig("report", "callsig.out").stdout)

    def test_owner_is_gone(self):
        """What a killed program left is replaced, also when neither it nor its run came to an end."""
        for recorded in ("0", "1"):
            first = self.start("setsid", "-w", harness.CALLSIG, "run", self.program, "3", recorded)
            os.killpg(self.session_of(first), signal.SIGKILL)
            first.communicate()
            self.assertTrue(os.path.exists(self.path("callsig.out")))
            self.go()
            done = self.callsig("run", self.program, "50")
            self.assertIn(" 50 function calls", done.stderr)
            self.assertFalse(os.path.exists(self.path("callsig-2.out")))
            os.unlink(self.path("go"))

    def session_of(self, process):
        """The session that setsid made, by its child."""
        done = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,pgid="], capture_output=True, text=True, check=True)
        groups = [int(group) for pid, parent, group in map(str.split, done.stdout.splitlines())
                  if int(parent) == process.pid or int(pid) == process.pid and int(group) == process.pid]
        self.assertTrue(groups)
        return groups[-1]

    def test_child_without_hooks(self):
        """A forked child that still runs holds nothing of its parent, whose recording ended with it."""
        first = self.start(harness.CALLSIG, "run", "-o", "named", self.program, "3", "1", "daemon")
        self.assertEqual(first.wait(timeout=600), 0)
        self.assertFalse(os.path.exists(self.path("go")))
        short = self.compile("short", harness.CALLS)
        done = self.callsig("run", "-o", "named", short)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.go()
        first.communicate(timeout=600)

    def test_taken_away_by_hand(self):
        first = self.start(harness.CALLSIG, "run", self.program, "3", "1")
        os.unlink(self.path("callsig.out"))
        self.go()
        errors = self.table(first)
        self.assertIn("callsig.out: the recording was taken away while the program ran", errors)

    def test_cut_off_by_hand(self):
        """The program's next call ends it then: it is not told as one that never called anything."""
        first = self.start(harness.CALLSIG, "run", self.program, "3", "1")
        os.truncate(self.path("callsig.out"), 0)
        self.go()
        errors = first.communicate(timeout=600)[1]
        self.assertEqual(errors, f"callsig: callsig.out: the recording was cut off while the program ran, which signal {int(signal.SIGBUS)} ended: "
                                 "nothing is left to show\n")
        self.assertEqual(first.returncode, 128 + signal.SIGBUS)


if __name__ == "__main__":
    harness.main()
