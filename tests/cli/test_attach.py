# ctest: case - quick Counts Refusals
# ctest: case _long full
# ctest: skips
"""A program that runs already is attached to and left: counts are exact, it is as before, or one line says why not."""

import ctypes
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness

SOURCE = os.path.join(harness.HERE, "attached.c")
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17


def total_of(calls):
    """What the program sums up in so many calls of work()."""
    return sum(2 * (i & 3) + 14 for i in range(calls))


class Program:
    """The program of attached.c, running."""

    def __init__(self, case, path, *arguments, **options):
        self.case = case
        self.total = 0
        self.process = subprocess.Popen([path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, bufsize=1, cwd=case.folder, env=case.environment, **options)
        case.addCleanup(self.stop)
        self.pid = self.process.pid
        case.assertEqual(self.line(), "ready\n")

    def stop(self):
        self.process.kill()
        self.process.communicate()

    def line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        self.case.assertTrue(ready, "the program does not answer")
        return self.process.stdout.readline()

    def call(self, count):
        """Has it do so many calls, and answer."""
        self.process.stdin.write(f"{count}\n")
        self.total += total_of(count)
        self.case.assertEqual(self.line(), f"did {count}, {self.total}\n")

    def end(self):
        out, err = self.process.communicate("", timeout=600)
        self.case.assertEqual((out, err, self.process.returncode), (f"end {self.total}\n", "", 5))

    def maps(self):
        with open(f"/proc/{self.pid}/maps") as file:
            return file.read()

    def text(self):
        """The program's own code, as it is in memory. Pages that were written to once may be a mapping of their own."""
        mappings = [line for line in self.maps().splitlines() if " r-xp " in line and line.endswith(self.process.args[0])]
        text = b""
        with open(f"/proc/{self.pid}/mem", "rb") as memory:
            for low, high in ((int(part, 16) for part in line.split()[0].split("-")) for line in mappings):
                memory.seek(low)
                text += memory.read(high - low)
        return text

    def state(self):
        with open(f"/proc/{self.pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]

    def threads_traced(self):
        """The threads that somebody traces."""
        traced = []
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{thread}/status") as file:
                traced += [thread for line in file if line.startswith("TracerPid:") and line.split()[1] != "0"]
        return traced


class Attached:
    """`callsig attach`, from when the process records."""

    def __init__(self, case, program, *arguments, command=harness.CALLSIG):
        self.case = case
        self.process = subprocess.Popen([command, "attach", *arguments, str(program.pid)], cwd=case.folder, env=case.environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        case.addCleanup(self.stop)
        self.first = self.process.stderr.readline()
        case.assertIn(f"process {program.pid} records in ", self.first, self.process.poll() is not None and self.process.stderr.read())

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def finish(self, ask=True):
        """What it prints when it is told to detach."""
        if ask:
            self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=120)
        self.case.assertEqual((out, self.process.returncode), ("", 0), err)
        return err


def may_trace():
    """True where this process may trace one that it has started."""
    child = subprocess.Popen(["sleep", "60"])
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    try:
        return libc.ptrace(PTRACE_SEIZE, child.pid, None, None) == 0
    finally:
        child.kill()
        child.wait()


# Executes itself at each line; with a library, a thread loads that, and another executes something else after 2 s.
EXECUTES = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void *loads(void *path) { dlopen(path, RTLD_NOW); return NULL; }
static int is_traced(void)
{
  char text[4096];
  FILE *status = fopen("/proc/self/status", "r");
  text[fread(text, 1, sizeof text - 1, status)] = '\0';
  fclose(status);
  return !strstr(text, "TracerPid:\t0\n");
}
static void *executes(void *data)
{
  while (!is_traced())
    usleep(10000);
  sleep(1);
  execl("/bin/sleep", "sleep", "60", (char *)NULL);
  return data;
}
int main(int argc, char **argv)
{
  char line[16];
  pthread_t thread;
  if (argc > 1) {
    pthread_create(&thread, NULL, loads, argv[1]);
    usleep(200000);
    pthread_create(&thread, NULL, executes, NULL);
  }
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin))
    execv(argv[0], argv);
  return 0;
}
"""


class Case(harness.Case):
    built = None  # a folder with the program, which most tests run

    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.mkdtemp(prefix="callsig-attached-")
        cls.addClassCleanup(shutil.rmtree, cls.built, ignore_errors=True)
        os.chmod(cls.built, 0o755)

    def sleds(self):
        """The program with sleds, built once."""
        path = os.path.join(self.built, "attached")
        if not os.path.exists(path):
            os.rename(self.build(), path)
        return path

    def build(self, name="attached", *flags, compiler=harness.CALLSIG_CC):
        done = self.run_command(compiler, "-O1", "-g", "-pthread", *flags, SOURCE, "-o", self.path(name))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path(name)

    def slow_library(self, seconds):
        """One whose constructor takes so long, and holds the loader's lock meanwhile."""
        source = self.write("slow.c", "#include <unistd.h>\n__attribute__((constructor)) static void wait(void) { sleep(%d); }\n" % seconds)
        done = self.run_command("cc", "-shared", "-fPIC", source, "-o", self.path("slow.so"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path("slow.so")

    def executes(self):
        source = self.write("executes.c", EXECUTES)
        done = self.run_command(harness.CALLSIG_CC, "-O1", "-g", "-pthread", source, "-o", self.path("executes"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path("executes")

    def assert_calls(self, table, count):
        """The table has the rows of so many calls of work(), each with values 0 to 3 in turn, and no others."""
        expected = {("twice", 7): count}
        for i in range(count):
            for name in ("work", "twice"):
                expected[name, i & 3] = expected.get((name, i & 3), 0) + 1
        found = {}
        for line in table.splitlines():
            match = re.match(r"\s*(\d+) .*\((\w+)\((?:n=(\d))?", line)
            if match and match.group(2) in ("work", "twice"):
                found[match.group(2), int(match.group(3))] = int(match.group(1))
        self.assertEqual(found, expected, table)

    def attach_often(self, mode, times, calls=48):
        """Attaches and detaches again and again; between calls are counted, outside they are not."""
        program = Program(self, self.sleds(), mode)
        before = program.text()
        program.call(20)
        for number in range(1, times + 1):
            attached = Attached(self, program)
            program.call(calls)
            table = attached.finish()
            self.assertEqual(program.text(), before)
            self.assertEqual(program.threads_traced(), [])
            program.call(20)
            if number % 10 == 0 or number in (1, 2, times):
                self.assert_calls(table, calls * number)
        program.end()


class Counts(Case):
    def test_twice(self):
        """Read with what is reported later; -o and -s; a program that ends while it is attached to."""
        program = Program(self, self.sleds(), "")
        attached = Attached(self, program, "-o", "mine.out")
        program.call(40)
        self.assertEqual(attached.finish(), "")
        self.assertNotIn("callsig.out", os.listdir(self.folder))
        done = self.callsig("report", "mine.out")
        self.assert_calls(done.stdout, 40)
        self.assert_fails(self.callsig("attach", "-o", "other.out", str(program.pid)), 1, "mine.out", "leave out -o")
        again = Attached(self, program, "-s", "name")
        self.assertIn("attached to before", again.first)
        program.call(8)
        program.end()
        self.assert_calls(again.finish(ask=False), 48)

    def test_forked_child(self):
        """A worker that was forked by a program that was attached to and left has a recording of its own."""
        program = Program(self, self.sleds(), "")
        attached = Attached(self, program, "-o", "mine.out")
        program.call(40)
        attached.finish()
        program.call(-1)
        with open(f"/proc/{program.pid}/task/{program.pid}/children") as file:
            program.pid = int(file.read())
        attached = Attached(self, program)
        program.call(8)
        self.assert_calls(attached.finish(), 8)
        program.end()
        self.assert_calls(self.callsig("report", "mine.out").stdout, 40)
        self.assert_calls(self.callsig("report", f"mine.out.{program.pid}").stdout, 8)

    def test_forked_meanwhile(self):
        """Who is attached to a program that forks is told of its children's recordings, which are not in its own."""
        program = Program(self, self.sleds(), "")
        attached = Attached(self, program, "-o", "mine.out")
        program.call(4)
        program.call(-1)
        program.call(8)
        path = self.path("mine.out")
        self.assertEqual(attached.finish(),
                         f"callsig: 1 process that the program started goes on, and records in {path}.PID: not counted here\n")
        attached = Attached(self, program, "-o", "mine.out")
        program.end()
        self.assertEqual(attached.finish(ask=False),
                         f"callsig: 1 more recording of processes that the program started: report them with 'callsig report {path} {path}.*'\n")
        self.assert_calls(self.callsig("report", *sorted(name for name in os.listdir(self.folder) if name.startswith("mine.out"))).stdout, 12)

    def test_for_some_seconds(self):
        program = Program(self, self.sleds(), "")
        attached = Attached(self, program, "--for", "0.5")
        program.call(12)
        self.assert_calls(attached.finish(ask=False), 12)
        program.end()

    def test_nobody_reads_what_is_told(self):
        """The process is left all the same, as it was."""
        program = Program(self, self.sleds(), "")
        before = program.text()
        attached = Attached(self, program)
        attached.process.stdout.close()
        attached.process.stderr.close()
        program.call(12)
        attached.process.send_signal(signal.SIGINT)
        self.assertNotEqual(attached.process.wait(timeout=120), -signal.SIGPIPE)
        self.assertEqual(program.text(), before)
        self.assertEqual(program.threads_traced(), [])
        program.call(12)
        program.end()

    def test_executes(self):
        """A program that executes itself while it is attached to is not said to lack something."""
        program = Program(self, self.executes())
        attached = Attached(self, program, "-o", "mine.out")
        program.process.stdin.write("\n")
        self.assertEqual(program.line(), "ready\n")
        self.assertEqual(attached.finish(), f"callsig: process {program.pid} executed another program meanwhile, which is not recorded\n")

    def test_left(self):
        """What was left is not waited for."""
        program = Program(self, self.sleds(), "")
        attached = Attached(self, program, "-o", "mine.out", "--for", "60s")
        program.call(4)
        attached.finish()
        for name in (str(program.pid), "mine.out"):
            for word in ("on", "off"):
                self.assert_fails(self.callsig("ctl", "--wait", "100", name, word), 1, "has left the program", "attach to it again")
        Attached(self, program).finish()
        program.end()

    def test_threads(self):
        """Threads in every kind of wait, in the allocator and in handlers, and none sees a call interrupted."""
        self.attach_often("threads", 2)

    def test_often(self):
        self.attach_often("", 20)

    def test_one_thread(self):
        """One thread alone, which computes, waits for events, is in the allocator, or in a handler that interrupted that."""
        for mode in ("compute", "epoll", "epoll_pwait2", "recvmsg", "allocator", "timer"):
            with self.subTest(mode):
                self.attach_often(mode, 1)
                os.remove(self.path("callsig.out"))

    def test_wait_goes_on(self):
        """The one thread waits with a time, in one and the same call while it is attached to and left again and again."""
        program = Program(self, self.sleds(), "poll")
        for _ in range(3):
            self.assertNotIn("work", Attached(self, program).finish())
        attached = Attached(self, program)
        program.call(4)
        self.assert_calls(attached.finish(), 4)
        program.end()

    def test_loader_busy(self):
        """The loader's lock is held by another thread for a while."""
        program = Program(self, self.sleds(), "", self.slow_library(1))
        attached = Attached(self, program)
        program.call(4)
        self.assert_calls(attached.finish(), 4)
        program.end()

    def test_one_attaches(self):
        program = Program(self, self.sleds(), "")
        attached = Attached(self, program)
        self.assert_fails(self.callsig("attach", str(program.pid)), 1, "another callsig is attached")
        program.call(4)
        self.assert_calls(attached.finish(), 4)
        os.remove(self.path("callsig.out"))
        self.assert_fails(self.callsig("attach", str(program.pid)), 1, "was removed")
        program.end()

    def test_runtime_replaced(self):
        """An update of callsig does not keep it from a process that has the older runtime."""
        for folder in ("cli", "profiler"):
            os.mkdir(self.path(folder))
        shutil.copy(harness.CALLSIG, self.path("cli"))
        name = "libcallsig.so.0"
        shutil.copy(os.path.join(harness.RUNTIME, name), self.path("profiler", name))
        program = Program(self, self.sleds(), "")
        attached = Attached(self, program, command=self.path("cli", "callsig"))
        os.remove(self.path("profiler", name))
        program.call(4)
        self.assert_calls(attached.finish(), 4)
        again = Attached(self, program)
        program.call(4)
        self.assert_calls(again.finish(), 8)
        program.end()

    def test_killed(self):
        """What a command that was killed left switched on, the next goes on with, and switches off."""
        program = Program(self, self.sleds(), "")
        before = program.text()
        attached = Attached(self, program)
        attached.process.kill()
        attached.process.wait()
        program.call(4)
        again = Attached(self, program)
        program.call(4)
        self.assert_calls(again.finish(), 8)
        self.assertEqual(program.text(), before)
        program.end()


class Refusals(Case):
    def assert_refused(self, program, *words):
        """One line, and the program is just as it was."""
        before = program.maps()
        self.assert_fails(self.callsig("attach", str(program.pid)), 1, "attach: ", *words)
        self.assertEqual(program.maps(), before)
        self.assertEqual(program.threads_traced(), [])
        self.assertNotIn("callsig.out", os.listdir(self.folder))
        program.call(4)
        program.end()

    def test_usage(self):
        for arguments, words in (((), "no process given"), (("1", "2"), "one process"), (("x",), "not the number"), (("0",), "not the number"),
                                 (("--for", "0", "1"), "--for"), (("--for", "x", "1"), "--for"), (("--for", "nan", "1"), "--for"), (("--for", "1e3", "1"), "--for"),
                                 (("-s", "wrong", "1"), "wrong")):
            done = self.callsig("attach", *arguments)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
            self.assertIn(words, done.stderr)

    def test_executes(self):
        """One that executes another program while the runtime is being loaded into it."""
        program = Program(self, self.executes(), self.slow_library(60))
        self.assert_fails(self.callsig("attach", str(program.pid)), 1, "executed another program meanwhile")

    def test_nobody(self):
        self.assert_fails(self.callsig("attach", "4194303"), 1, "there is none")
        self.assert_fails(self.callsig("attach", str(2 ** 40)), 2, "not the number")

    def test_place(self):
        """Where the recording cannot be made nothing is done to the program."""
        program = Program(self, self.sleds(), "")
        before = program.maps()
        self.write("callsig.out", "mine")
        self.assert_fails(self.callsig("attach", str(program.pid)), 1, "is not a recording")
        self.assert_fails(self.callsig("attach", "-o", "none/x", str(program.pid)), 1, "none/x")
        self.assertEqual(program.maps(), before)
        program.end()

    def test_without_sleds(self):
        self.assert_refused(Program(self, self.build(compiler="cc"), ""), "have sleds", "callsig-cc")

    def test_calls_of_hooks(self):
        self.assert_refused(Program(self, self.build("hooks", "-finstrument-functions", compiler="cc"), ""), "have sleds")

    def test_static(self):
        self.assert_refused(Program(self, self.build("static", "-static"), ""), "statically linked")

    @unittest.skipUnless(shutil.which("musl-gcc"), "musl-gcc is not installed")
    def test_musl(self):
        self.assert_refused(Program(self, self.build("musl", compiler="musl-gcc"), ""), "linked with musl")

    def test_other_architecture(self):
        """A program for 32 bits, which waits."""
        self.write("pause.s", ".globl _start\n_start:\n mov $29, %eax\n int $0x80\n jmp _start\n")
        done = self.run_command("cc", "-m32", "-nostdlib", "-static", "pause.s", "-o", self.path("pause"))
        self.assertEqual(done.returncode, 0, done.stderr)
        try:
            process = subprocess.Popen([self.path("pause")])
        except OSError as error:
            self.skipTest(f"the kernel runs no program for 32 bits: {error}")
        try:
            self.assert_fails(self.callsig("attach", str(process.pid)), 1, "another architecture")
            self.assertIsNone(process.poll())
        finally:
            process.kill()
            process.wait()

    def test_recorded(self):
        """One that `callsig run` has started."""
        run = Program(self, harness.CALLSIG, "run", "-o", "run.out", self.sleds())
        with open(f"/proc/{run.pid}/task/{run.pid}/children") as file:
            child = file.read().split()[0]
        self.assert_fails(self.callsig("attach", child), 1, "has libcallsig already")
        run.call(4)
        run.end()

    def test_traced(self):
        program = Program(self, self.sleds(), "")
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self.assertEqual(libc.ptrace(PTRACE_SEIZE, program.pid, None, None), 0)
        self.assert_fails(self.callsig("attach", str(program.pid)), 1, f"traced by process {os.getpid()}")
        program.call(4)
        program.stop()

    def test_stopped(self):
        program = Program(self, self.sleds(), "")
        program.process.send_signal(signal.SIGSTOP)
        while program.state() != "T":
            time.sleep(0.01)
        self.assert_fails(self.callsig("attach", str(program.pid)), 1, "is stopped")
        program.process.send_signal(signal.SIGCONT)
        program.call(4)
        program.end()

    def test_thread(self):
        program = Program(self, self.sleds(), "threads")
        thread = next(name for name in os.listdir(f"/proc/{program.pid}/task") if name != str(program.pid))
        self.assert_fails(self.callsig("attach", thread), 1, f"is a thread of process {program.pid}")
        program.end()

    def test_filter(self):
        """Under a seccomp filter, one that lets everything pass."""
        libc = ctypes.CDLL(None, use_errno=True)

        def filter_calls():
            allow = ctypes.create_string_buffer(b"\x06\x00\x00\x00\x00\x00\xff\x7f")  # BPF_RET, SECCOMP_RET_ALLOW
            program = (ctypes.c_ulong * 2)(1, ctypes.addressof(allow))
            if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(program), 0, 0) != 0:
                os._exit(1)

        self.assert_refused(Program(self, self.sleds(), "", preexec_fn=filter_calls), "seccomp")

    def test_own_code(self):
        """A program that was replaced by another build while it runs."""
        program = Program(self, shutil.copy(self.sleds(), self.folder), "")
        os.remove(self.path("attached"))
        self.assert_refused(program, "removed or replaced")

    @unittest.skipUnless(os.geteuid() == 0, "another user can be had by root alone")
    def test_other_user(self):
        self.assert_refused(Program(self, self.sleds(), "", user=65534, group=65534, extra_groups=[]), "user 65534")

    @unittest.skipUnless(os.geteuid() == 0, "another place can be had by root alone")
    def test_other_place(self):
        libc = ctypes.CDLL(None, use_errno=True)

        def leave():
            if libc.unshare(0x20000) != 0:  # CLONE_NEWNS
                os._exit(1)

        self.assert_refused(Program(self, self.sleds(), "", preexec_fn=leave), "container")


class Often(Case):
    def test_loader_held(self):
        """And where it is held for ever, the thread that waits for it is brought back."""
        program = Program(self, self.sleds(), "", self.slow_library(60))
        self.assert_fails(self.callsig("attach", str(program.pid)), 1, "holds a lock")
        self.assertEqual(program.threads_traced(), [])
        for name in ("libcallsig", "memfd"):
            self.assertNotIn(name, program.maps())
        program.call(4)
        program.end()

    def test_allocating_threads(self):
        self.attach_often("allocate", 1000)

    def test_threads(self):
        self.attach_often("threads", 200)

    def test_signals(self):
        self.attach_often("signals", 100)

    def test_one_thread(self):
        for mode in ("compute", "epoll", "allocator", "timer", "", "sleeps"):
            with self.subTest(mode):
                self.attach_often(mode, 100)
                os.remove(self.path("callsig.out"))


if __name__ == "__main__":
    if not may_trace():
        print("skipped: processes may not be traced here")
        sys.exit(77)
    harness.main()
