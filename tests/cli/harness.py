"""What the tests of the command share: the built command, a scratch folder, and small programs to profile."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("CALLSIG_BUILD", os.path.join(TOP, "build")))
CALLSIG = os.path.join(BUILD, "cli", "callsig")
CALLSIG_CC = os.path.join(BUILD, "cli", "callsig-cc")
RUNTIME = os.path.join(BUILD, "profiler")
INCLUDE = os.path.join(TOP, "include")
CFLAGS = ["-g", "-finstrument-functions"]
SEAL = 400  # where docs/recording-format.md has it in the header


def unsealed(recording):
    """The bytes of a recording without its seal, so that what a test changes in it is read (docs/recording-format.md)."""
    base, seal = (int.from_bytes(recording[at:at + 8], "little") for at in (16, SEAL))
    return recording[:SEAL] + bytes(8) + recording[SEAL + 8:seal - base] if seal else recording


def is_sanitized():
    """True when the command was built with a sanitizer, whose allocator is not to be replaced."""
    with open(os.path.join(BUILD, "CMakeCache.txt")) as cache:
        return re.search(r"^CALLSIG_SANITIZE:\w+=.", cache.read(), re.M) is not None


# What tests that make allocations fail are decorated with.
with_own_allocator = unittest.skipIf(is_sanitized(), "the sanitizer has an allocator of its own")

# What the command says of a recording whose threads happened to wait for a processor: whether it does is the machine's load, and no
# matter of what a test did. The text has tests of its own (tests/unit/output/test_sampling.c).
LOAD_NOTE = re.compile(r"^callsig: (?:\S.*: )?\d+\.\d{3} seconds of waiting for a processor are in no row\n", re.M)

# Two functions, one of them called with two values.
CALLS = """
static int __attribute__((noinline)) twice(int n) { return n * 2; }
static int __attribute__((noinline)) work(int n) { return twice(n) + twice(n) + twice(7); }
int main(int argc, char **argv) { (void)argv; return work(argc) == 0; }
"""


# C text: from a call of forbid() on, which is 0 when it could be done, the kernel refuses a program all but a few system calls.
FORBID = r"""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* From here on the program may read, write, wait, block signals and end; the kernel refuses it the rest. */
static __attribute__((no_instrument_function)) int forbid(void)
{
  static const int allowed[] = {SYS_read, SYS_write, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_futex, SYS_exit_group};
  enum { COUNT = sizeof allowed / sizeof *allowed };
  struct sock_filter code[COUNT + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  for (int i = 0; i < COUNT; i++)
    code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], COUNT - i, 0);
  code[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1);
  code[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {COUNT + 3, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
"""


def follow_modes():
    """What is executed next may use files by their modes alone, also as root: it has neither CAP_DAC_OVERRIDE nor CAP_DAC_READ_SEARCH."""
    if os.geteuid() == 0:
        for capability in (1, 2):
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


class Case(unittest.TestCase):
    """A test with a folder of its own, which is the current folder of what it runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="callsig-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        # What the machine's own user has set must not matter, and caches of tests are their own.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("CALLSIG_", "LD_", "OMPI_", "PMI", "SLURM_"))}
        self.environment["CALLSIG_CACHE_DIR"] = os.path.join(self.folder, "cache")
        self.environment["LC_ALL"] = "C"
        # A program that records itself asks the command for its index: the one that is tested.
        self.environment["CALLSIG_COMMAND"] = CALLSIG

    @classmethod
    def kept(cls):
        """A Case whose folder lasts for all tests of the class: for programs and recordings that they only read."""
        if "_kept" not in cls.__dict__:
            cls._kept = Case()
            Case.setUp(cls._kept)
            cls.addClassCleanup(cls._kept.doCleanups)
        return cls._kept

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def run_command(self, *arguments, **options):
        """Runs a command to its end. Returns its subprocess.CompletedProcess, with text: without LOAD_NOTE in what it says."""
        environment = dict(self.environment, **options.pop("env", {}))
        done = subprocess.run(arguments, cwd=self.folder, env=environment, text=True, timeout=options.pop("timeout", 120),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        done.stderr = LOAD_NOTE.sub("", done.stderr)
        return done

    def callsig(self, *arguments, **options):
        return self.run_command(CALLSIG, *arguments, **options)

    def compile(self, name, source, *flags, compiler="cc", instrument=True, libs=()):
        """Compiles C text into the program `name`. Returns its path."""
        file = self.write(name + ".c", source)
        command = [compiler, "-O1", *(CFLAGS if instrument else []), *flags, file, "-o", self.path(name), *libs]
        done = self.run_command(*command)
        self.assertEqual(done.returncode, 0, " ".join(command) + "\n" + done.stderr)
        return self.path(name)

    def compile_once(self, name, source, *flags, **options):
        """As compile(), but once for all tests of the class, which must not change the program. It lies in a folder of theirs, where a
        name is of one program."""
        made = self.kept().__dict__.setdefault("made", {})
        asked = (source, flags, sorted(options.items()))
        if name not in made:
            self.kept().compile(name, source, *flags, **options)
            made[name] = asked
        self.assertEqual(made[name], asked, f"there is another {name}")
        return self.kept().path(name)

    def assert_fails(self, done, status, *words):
        """One line on stderr that holds the words, nothing on stdout, and this exit status."""
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("callsig: "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])

    def failing_memory(self):
        """What makes allocations of a command fail when it is preloaded."""
        library = self.path("fail.so")
        done = self.run_command("cc", "-shared", "-fPIC", os.path.join(TOP, "tests", "support", "fail_allocation.c"), "-o", library)
        self.assertEqual(done.returncode, 0, done.stderr)
        return library

    def failed_once(self, most, *arguments):
        """Runs the command with no memory for one allocation, each of the first `most`. Yields what came of each."""
        environment = {"LD_PRELOAD": self.failing_memory(), "FAIL_ALLOCATION_IN": "callsig", "FAIL_ALLOCATION_ONCE": "1"}
        for number in range(1, most + 1):
            yield self.callsig(*arguments, env={**environment, "FAIL_ALLOCATION": str(number)})

    def failed_allocations(self, *arguments, samples=25, once=False):
        """Runs the command with no memory from one allocation on, or for that one alone, for a sample of them. Yields what came of each."""
        library = self.failing_memory()
        counting = {"LD_PRELOAD": library, "FAIL_ALLOCATION": str(10 ** 12), "FAIL_ALLOCATION_COUNT": self.path("count")}
        self.assertEqual(self.callsig(*arguments, env=counting).returncode, 0)
        with open(self.path("count")) as file:
            total = int(file.read())
        for number in sorted({*range(1, total, max(1, total // samples)), *range(max(1, total - 25), total)}):
            yield self.callsig(*arguments, env={"LD_PRELOAD": library, "FAIL_ALLOCATION": str(number),
                                                **({"FAIL_ALLOCATION_ONCE": "1"} if once else {})})

    def rows(self, text):
        """The rows of a table: name -> (ncalls as printed, tottime, cumtime), whether their errors are marked or not."""
        rows = {}
        for line in text.splitlines():
            found = re.match(r"\s*(\d+(?:/\d+)?)\s+([\d.]+)\s+([\d.]*)\s*([\d.]+)\s+([\d.]*)\s*(\S.*)$", line)
            if found and "function calls" not in line and " restriction " not in line:
                rows[found.group(6).removesuffix(" [~]")] = (found.group(1), float(found.group(2)), float(found.group(4)))
        return rows


def main():
    """Runs the tests of the command line, or all, and names those that are skipped; 77 where nothing was run."""
    result = unittest.main(argv=[sys.argv[0], *sys.argv[1:]], exit=False).result
    for case, reason in result.skipped:
        print(f"skipped: {case.id()}: {reason}")
    # What is skipped of a test is none that was skipped; of a class that is skipped, no test is run.
    is_whole = [case for case, _ in result.skipped if not hasattr(case, "test_case")]
    run = result.testsRun - sum(isinstance(case, unittest.TestCase) for case in is_whole)
    sys.exit(1 if not result.wasSuccessful() else 77 if is_whole and run == 0 else 0)
