# ctest: case - quick Beside
# ctest: case _shares full Shares
# ctest: alone _shares
"""`callsig run --beside`: the calls of a profiled run with the times of a run that was sampled beside it."""

import json
import os
import resource
import subprocess
import unittest

import harness

# Work whose shares are known: each unit is the same loop. `spread` is inlined into its caller wherever there is optimisation.
WORK = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static volatile uint64_t sink;
static inline __attribute__((always_inline)) void spread(unsigned units)
{
  uint64_t x = units + 1;
  for (unsigned i = 0; i < units * 1000; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink = x;
}
"""

SHARES = WORK + """
__attribute__((noinline)) void half(unsigned n) { spread(n); sink++; }
__attribute__((noinline)) void third(unsigned n) { spread(n); sink += 2; }
__attribute__((noinline)) void sixth(unsigned n) { spread(n); sink += 3; }
__attribute__((noinline)) void tiny(unsigned n) { sink += n; }
__attribute__((noinline)) void outer(unsigned n) { half(n * 3); third(n * 2); sink++; }
int main(int argc, char **argv)
{
  int rounds = argc > 1 ? atoi(argv[1]) : 40;
  for (int i = 0; i < rounds; i++) {
    outer(1000);
    sixth(i % 2 ? 250 : 1750);
    for (unsigned k = 0; k < 20000; k++)
      tiny(k & 1);
  }
  puts("done");
  return 7;
}
"""

# Work of a library in a thread of its own, in which nothing that has rows was called; and calls of hooks, which libc has, too.
APART = """
#include <stddef.h>
static volatile unsigned sink;
void *apart(void *rounds)
{
  for (size_t i = 0; i < (size_t)rounds; i++)
    sink += (unsigned)i;
  return NULL;
}
"""
# Hooks that the second run calls. Those of the C library return at once: how often a sample meets them hangs on the processor, and may be never.
HOOKS = """
void __cyg_profile_func_enter(void *function, void *site) { (void)function; (void)site; for (int i = 0; i < 20; i++) __asm__ volatile(""); }
void __cyg_profile_func_exit(void *function, void *site) { (void)function; (void)site; for (int i = 0; i < 20; i++) __asm__ volatile(""); }
"""
ELSEWHERE = """
#include <pthread.h>
void *apart(void *rounds);
__attribute__((noinline)) void empty(void) { __asm__ volatile(""); }
static __attribute__((noinline)) void elsewhere(void)
{
  pthread_t thread;
  pthread_create(&thread, 0, apart, (void *)20000000);
  pthread_join(thread, 0);
  for (unsigned i = 0; i < 4000000; i++)
    empty();
}
int main"""

# Functions whose time is in libc, which calls one of them back; and one that the kernel works for.
# Nearly all of it is in the kernel's own library, which is a file nowhere.
CLOCKS = """
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) void reads_clock(int turns)
{
  struct timespec now;
  for (int i = 0; i < turns; i++)
    clock_gettime(CLOCK_MONOTONIC, &now);
}
int main(int argc, char **argv) { reads_clock(400000 * atoi(argv[argc - 1])); return 0; }
"""
LIBRARIES = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
enum { NUMBERS = 300, BYTES = 200000 };
static int numbers[NUMBERS];
static char text[BYTES], copy[BYTES];
static volatile size_t sink;
int compare(const void *left, const void *right)
{
  /* Of its own it does enough for some tens of samples. */
  for (volatile int turn = 0; turn < 8; turn++) {
  }
  return *(const int *)left - *(const int *)right;
}
static inline __attribute__((always_inline, no_instrument_function)) void call_libraries(unsigned units)
{
  for (unsigned i = 0; i < units; i++) {
    for (unsigned k = 0; k < NUMBERS; k++)
      numbers[k] = (int)(k * 7919 % 1009);
    qsort(numbers, NUMBERS, sizeof *numbers, compare);
    for (unsigned k = 0; k < 8; k++) {
      memcpy(copy, text, BYTES);
      __asm__ volatile("" ::: "memory");
      sink += strlen(copy);
    }
  }
}
__attribute__((noinline)) void often(unsigned units) { call_libraries(3 * units); sink++; }
__attribute__((noinline)) void seldom(unsigned units) { call_libraries(units); sink += 2; }
__attribute__((noinline)) void reads(int file, unsigned times) { for (unsigned i = 0; i < times; i++) sink += (size_t)read(file, copy, BYTES); }
int main(int argc, char **argv)
{
  const int file = open("/dev/zero", O_RDONLY);
  memset(text, 'x', BYTES - 1);
  for (int i = 0; i < atoi(argv[1]); i++) {
    often(20);
    seldom(20);
    if (argc > 2)
      reads(file, 400);
  }
  return 0;
}
"""

# Of some 1600 samples a share is within 1.3 points, mostly, where the machine does nothing else.
POINTS = 0.05

# Denies system calls to what it runs: perf_event_open alone, or ptrace as well.
DENY = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
  unsigned other = argc > 1 && strcmp(argv[1], "ptrace") == 0 ? SYS_ptrace : SYS_perf_event_open;
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 77;
  execv(argv[2], argv + 2);
  return 78;
}
"""


class Beside(harness.Case):
    """Who has the time: what holds of a few hundred samples, however busy the machine is."""
    ROUNDS = 10
    LEVELS = 10

    def build(self, name, source, *flags, libs=()):
        """The program, instrumented, and `name`-plain, which is not. Their source is the same file."""
        program = self.compile(name, source, "-O2", *flags, libs=libs)
        plain = self.path(name + "-plain")
        done = self.run_command("cc", "-O2", "-g", *flags, self.path(name + ".c"), "-o", plain, *libs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program, plain

    def report(self, *arguments):
        done = self.callsig("report", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def by_function(self, *arguments):
        report = self.report("--by", "function", *(arguments or ("callsig.out",)))
        return {row["function"]: row for row in report["rows"]}, report

    def note(self, report, words):
        found = [note for note in report["notes"] if words in note]
        self.assertTrue(found, report["notes"])
        return found[0]

    def samples(self, report):
        """How many samples there were, how they were taken, and the seconds that they and the kernel tell."""
        words = self.note(report, "times are those of").split()
        at = words.index("samples")
        return int(words[at - 1]), words[at + 1:at + 3], float(words[words.index("of", at) - 1]), float(words[words.index("seconds") - 1])

    def assert_share(self, share, expected, message=None):
        if expected:
            self.assertGreater(share, expected / 3, message)
        else:
            self.assertLess(share, 0.1, message)

    def assert_shares(self, rows, **expected):
        total = sum(row["tottime"] for row in rows.values())
        for function, share in expected.items():
            self.assert_share(rows[function]["tottime"] / total, share, (function, rows))

    def assert_sampled(self, report, _part):
        """What samples and kernel tell, each."""
        count, _, sampled, used = self.samples(report)
        self.assertGreater(count, 20)
        self.assertGreater(min(sampled, used), 0)

    def known_shares(self):
        program, plain = self.build("known", SHARES)
        done = self.callsig("run", "--beside=" + plain, program, str(self.ROUNDS))
        self.assertEqual((done.returncode, done.stdout), (7, "done\n"), done.stderr)
        rows, report = self.by_function()
        self.assertEqual(rows["tiny"]["ncalls"], self.ROUNDS * 20000)
        self.assert_sampled(report, 0.1)
        # `spread` is inlined, and with these hooks it has rows of its own: it has the time.
        self.assert_shares(rows, spread=1.0, half=0.0, third=0.0, tiny=0.0)
        self.assert_share(rows["outer"]["cumtime"] / rows["main"]["cumtime"], 5 / 6)
        self.assertLess(rows["outer"]["cumtime"], rows["main"]["cumtime"])
        self.assertLess(rows["main"]["cumtime"], report["total_time"] + 1e-9)
        return plain, rows, report

    def test_known_shares(self):
        self.known_shares()

    def test_inlined_without_rows(self):
        program, plain = self.build("caller", SHARES)
        done = self.callsig("run", "--beside=" + plain, "--exclude", "spread", program, str(self.ROUNDS))
        self.assertEqual(done.returncode, 7, done.stderr)
        rows, _ = self.by_function()
        self.assertNotIn("spread", rows)
        self.assert_shares(rows, half=1 / 2, third=1 / 3, sixth=1 / 6, tiny=0.0)

    def test_split_over_signatures(self):
        program, plain = self.build("split", SHARES)
        # The division is that of the profiled run, whose CPU time other programs leave alone.
        self.callsig("run", "--beside=" + plain, "--clock", "cpu", "--exclude", "spread", program, str(self.ROUNDS))
        rows = {row["signature"]: row["tottime"] for row in self.report("callsig.out")["rows"] if row["function"] == "sixth"}
        self.assertEqual(len(rows), 2)
        self.assert_share(rows["sixth(n=1750)"] / sum(rows.values()), 7 / 8)
        self.assertGreater(rows["sixth(n=1750)"], rows["sixth(n=250)"])

    def test_table_and_output(self):
        library = self.compile("libapart.so", APART, "-shared", "-fPIC", instrument=False)
        hooks = self.compile("libhooks.so", HOOKS, "-shared", "-fPIC", instrument=False)
        program = self.compile("twice", SHARES.replace('puts("done")', 'elsewhere(); puts("done")').replace("int main", ELSEWHERE),
                               libs=["-pthread", library, hooks])
        done = self.callsig("run", "--beside", program, "5")
        # What the second run writes is not seen, and the table has what was sampled.
        self.assertEqual((done.returncode, done.stdout), (7, "done\n"))
        self.assertIn("times are those of %s run beside without hooks" % program, done.stderr)
        self.assertRegex(done.stderr, r"elsewhere: \S+ seconds \(\S+ %\) in code without rows of \S*libapart\S*")
        self.assertRegex(done.stderr, r"elsewhere: \S+ seconds \(\S+ %\) in calls of hooks, which did nothing")

    def assert_library_time(self, *arguments):
        """Of the last run, in whose rows the time of libraries is."""
        rows, report = self.by_function(*arguments)
        both = {name: row for name, row in rows.items() if name in ("often", "seldom")}
        self.assert_shares(both, often=3 / 4, seldom=1 / 4)
        self.assert_share(rows["often"]["cumtime"] / (rows["often"]["cumtime"] + rows["seldom"]["cumtime"]), 3 / 4)
        _, _, sampled, _ = self.samples(report)
        self.assertGreater(report["total_time"], 0.9 * sampled, report["notes"])
        return rows, report

    def test_libraries(self):
        program, plain = self.build("libraries", LIBRARIES)
        for beside in "--beside", "--beside=" + plain:
            done = self.callsig("run", beside, program, str(self.ROUNDS))
            self.assertEqual(done.returncode, 0, done.stderr)
            rows, _ = self.assert_library_time()
            # What libc calls has its own time, and libc's is not its.
            self.assertGreater(rows["compare"]["tottime"], 0)
            self.assertLess(rows["compare"]["tottime"], rows["often"]["tottime"])

    def test_libraries_by_stopping(self):
        program, plain = self.build("stopped", LIBRARIES)
        done = self.deny("perf", "run", "--beside=" + plain, program, str(3 * self.ROUNDS))
        self.assertEqual(done.returncode, 0, done.stderr)
        if "no samples can be taken" in done.stderr:
            self.skipTest("threads cannot be stopped here")
        self.assert_library_time()

    def test_library_of_the_kernel(self):
        """What it takes to read the clock is the caller's."""
        program, plain = self.build("clocks", CLOCKS)
        done = self.callsig("run", "--beside=" + plain, program, str(self.ROUNDS))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, report = self.by_function()
        elsewhere = [note for note in report["notes"] if "elsewhere" in note and ("of no file" in note or "vdso" in note)]
        self.assertEqual(elsewhere, [])
        self.assertGreater(rows["reads_clock"]["tottime"], 0.8 * self.samples(report)[2], report["notes"])

    def test_kernel(self):
        program, plain = self.build("kernel", LIBRARIES)
        done = self.callsig("run", "--beside=" + plain, program, str(self.ROUNDS), "reads")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, report = self.assert_library_time()
        in_kernel = not report["notes"][0].endswith("user CPU time")
        self.assertEqual(rows["reads"]["tottime"] > 0.05 * report["total_time"], in_kernel, (rows["reads"], report["notes"]))

    def test_position_dependent(self):
        program, plain = self.build("fixed", SHARES, "-no-pie")
        self.callsig("run", "--beside=" + plain, "--exclude", "spread", program, str(self.ROUNDS))
        self.assert_shares(self.by_function()[0], half=1 / 2, third=1 / 3, sixth=1 / 6)

    def test_shared_library(self):
        library = self.write("part.c", WORK + "void part(unsigned n) { spread(n); sink++; }\n")
        for folder, flags in (("with", harness.CFLAGS), ("without", ["-g"])):
            os.mkdir(self.path(folder))
            done = self.run_command("cc", "-O2", "-fPIC", "-shared", *flags, library, "-o", self.path(folder, "libpart.so"))
            self.assertEqual(done.returncode, 0, done.stderr)
        source = WORK + """
            #include <dlfcn.h>
            __attribute__((noinline)) void own(unsigned n) { spread(n); sink++; }
            int main(int argc, char **argv)
            {
              void *library = dlopen("libpart.so", RTLD_NOW);
              void (*part)(unsigned) = (void (*)(unsigned))dlsym(library, "part");
              for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 30); i++) {
                own(1000);
                part(3000);
              }
              return argv[0] == 0;
            }
            """
        program = self.compile("loads", source, "-O2", "-Wl,-rpath," + self.path("with"), libs=["-ldl"])
        plain = self.path("loads-plain")
        done = self.run_command("cc", "-O2", "-g", self.path("loads.c"), "-Wl,-rpath," + self.path("without"), "-o", plain, "-ldl")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("run", "--beside=" + plain, "--exclude", "spread", program, str(self.ROUNDS))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_shares(self.by_function()[0], own=1 / 4, part=3 / 4)

    THREADS = WORK + """
        #include <pthread.h>
        #include <sys/wait.h>
        #include <unistd.h>
        __attribute__((noinline)) void first(unsigned n) { spread(n); sink++; }
        __attribute__((noinline)) void second(unsigned n) { spread(n); sink += 2; }
        static int rounds;
        static void *run(void *data) { for (int i = 0; i < rounds; i++) { first(1000); second(3000); } return data; }
        int main(int argc, char **argv)
        {
          pthread_t threads[3];
          rounds = atoi(argv[1]);
          for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], 0, run, 0);
          for (int i = 0; i < 3; i++)
            pthread_join(threads[i], 0);
          if (argc > 2 && fork() == 0) {
            first(2000 * rounds);
            _exit(0);
          }
          wait(0);
          return argv[0] == 0;
        }
        """

    def test_threads(self):
        program, plain = self.build("threads", self.THREADS, libs=["-pthread"])
        done = self.callsig("run", "--beside=" + plain, "--exclude", "spread", program, str(self.ROUNDS // 2))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, report = self.by_function()
        self.assert_shares(rows, first=1 / 4, second=3 / 4)
        self.assert_sampled(report, 0.1)

    def test_child_process(self):
        program, plain = self.build("forks", self.THREADS, libs=["-pthread"])
        done = self.callsig("run", "--beside=" + plain, "--exclude", "spread", program, str(self.ROUNDS // 2), "fork")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report("--by", "function,process", "callsig.out")
        parent = next(row["process"] for row in report["rows"] if row["function"] == "main" and row["ncalls"] == 1)
        # The child's work is a seventh of all, and is in no row of this process.
        rows = {row["function"]: row for row in report["rows"] if row["process"] == parent}
        self.assert_shares(rows, first=1 / 4, second=3 / 4)
        if self.samples(report)[1] == ["by", "the"]:
            self.assert_child(self.note(report, "in processes that it started"))

    def assert_child(self, note):
        self.assertRegex(note, r"\([1-9]\d?\.\d %\)")

    def recursion(self):
        source = WORK + """
            __attribute__((noinline)) int tree(int depth)
            {
              spread(40);
              return depth == 0 ? 1 : tree(depth - 1) + tree(depth - 1) + 1;
            }
            __attribute__((noinline)) int line(int depth) { spread(40); sink++; return depth == 0 ? 0 : line(depth - 1) + 1; }
            int main(int argc, char **argv) { int levels = atoi(argv[argc - 1]); return tree(levels) + line((2 << levels) - 1) == 0; }
            """
        program, plain = self.build("recursion", source)
        done = self.callsig("run", "--beside=" + plain, "--exclude", "spread", program, str(self.LEVELS))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, report = self.by_function()
        self.assert_shares(rows, tree=1 / 2, line=1 / 2)
        self.assert_share(rows["main"]["cumtime"] / report["total_time"], 1)
        for function in ("tree", "line"):
            self.assert_share(rows[function]["tottime"] / rows[function]["cumtime"], 1)
        return rows, report["total_time"]

    def test_recursion(self):
        self.recursion()

    def deny(self, what, *arguments):
        wrapper = self.path("deny")
        if not os.path.exists(wrapper):
            self.compile("deny", DENY, instrument=False)
        # LeakSanitizer looks for leaks by ptrace() itself.
        options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        done = self.run_command("env", "ASAN_OPTIONS=" + options, wrapper, what, harness.CALLSIG, *arguments)
        if done.returncode == 77:
            self.skipTest("no system call can be denied here")
        return done

    def test_perf_denied(self):
        program, plain = self.build("denied", SHARES)
        done = self.deny("perf", "run", "--beside=" + plain, "--exclude", "spread", program, str(3 * self.ROUNDS))
        self.assertEqual((done.returncode, done.stdout), (7, "done\n"), done.stderr)
        if "no samples can be taken" in done.stderr:
            self.skipTest("threads cannot be stopped here")
        rows, report = self.by_function()
        self.assertEqual(self.samples(report)[1], ["by", "stopping"])
        self.assert_sampled(report, 0.15)
        self.assert_shares(rows, half=1 / 2, third=1 / 3, sixth=1 / 6)

    def test_all_denied(self):
        program, plain = self.build("refused", SHARES)
        done = self.deny("ptrace", "run", "--beside=" + plain, program, "3")
        self.assertEqual(done.returncode, 7)
        self.assertIn("no samples can be taken of it", done.stderr)
        rows, report = self.by_function()
        self.assertFalse([note for note in report["notes"] if "run beside" in note])
        self.assertGreater(rows["main"]["cumtime"], 0)

    def test_plain_missing(self):
        program = self.compile("alone", harness.CALLS)
        self.assert_fails(self.callsig("run", "--beside=./nowhere", program), 1, "--beside=./nowhere", "No such file")
        self.assertFalse(os.path.exists(self.path("callsig.out")))

    def test_plain_apart(self):
        """A plain program that is named without the sign is run as the program; what was meant is said."""
        plain = self.compile("plain", harness.CALLS, instrument=False)
        done = self.callsig("run", "--beside", plain, self.compile("calls", harness.CALLS))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"named with '=': --beside={plain}", done.stderr)
        self.assertNotIn("--beside", self.callsig("run", plain).stderr)

    def test_other_program(self):
        program = self.compile("alone", harness.CALLS)
        self.callsig("run", "--beside=/bin/false", "-o", "other.out", program)
        _, report = self.by_function("other.out")
        self.note(report, "ended with status 1, this one with 0")

    def test_no_sample(self):
        program = self.compile("short", harness.CALLS)
        done = self.callsig("run", "--beside=/bin/true", "-o", "short.out", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, report = self.by_function("short.out")
        if "no sample was taken" in "".join(report["notes"]):
            self.assertGreater(rows["main"]["cumtime"], 0)
        else:
            self.assertEqual(rows["main"]["tottime"], 0)

    def test_input_and_output(self):
        source = """
            #include <stdio.h>
            #include <unistd.h>
            int main(int argc, char **argv)
            {
              char text[64] = "";
              (void)argv;
              if (!fgets(text, sizeof text, stdin))
                return 9;
              printf("%s%d", text, argc > 1 ? (int)getpid() : 0);
              return 0;
            }
            """
        program = self.compile("reads", source)
        input_file = self.write("input", "skipped\nline\n")
        for arguments, differs in (((), False), (("pid",), True)):
            with open(input_file) as input_stream, open(self.path("output"), "w") as output:
                os.lseek(input_stream.fileno(), len("skipped\n"), os.SEEK_SET)
                done = subprocess.run([harness.CALLSIG, "run", "--beside", "-o", "io.out", program, *arguments], cwd=self.folder,
                                      env=self.environment, stdin=input_stream, stdout=output, stderr=subprocess.PIPE, text=True,
                                      timeout=600, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(self.path("output")) as output:
                self.assertTrue(output.read().startswith("line\n"))
            notes = "".join(self.by_function("io.out")[1]["notes"])
            self.assertEqual("wrote something else" in notes, differs, notes)
            self.assertNotIn("ended with status", notes)
        done = subprocess.run([harness.CALLSIG, "run", "--beside", "-o", "io.out", program], cwd=self.folder, env=self.environment,
                              input="line\n", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("standard input is not a file", done.stderr)
        self.note(self.by_function("io.out")[1], "ended with status 9, this one with 0")

    def test_descriptors(self):
        """The second run has those of the first: the file that its output goes into is its standard output alone."""
        program = self.compile("descriptors", """
            #include <fcntl.h>
            #include <stdio.h>
            static void __attribute__((noinline)) work(void) { for (volatile int i = 0; i < 10000000; i++) {} }
            int main(void) {
              for (int file = 0; file < 64; file++)
                if (fcntl(file, F_GETFD) >= 0)
                  printf("%d\\n", file);
              work();
              return 0; }""")
        with open(self.path("output"), "w") as output:
            done = subprocess.run([harness.CALLSIG, "run", "--beside", "-o", "descriptors.out", program], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True, timeout=600, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        notes = "".join(self.by_function("descriptors.out")[1]["notes"])
        self.assertNotIn("wrote something else", notes)

    def test_ended_by_signal(self):
        program = self.compile("dies", "#include <stdlib.h>\nint main(void) { abort(); }\n")
        done = self.callsig("run", "--beside", "-o", "dies.out", program)
        self.assertEqual(done.returncode, 134)
        self.assertIn("a signal ended the program", done.stderr)

    def test_links_runtime(self):
        source = '#include "callsig/callsig.h"\nint main(void) { return callsig_path() == 0; }\n'
        program = self.compile("links", source, "-I", harness.INCLUDE, "-L", harness.RUNTIME, "-Wl,-rpath," + harness.RUNTIME,
                               libs=["-lcallsig"])
        self.assert_fails(self.callsig("run", "--beside", program), 1, "links libcallsig", "--beside=PLAIN")

    def test_parallel_job(self):
        program = self.compile("rank", harness.CALLS)
        self.assert_fails(self.callsig("run", "--beside", program, env={"PMI_RANK": "0"}), 2, "--beside", "parallel job")

    def test_merge(self):
        program, plain = self.build("merged", SHARES)
        self.callsig("run", "--beside=" + plain, "-o", "one.out", program, "10")
        self.assertEqual(self.callsig("merge", "-o", "all.out", "one.out").returncode, 0)
        self.assertEqual(self.callsig("merge", "-o", "again.out", "all.out").returncode, 0)
        first, one = self.by_function("one.out")
        for name in ("all.out", "again.out"):
            rows, report = self.by_function(name)
            self.assertEqual({f: (r["ncalls"], r["tottime"], r["cumtime"]) for f, r in rows.items()},
                             {f: (r["ncalls"], r["tottime"], r["cumtime"]) for f, r in first.items()})
            self.assertEqual(report["notes"], one["notes"])

    def test_damaged(self):
        """Whatever stands in the record, a reader ends with a table or one line."""
        program = self.compile("hurt", SHARES)
        self.callsig("run", "--beside", "-o", "hurt.out", program, "3")
        with open(self.path("hurt.out"), "rb") as file:
            whole = harness.unsealed(file.read())
        at = whole.rindex(b"CSAM")
        for offset in range(4, 160, 4):
            for value in (b"\xff\xff\xff\xff", b"\x01\x00\x00\x80", b"\0\0\0\0"):
                with open(self.path("bad.out"), "wb") as file:
                    file.write(whole[:at + offset] + value + whole[at + offset + 4:])
                done = self.callsig("report", "bad.out", "--by", "function")
                self.assertEqual(done.returncode, 1 if done.stderr else 0, (offset, value, done.stderr))
                self.assertLessEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn("function calls", done.stdout)


class Shares(Beside):
    """How near the shares and times are: for a machine that does nothing else."""
    ROUNDS = 40
    LEVELS = 12

    def assert_share(self, share, expected, message=None):
        self.assertAlmostEqual(share, expected, delta=POINTS, msg=message)

    def assert_sampled(self, report, part):
        count, _, sampled, used = self.samples(report)
        self.assertGreater(count, 50)
        self.assertAlmostEqual(sampled, used, delta=part * used)

    def assert_child(self, note):
        self.assertRegex(note, r"\((1[0-9]|[5-9])\.\d %\)")

    def cpu_time(self, *command):
        """User CPU seconds of a command."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_known_shares(self):
        plain, rows, report = self.known_shares()
        used = self.samples(report)[3]
        self.assertAlmostEqual(sum(row["tottime"] for row in rows.values()), self.cpu_time(plain, str(self.ROUNDS)), delta=0.3 * used)
        self.assertAlmostEqual(rows["main"]["cumtime"], report["total_time"], delta=1e-3)

    def test_recursion(self):
        rows, total = self.recursion()
        self.assertAlmostEqual(rows["main"]["cumtime"], total, delta=0.01 * total)
        for function in ("tree", "line"):
            self.assertAlmostEqual(rows[function]["cumtime"], rows[function]["tottime"], delta=0.01 * total)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    harness.main()
