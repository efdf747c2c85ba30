#!/usr/bin/env python3
# ctest: case - quick Ctl.test_hooks Ctl.test_sleds_every_call_timed Ctl.test_number_of_the_run Ctl.test_starts_off Ctl.test_child_of_one_that_was_switched_on Ctl.test_never_switched_on Ctl.test_reset Ctl.test_reset_sleds_every_call_timed Ctl.test_seccomp Ctl.test_waits_for_a_hook Ctl.test_cut_off_meanwhile Ctl.test_status Ctl.test_snapshot Ctl.test_copies_have_the_times_of_now Ctl.test_nothing_replaces_the_recording_itself Ctl.test_limit_on_the_size_of_files Ctl.test_hostile Ctl.test_programs Ctl.test_no_recording Ctl.test_usage Ctl.test_usage_of_times Ctl.test_forked_child Ctl.test_child_that_may_not_read_indexes_later Ctl.test_child_that_may_not_read_indexes
# ctest: case _full full
"""A program that is being profiled is switched, looked at and asked for snapshots from outside, and counts are exact in between.

The program does what lines on its standard input say, and answers each: so it is known which calls it made when.
"""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import harness

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

""" + harness.FORBID + """
#define CALLED __attribute__((noinline))
static CALLED void ping(void) { __asm__ volatile(""); }
static CALLED void first(void) { __asm__ volatile(""); }
static CALLED void second(void) { __asm__ volatile(""); }
static CALLED void third(void) { __asm__ volatile(""); }
static CALLED void serve(char **argv)
{
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    void (*function)(void) = line[0] == '1' ? first : line[0] == '2' ? second : line[0] == '3' ? third : ping;
    if (line[0] == 'f') { /* a child goes on; its parent waits for it */
      pid_t child = fork();
      if (child) {
        waitpid(child, 0, 0);
        continue;
      }
    } else if (line[0] == 'z') {
      if (forbid())
        exit(3);
    } else if (line[0] == 'x')
      execv(argv[0], argv);
    else if (line[0] != 's')
      for (int i = atoi(line + 1); i > 0; i--)
        function();
    printf("%d\\n", (int)getpid());
  }
}
int main(int argc, char **argv)
{
  (void)argc;
  setvbuf(stdin, NULL, _IONBF, 0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("%d\\n", (int)getpid());
  serve(argv);
  return 0;
}
"""


class Ctl(harness.Case):
    def start(self, *options, sleds=False, program=None):
        """The program under `callsig run`, and its number."""
        program = program or self.build(sleds)
        run = subprocess.Popen([harness.CALLSIG, "run", "-o", "x.out", "--apart", *options, program], cwd=self.folder, env=self.environment,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(self.stop, run)
        self.run_ = run
        self.pid = run.stdout.readline().strip()
        self.assertTrue(self.pid, "the program did not start")

    def build(self, sleds=False, *flags):
        if not sleds:
            return self.compile("program", SOURCE, *flags)
        self.write("program.c", SOURCE)
        done = self.run_command(harness.CALLSIG_CC, "-O1", "-g", *flags, "program.c", "-o", self.path("program"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path("program")

    def stop(self, run):
        for pipe in (run.stdin, run.stdout, run.stderr):
            pipe.close()
        run.wait()

    def say(self, line):
        """Has the program do what the line says. Its answer."""
        self.run_.stdin.write(line + "\n")
        self.run_.stdin.flush()
        return self.run_.stdout.readline().strip()

    def end(self):
        self.run_.stdin.close()
        self.assertEqual(self.run_.wait(), 0)

    def ctl(self, *arguments):
        return self.callsig("ctl", *arguments)

    def switch(self, word, name=None):
        """Asks, while the program calls instrumented functions, until it was taken."""
        asking = subprocess.Popen([harness.CALLSIG, "ctl", "--wait", "60s", name or self.pid, word], cwd=self.folder,
                                  env=self.environment, stderr=subprocess.PIPE, text=True)
        while asking.poll() is None:
            self.say("p 1")
        self.assertEqual((asking.returncode, asking.stderr.read()), (0, ""))
        asking.stderr.close()

    def status(self, name=None):
        done = self.ctl(name or self.pid, "status")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return dict(line.split(maxsplit=1) for line in done.stdout.splitlines())

    def counts(self, file="x.out"):
        """function -> calls"""
        done = self.callsig("report", file, "--by", "function", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}

    # Counts between two answers -----------------------------------------------------------------------------------------

    def switched(self, *options, sleds=False):
        self.start(*options, sleds=sleds)
        self.say("1 500")
        self.switch("off")
        self.say("2 300")
        self.say("1 40")
        self.switch("on")
        self.say("3 700")
        self.say("1 7")
        self.end()
        counts = self.counts()
        self.assertEqual({name: counts.get(name) for name in ("first", "second", "third")},
                         {"first": 507, "second": None, "third": 700})
        self.assertNotIn("not recorded", self.callsig("report", "x.out").stdout)

    def test_hooks(self):
        self.switched()

    def test_sleds(self):
        self.switched(sleds=True)

    def test_every_call_timed(self):
        self.switched("--times", "exact")

    def test_sleds_every_call_timed(self):
        self.switched("--times", "exact", sleds=True)

    def test_histograms(self):
        self.switched("--times", "exact", "--percentiles")

    def test_processor_time(self):
        self.switched("--clock", "cpu")

    def test_file_names_the_program(self):
        self.start()
        self.switch("off", "x.out")
        self.assertTrue(self.status("x.out")["recording"].startswith("off since "))

    def test_number_of_the_run(self):
        """The number of `callsig run`, which a shell has as $!, means the program that it runs."""
        self.start("--off")
        self.switch("on", str(self.run_.pid))
        self.say("1 20")
        self.assertEqual(self.status(str(self.run_.pid))["process"], self.pid)
        self.switch("off", str(self.run_.pid))
        done = self.callsig("top", "--batch", "1", "--interval", "0.1", str(self.run_.pid))
        self.assertRegex(done.stdout, rf"^callsig top: program \({self.pid}\), running [0-9.]+ s, recording off; ")
        rows = [line.split() for line in done.stdout.splitlines() if "program.c" in line]
        self.assertTrue(rows, done.stdout)
        self.assertEqual({row[2] for row in rows}, {"0.0"})  # the share of what is done now
        self.end()

    def test_starts_off(self):
        for sleds in (False, True):
            with self.subTest(sleds=sleds):
                self.start("--off", sleds=sleds)
                self.say("1 20")
                self.assertTrue(self.status()["recording"].startswith("off since "))
                self.switch("on")
                self.say("2 30")
                self.end()
                counts = self.counts()
                self.assertEqual((counts.get("first"), counts.get("main"), counts["second"]), (None, None, 30))

    def test_off_to_the_end(self):
        self.start("--off")
        self.say("1 20")
        self.end()
        self.assertEqual(self.counts(), {})

    def test_never_switched_on(self):
        """The table's place has why there is nothing, and not that nothing was called."""
        program = self.compile("program", SOURCE)
        for options in (["--off"], ["--after", "1000"]):
            done = self.callsig("run", *options, program)
            self.assertEqual(done.returncode, 0)
            self.assertIn("nothing was recorded: recording was never switched on", done.stderr)
            self.assertNotIn("no instrumented function ran", done.stderr)
        for options in (["--for", "1ms"], ["--after", "1ms", "--for", "1ms"]):
            late = self.compile("late", "#include <unistd.h>\n__attribute__((no_instrument_function)) static void wait(void) { usleep(200000); }\n"
                                "static int work(int n) { return n + 1; }\n"
                                "__attribute__((no_instrument_function)) int main(void) { wait(); return work(-1); }\n")
            done = self.callsig("run", *options, late)
            self.assertEqual((done.returncode, done.stderr), (0, "callsig: nothing was recorded: no instrumented function ran, or all of them were "
                                                              "filtered out; or none in the time of --for\n"))
        done = self.callsig("run", "--for", "1000", program)
        self.assertIn("(main(", done.stderr)

    # Counting from zero --------------------------------------------------------------------------------------------------

    def reset(self, *options, sleds=False):
        self.start(*options, sleds=sleds)
        self.say("1 500")
        self.say("2 300")
        self.switch("reset")
        began = time.monotonic()
        self.say("3 700")
        self.say("1 7")
        counts = self.counts()
        self.assertEqual({name: counts.get(name) for name in ("first", "second", "third")}, {"first": 7, "second": None, "third": 700})
        time.sleep(0.2)
        self.switch("reset")
        time.sleep(0.2)
        self.say("2 20")
        self.end()
        ran = time.monotonic() - began
        rows = self.rows()
        self.assertEqual({name: rows[name]["ncalls"] for name in rows if name != "ping"}, {"main": 0, "serve": 0, "second": 20})
        # What was open at the reset takes time from then on, and no call of it was made.
        self.assertTrue(0.2 <= rows["main"]["cumtime"] <= ran - 0.2, (rows["main"], ran))
        self.assertLessEqual(rows["serve"]["cumtime"], rows["main"]["cumtime"])
        self.assertNotIn("not recorded", self.callsig("report", "x.out").stdout)

    def rows(self):
        done = self.callsig("report", "x.out", "--by", "function", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["function"]: row for row in json.loads(done.stdout)["rows"]}

    def test_reset(self):
        self.reset()

    def test_reset_sleds(self):
        self.reset(sleds=True)

    def test_reset_every_call_timed(self):
        self.reset("--times", "exact", "--percentiles")

    def test_reset_sleds_every_call_timed(self):
        self.reset("--times", "exact", "--timeline=0", sleds=True)

    def test_reset_while_off(self):
        self.start()
        self.say("1 500")
        self.switch("off")
        self.switch("reset")
        self.assertTrue(self.status()["recording"].startswith("off since "))
        self.assertEqual(self.counts(), {})
        self.switch("on")
        self.say("2 20")
        self.end()
        counts = self.counts()
        self.assertEqual((counts.get("first"), counts.get("main"), counts["second"]), (None, None, 20))

    def test_reset_killed(self):
        self.start()
        self.say("1 500")
        self.switch("reset")
        self.say("2 20")
        os.kill(int(self.pid), signal.SIGKILL)
        self.run_.wait()
        rows = self.rows()
        self.assertEqual((rows["main"]["ncalls"], rows["second"]["ncalls"], "first" in rows), (0, 20, False))

    def test_seccomp(self):
        """A program that may do little more than read and write is steered as any other."""
        for sleds in (False, True):
            with self.subTest(sleds=sleds):
                self.start(sleds=sleds)
                self.say("1 500")
                self.say("3 1")
                self.say("2 1")
                self.say("z")
                self.switch("off")
                self.say("2 300")
                self.switch("on")
                self.say("1 7")
                self.assertEqual(self.ctl(self.pid, "snapshot", "y.out").returncode, 0)
                self.assertEqual({name: self.counts("y.out").get(name) for name in ("first", "second", "third")},
                                 {"first": 507, "second": 1, "third": 1})
                self.switch("reset")
                self.say("3 700")
                self.end()
                counts = self.counts()
                self.assertEqual({name: counts.get(name) for name in ("first", "second", "third")},
                                 {"first": None, "second": None, "third": 700})

    # A program that does not come by ----------------------------------------------------------------------------------------

    def test_waits_for_a_hook(self):
        self.start()
        self.say("1 10")
        done = self.ctl("--wait", "50ms", self.pid, "off")
        self.assert_fails(done, 1, "'off' waits there", "when the program next calls an instrumented function")
        self.assertEqual(self.status()["asked"], "'off', not taken yet")
        self.say("p 2000")
        self.assertTrue(self.status()["recording"].startswith("off since "))
        self.say("2 10")
        self.end()
        self.assertNotIn("second", self.counts())

    def test_cut_off_meanwhile(self):
        """The recording is emptied while the command waits for an answer: it says so. The program, which can go on in no file, ends by itself."""
        self.start("--off")
        asked = subprocess.Popen((harness.CALLSIG, "ctl", "--wait", "60", "x.out", "on"), cwd=self.folder, env=self.environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(asked.communicate)
        self.addCleanup(asked.kill)
        waiting = False
        while not waiting and asked.poll() is None:
            waiting = "asked      'on', not taken yet" in self.callsig("ctl", self.pid, "status").stdout
        self.assertTrue(waiting)
        os.truncate(self.path("x.out"), 0)
        output, errors = asked.communicate(timeout=60)
        self.assertEqual((asked.returncode, output), (1, ""), errors)
        self.assertEqual(errors, "callsig: ctl: x.out: the recording was cut off, so that its program cannot take 'on': run it again\n")

    def test_ended_meanwhile(self):
        self.start()
        self.say("1 1")
        asking = subprocess.Popen([harness.CALLSIG, "ctl", "--wait", "60s", self.pid, "off"], cwd=self.folder, env=self.environment,
                                  stderr=subprocess.PIPE, text=True)
        while asking.poll() is None and "asked" not in self.status():
            pass
        os.kill(int(self.pid), signal.SIGKILL)
        self.assertIn("the program ended before it took 'off'", asking.communicate()[1])
        self.assertEqual(asking.returncode, 1)

    # Status, snapshots, the timeline --------------------------------------------------------------------------------------

    def test_status(self):
        self.start()
        self.say("1 1000")
        status = self.status()
        self.assertEqual(status["process"], self.pid)
        self.assertRegex(status["recording"], r"^on since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(\d+\.\d s\)$")
        self.assertEqual(status["calls"], "1002")
        self.assertEqual(status["threads"], "1 running, 0 ended")
        self.assertRegex(status["file"], r"^\d+ bytes, \d+ in use, .*x\.out$")
        self.assertEqual(status["lost"], "0 calls")

    def test_status_of_a_name_that_does_not_print(self):
        self.start("-o", "a\x1b[31m\nb.out")  # which follows another -o
        self.say("1 10")
        done = self.ctl("a\x1b[31m\nb.out", "status")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\nfile +\d+ bytes, \d+ in use, .*a\\x1b\[31m\\x0ab\.out\n")

    def test_snapshot(self):
        self.start()
        self.say("1 100")
        self.assertEqual(self.ctl(self.pid, "snapshot", "one.out").returncode, 0)
        self.say("1 23")
        self.assertEqual(self.ctl(self.pid, "snapshot", "two.out").returncode, 0)
        self.end()
        self.assertEqual(self.counts("one.out")["first"], 100)
        self.assertEqual(self.counts("two.out")["first"], 123)
        self.assertEqual(os.stat(self.path("one.out")).st_mode & 0o777, 0o600)
        for command in (("diff", "one.out", "two.out"), ("export", "--to", "folded", "one.out")):
            self.assertEqual(self.callsig(*command).returncode, 0, command)

    def served(self, file):
        """Seconds from the beginning of serve()."""
        rows = json.loads(self.callsig("report", file, "--by", "function", "--format", "json").stdout)["rows"]
        return next(row["cumtime"] for row in rows if row["function"] == "serve")

    def test_copies_have_the_times_of_now(self):
        """What a snapshot, a timeline and a merge say of a call that goes on, and after a reset, when the program's own clock was not read since."""
        self.start("--timeline=0")
        self.switch("reset")
        self.say("1 10")
        time.sleep(1.5)
        shown = [self.served("x.out")]
        self.assertEqual(self.ctl(self.pid, "snapshot", "snapshot.out").returncode, 0)
        self.assertEqual(self.callsig("merge", "-o", "merged.out", "x.out").returncode, 0)
        self.assertEqual(self.ctl(self.pid, "timeline", "timeline.json").returncode, 0)
        shown += [self.served("snapshot.out"), self.served("merged.out")]
        shown.append(self.served("x.out"))
        self.assertGreater(shown[0], 1.4)
        self.assertEqual(shown, sorted(shown))
        for name in ("snapshot.out", "merged.out"):
            self.assertNotIn("rate is unknown", self.callsig("report", name).stdout)
        with open(self.path("timeline.json")) as file:
            ends = [event["ts"] + event["dur"] for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
        self.assertLess(max(ends) / 1e6, shown[-1])

    def test_snapshot_replaces_recordings_alone(self):
        self.start()
        precious = self.write("precious", "not to be lost")
        os.symlink(precious, self.path("link"))
        for name in ("precious", "link"):
            self.assert_fails(self.ctl(self.pid, "snapshot", name), 1, name)
        with open(precious) as file:
            self.assertEqual(file.read(), "not to be lost")
        for _ in range(2):
            self.assertEqual(self.ctl(self.pid, "snapshot", "again.out").returncode, 0)

    def test_limit_on_the_size_of_files(self):
        """It is told as a full disk is, leaves nothing, and leaves programs that are started to their own ends."""
        self.start()
        self.say("1 5")

        def limited(*arguments, blocks=8):
            return subprocess.run(["sh", "-c", f'ulimit -c 0; ulimit -f {blocks}; exec "$0" "$@"', harness.CALLSIG, *arguments], cwd=self.folder,
                                  env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        self.assert_fails(limited("ctl", "x.out", "snapshot", "snapshot.out"), 1, "snapshot.out: File too large")
        self.assertNotIn("snapshot.out", os.listdir(self.folder))
        self.assertEqual(self.ctl("x.out", "snapshot", "snapshot.out").returncode, 0)
        self.assert_fails(limited("merge", "-o", "merged.out", "snapshot.out"), 1, "merged.out: File too large")
        self.end()
        done = limited("run", "-o", "y.out", "/bin/sh", "-c", "head -c 100000 /dev/zero > big; kill -XFSZ $$")
        self.assertEqual(done.returncode, 128 + signal.SIGXFSZ, done.stderr)
        done = limited("run", "-o", "z.out", "/bin/sh", "-c", ":", blocks=4)
        self.assertEqual(done.returncode, 1)
        self.assertIn("z.out: the recording cannot be made there: File too large", done.stderr)

    def test_nothing_replaces_the_recording_itself(self):
        self.start("--timeline=0")
        self.say("1 10")
        os.link(self.path("x.out"), self.path("same.out"))
        for word, name in (("snapshot", "x.out"), ("snapshot", "same.out"), ("timeline", "x.out")):
            self.assert_fails(self.ctl(self.pid, word, name), 1, f"{name} is the recording that the program writes")
        self.assert_fails(self.callsig("merge", "-o", "x.out", "x.out"), 1, "x.out is a recording that a program still writes")
        os.unlink(self.path("same.out"))
        self.say("1 5")
        self.end()
        self.assertEqual(self.counts("x.out")["first"], 15)

    def test_timeline(self):
        self.start("--timeline=0")
        self.say("1 10")
        done = self.ctl(self.pid, "timeline", "trace.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("trace.json")) as file:
            names = [event.get("name", "") for event in json.load(file)["traceEvents"]]
        self.assertEqual(sum(name.startswith("first") for name in names), 10)

    def test_no_timeline(self):
        self.start()
        self.assert_fails(self.ctl(self.pid, "timeline", "trace.json"), 1, "no timeline is kept", "--timeline")

    # Families ---------------------------------------------------------------------------------------------------------------

    def test_child_of_one_that_was_switched_on(self):
        """A child begins as its parent is when it is forked, however that began."""
        self.start("--off")
        self.say("1 100")
        self.switch("on")
        child = self.say("f")
        self.say("1 3")
        self.say("2 5")
        self.assertTrue(self.status(child)["recording"].startswith("on"))
        self.end()
        counts = self.counts(f"x.out.{child}")
        self.assertEqual((counts.get("first"), counts.get("second")), (3, 5))

    def test_forked_child(self):
        self.start()
        self.say("1 5")
        child = self.say("f")
        self.assertNotEqual(child, self.pid)
        # What it has of its parent's recording is not its own.
        top = ("top", child, "--batch", "1", "--interval", "0.1", "--by", "function", "-s", "total-calls")
        self.assert_fails(self.callsig(*top), 1, f"process {child} records nothing")
        self.say("1 3") # so the child has a recording
        self.switch("off", child)
        self.say("1 100")
        self.assertTrue(self.status(child)["recording"].startswith("off"))
        self.assertTrue(self.status()["recording"].startswith("on"))
        self.assertRegex(self.callsig(*top).stdout, r" 3 .*\(first\)")
        self.end()
        self.assertEqual(self.counts()["first"], 5)
        self.assertEqual(self.counts("x.out." + child)["first"], 3)

    def test_child_of_a_program_that_is_off(self):
        for sleds in (False, True):
            with self.subTest(sleds=sleds):
                self.start("--off", sleds=sleds)
                self.say("1 5")
                child = self.say("f")
                self.say("1 3") # so the child has a recording
                self.assertTrue(self.status(child)["recording"].startswith("off"))
                self.switch("on", child)
                self.say("2 9")
                self.end()
                counts = self.counts("x.out." + child)
                self.assertEqual((counts.get("first"), counts.get("second")), (None, 9))
                self.assertEqual(self.counts(), {})

    def lose_indexes(self):
        """From here on no index can be read, nor made."""
        shutil.rmtree(self.path("cache"))
        self.write("cache", "")

    def test_child_that_may_not_read_indexes_later(self):
        self.start("--off", sleds=True)
        child = self.say("f")
        self.say("1 3")
        self.lose_indexes()
        self.switch("on", child)
        self.say("2 9")
        self.end()
        self.assertEqual(self.counts("x.out." + child).get("second"), 9)

    def test_child_that_has_indexes_of_its_parent(self):
        """What the cache has is not asked for again."""
        self.start(sleds=True)
        self.say("1 5")
        self.lose_indexes()
        child = self.say("f")
        self.say("1 3")
        self.say("2 7")
        self.end()
        counts = self.counts("x.out." + child)
        self.assertEqual((counts["first"], counts["second"]), (3, 7))

    def test_child_that_may_not_read_indexes(self):
        """Its calls are not recorded, which is told as it is; and it goes on to listen. Of a file without a build-id no index is taken from the parent."""
        self.start(program=self.build(True, "-Wl,--build-id=none"))
        self.say("1 5")
        self.lose_indexes()
        child = self.say("f")
        self.say("1 3")
        self.say("2 7")
        lost = int(self.status(child)["lost"].split()[0])
        self.switch("off", child)
        self.say("1 100")
        self.end()
        self.assertGreater(lost, 0)
        done = self.callsig("report", "x.out." + child, "--notes")
        self.assertRegex(done.stdout, r"\n\d+ calls not recorded: their module's signature index could not be read there")
        self.assertNotIn("could not grow", done.stdout)

    def test_child_without_a_recording(self):
        """A child has none while its program records nothing at all: it follows what its parent is asked."""
        self.environment["CALLSIG_DISABLED"] = "1"
        self.start()
        self.say("1 5")
        child = self.say("f")
        self.say("1 3")
        self.assertEqual(self.ctl("--wait", "0", self.pid, "on").returncode, 1) # the parent waits for its child
        self.say("2 9")
        self.end()
        self.assertEqual(self.counts("x.out." + child)["second"], 9)

    def test_exec(self):
        self.start("--off")
        self.say("1 5")
        self.say("x") # its answer is that of the new program's beginning
        self.say("1 5")
        self.assertTrue(self.status()["recording"].startswith("off"))
        self.switch("on")
        self.say("2 9")
        self.end()
        self.assertEqual(self.counts("x.out." + self.pid).get("second"), 9)

    # Times --------------------------------------------------------------------------------------------------------------------

    def wait_until(self, state):
        while not self.status()["recording"].startswith(state):
            self.say("p 10")

    def test_for(self):
        self.start("--for", "300ms")
        self.say("1 5")
        self.wait_until("off")
        self.say("2 5")
        self.end()
        self.assertNotIn("second", self.counts())

    def test_after(self):
        self.start("--after", "300ms", "--for", "1000s")
        self.wait_until("on")
        self.say("2 5")
        self.end()
        self.assertEqual(self.counts()["second"], 5)

    def test_usage_of_times(self):
        for options, word in ((["--for", "5 s"], "--for: '5 s' is no time"), (["--for", "5h"], "'5h' is no time"), (["--for", "1e3"], "'1e3' is no time"),
                              (["--for", "2000000"], "'2000000' is no time"), (["--after", "0"], "--after: '0' is no time"),
                              (["--for", "-1s"], "'-1s' is no time"), (["--off", "--for", "5s"], "--off")):
            self.assert_fails(self.callsig("run", *options, "true"), 2, word)

    # What is no program that records --------------------------------------------------------------------------------------------

    def test_hostile(self):
        self.start()
        self.say("1 5")
        self.write("text", "x" * 10000)
        self.write("empty", "")
        os.symlink("x.out", self.path("link"))
        os.mkfifo(self.path("fifo"))
        with open(self.path("x.out"), "rb") as file:
            whole = file.read()
        for name, content in (("cut", whole[:2000]), ("short", whole[:100]), ("copy", whole),
                              ("old", whole[:12] + (416).to_bytes(4, "little") + whole[16:]),
                              ("new", whole[:8] + (9).to_bytes(4, "little") + whole[12:])):
            with open(self.path(name), "wb") as file:
                file.write(content)
        for name, words in (("text", "not a callsig recording"), ("empty", "not a callsig recording"), ("link", "symbolic link"),
                            ("fifo", "not a callsig recording"), (".", "cannot be written"),
                            ("missing", "missing: No such file or directory; name a process by its number, or a recording"),
                            ("cut", "not a callsig recording"), ("short", "not a callsig recording"),
                            ("copy", "has ended"), ("old", "another version"), ("new", "another version")):
            for word in ("on", "status"):
                self.assert_fails(self.ctl(name, word), 1, name, words)
        self.assertTrue(self.status()["recording"].startswith("on"))
        os.chmod(self.path("x.out"), 0o400)
        if os.geteuid() != 0:
            self.assert_fails(self.ctl("x.out", "off"), 1, "x.out", "Permission denied")

    def test_ended(self):
        self.start()
        self.end()
        self.assert_fails(self.ctl("x.out", "on"), 1, "its program has ended")
        self.assert_fails(self.ctl(self.pid, "on"), 1, f"there is no process {self.pid}")

    def test_programs(self):
        """What is told of a program that runs, by its file, and of a process of one's own that the system hides."""
        shutil.copy("/bin/sleep", self.path("sleeper"))
        sleeper = subprocess.Popen([self.path("sleeper"), "300"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        self.assert_fails(self.ctl("sleeper", "on"), 1, "sleeper: is a program that runs, not a recording")
        try:
            with open("/proc/1/maps") as maps:
                maps.read()
        except PermissionError:
            if os.stat("/proc/1").st_uid == os.geteuid():
                self.assert_fails(self.ctl("1", "status"), 1, "process 1 may not be looked into")

    def test_no_recording(self):
        self.assert_fails(self.ctl(str(os.getpid()), "on"), 1, "has no recording")
        self.assert_fails(self.ctl("0", "on"), 1, "there is no process 0")
        self.assert_fails(self.ctl("99999999999999999999", "on"), 1, "there is no process")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to have another user's file")
    def test_another_user(self):
        self.start()
        os.chown(self.path("x.out"), 65534, 65534)
        self.assert_fails(self.ctl("x.out", "off"), 1, "belongs to another user")

    def test_usage(self):
        for arguments, words in (([], "name the program"), (["1"], "say what to do"), (["1", "jump"], "'jump' is none of"),
                                 (["1", "snapshot"], "where to write"), (["1", "on", "more"], "'more' is too much"),
                                 (["--wait", "x", "1", "on"], "--wait: 'x' is no time")):
            self.assert_fails(self.ctl(*arguments), 2, words)


if __name__ == "__main__":
    harness.main()
