#!/usr/bin/env python3
"""callsig export: its options, its errors, and where its output goes. What the formats hold is tests/oracle/exports/."""

import os
import pstats
import re
import shutil
import subprocess
import unittest

import harness
import pprof_reader
from harness import Case


FORMATS = ("callgrind", "csv", "dot", "flamegraph", "folded", "html", "json", "otlp", "pprof", "pstats", "speedscope")


def weights(folded):
    return sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())


class Export(Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("calls", harness.CALLS)
        done = self.callsig("run", "--times", "exact", "-o", "recording", self.program)
        self.assertEqual(done.returncode, 0, done.stderr)

    def export(self, *arguments):
        done = self.callsig("export", "recording", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, self.notes(arguments)))
        return done.stdout

    def notes(self, arguments):
        """CSV has no place for what is said of the times. It is nothing, unless the processor was taken away in a hook."""
        return self.callsig("report", "recording", "--format", "csv").stderr if "csv" in arguments else ""

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def functions(self, path):
        return sorted(name for _, _, name in pstats.Stats(path).stats)

    def test_pstats(self):
        self.export("--to", "pstats", "-o", "out")
        self.assertEqual(self.functions(self.path("out")),
                         ["main(argc=1, argv=?)", "twice(n=1)", "twice(n=7)", "work(n=1)"])

    def test_by_function(self):
        self.export("--to", "pstats", "--by", "function", "-o", "out")
        self.assertEqual(self.functions(self.path("out")), ["main", "twice", "work"])

    def test_processes_of_one_name(self):
        """Of two machines or containers: neither's calls are lost, and they are told apart."""
        shutil.copy(self.path("recording"), self.path("other"))
        self.export("other", "--to", "pstats", "--by", "function,process", "-o", "out")
        stats = pstats.Stats(self.path("out"))
        self.assertEqual(stats.total_calls, 2 * sum(row[1] for row in self.read_pstats("recording").values()))
        self.assertEqual(len(stats.stats), 6)
        names = [name for _, _, name in stats.stats if name.startswith("main")]
        self.assertEqual(len([name for name in names if re.search(r" \(\d+\) #2\]$", name)]), 1, names)
        self.callsig("merge", "-o", "both", "recording", "other", "recording")
        table = self.callsig("report", "both", "--by", "process").stdout
        self.assertEqual(len(set(re.findall(r"calls \(\d+\)(?: #\d)?(?=\])", table))), 3, table)

    def read_pstats(self, *files):
        self.assertEqual(self.callsig("export", *files, "--to", "pstats", "-o", "read").returncode, 0)
        return pstats.Stats(self.path("read")).stats

    def test_filters(self):
        self.export("--to", "pstats", "--signature", "n == 7", "-o", "out")
        self.assertEqual(self.functions(self.path("out")), ["twice(n=7)"])

    @harness.with_own_allocator
    def test_no_memory_once(self):
        """One allocation finds no memory: one line says so, or the file is whole."""
        self.assertEqual(self.callsig("run", "--timeline=1ns", "-o", "timed", self.program).returncode, 0)
        for name in ("chrome", "perfetto"):
            arguments, failed = ("export", "timed", "--to", name, "-o", "out"), 0
            self.assertEqual(self.callsig(*arguments).returncode, 0)
            with open(self.path("out"), "rb") as file:
                whole = file.read()
            for done in self.failed_allocations(*arguments, samples=40, once=True):
                if done.returncode != 0:
                    failed += 1
                    self.assert_fails(done, 1, "memory")
                else:
                    with open(self.path("out"), "rb") as file:
                        self.assertEqual(file.read(), whole, name)
            self.assertGreater(failed, 20)

    def test_labels_of_every_kind(self):
        source = """
        #include <stdbool.h>
        #include <stdint.h>
        #include <stddef.h>
        enum mode { FAST, SLOW };
        struct image { int width, height; enum mode mode; };
        #define APART __attribute__((noinline, noclone))
        static int APART all(int n, unsigned char byte, bool flag, char letter, enum mode mode, double x, const char *text, int *p,
                             uint64_t large, struct image *image, int signature, int64_t least)
        { __asm__ volatile("" :: "r"(p), "r"(text), "r"(image)); return n + byte + flag + letter + (int)mode + (int)x + (int)large + signature + (int)least; }
        int main(void)
        {
          struct image image = {1920, -1080, SLOW};
          volatile int sum = all(-5, 200, true, 'c', SLOW, 0.5, "a;b \\"quoted\\"", NULL, UINT64_MAX, &image, 7, INT64_MIN);
          return sum == 12345;
        }
        """
        program = self.compile("kinds", source, "-O0", "-Wno-overflow")
        self.write("rules", "function all: text string\ntype image: width, height, mode=mode\nfunction all: x value\n")
        done = self.callsig("run", "--rules", "rules", "-o", "kinds.out", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("export", "--to", "pprof", "-o", "kinds.pb.gz", "kinds.out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        profile = pprof_reader.read(self.path("kinds.pb.gz"))
        self.assertEqual(profile["types"], [("calls", "count"), ("time", "nanoseconds")])
        samples = {stack: (values, labels) for stack, values, labels in profile["samples"]}
        values, labels = samples["main", "all"]
        self.assertEqual(values[0], 1)
        self.assertEqual(labels, {
            "signature": 'all(n=-5, byte=200, flag=true, letter=\'c\', mode=SLOW, x=0.5, text="a;b \\"quoted\\"", p=NULL, '
                         "large=18446744073709551615, image:image(width=1920, height=-1080, mode=SLOW), signature=7, "
                         "least=-9223372036854775808)",
            "n": -5, "byte": 200, "flag": "true", "letter": "'c'", "mode": "SLOW", "x": "0.5", "text": '"a;b \\"quoted\\""',
            "p": "NULL", "large": "18446744073709551615", "image": "image(width=1920, height=-1080, mode=SLOW)",
            "image.width": 1920, "image.height": -1080, "image.mode": "SLOW", "arg.signature": 7, "least": -2**63})

    def test_pprof_tells_how_long_the_run_was(self):
        """Not how much threads and processes that ran beside one another took together."""
        source = """
        #include <pthread.h>
        #include <sys/wait.h>
        #include <unistd.h>
        __attribute__((noinline)) static void *waits(void *none) { usleep(300000); return none; }
        int main(void)
        {
          pthread_t threads[4];
          const pid_t child = fork();
          for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, waits, NULL);
          for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
          return child > 0 && wait(NULL) < 0;
        }
        """
        program = self.compile("beside", source, "-pthread")
        done = self.callsig("run", "-o", "beside.out", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.callsig("export", "--to", "pprof", "-o", "beside.pb.gz", "beside.out").returncode, 0)
        profile = pprof_reader.read(self.path("beside.pb.gz"))
        took = sum(values[1] for _, values, _ in profile["samples"])
        self.assertGreaterEqual(took, 8 * 300e6)
        self.assertGreaterEqual(profile["duration"], 300e6)
        self.assertLess(profile["duration"], took / 2)

    @unittest.skipUnless(shutil.which("go"), "there is no go")
    def test_pprof_keeps_names_apart(self):
        """Instances of a template are functions of their own in pprof's own tables, too, and an operator has its whole name."""
        source = """
        #define APART __attribute__((noinline))
        volatile int sum;
        template<char LETTER> APART void add(int n) { sum += LETTER + n; }
        struct adder { APART void operator()(int n) { sum += n; } };
        int main() { add<'a'>(1); add<'b'>(2); adder().operator()(3); }
        """
        file = self.write("apart.cpp", source)
        done = self.run_command("g++", "-O1", *harness.CFLAGS, file, "-o", self.path("apart"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.callsig("run", "-o", "apart.out", self.path("apart")).returncode, 0)
        self.assertEqual(self.callsig("export", "--to", "pprof", "-o", "apart.pb.gz", "apart.out").returncode, 0)
        environment = {**os.environ, "HOME": self.folder, "PPROF_TMPDIR": self.folder, "GOCACHE": self.path("go"), "GOFLAGS": ""}
        done = subprocess.run(["go", "tool", "pprof", "-top", "-sample_index=calls", "-nodefraction=0", "apart.pb.gz"], env=environment,
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {line.split("%")[-1].strip(): line.split()[0] for line in done.stdout.splitlines() if line.count("%") == 3}
        self.assertEqual({name: rows.get(name) for name in ("add<'a'>", "add<'b'>", "adder::operator()")},
                         {"add<'a'>": "1", "add<'b'>": "1", "adder::operator()": "1"}, done.stdout)

    def test_json_and_csv_are_those_of_report(self):
        for name in ("json", "csv"):
            self.assertEqual(self.export("--to", name), self.callsig("report", "recording", "--format", name).stdout)
            self.assertEqual(self.export("--to", name, "-o", "-"), self.export("--to", name))

    def test_default_recording(self):
        os.rename(self.path("recording"), self.path("callsig.out"))
        done = self.callsig("export", "--to", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("twice(n=7)", done.stdout)

    def test_without_format(self):
        self.assert_fails(self.callsig("export", "recording"), 2, "--to", *FORMATS)

    def test_unknown_format(self):
        self.assert_fails(self.callsig("export", "--to", "xml", "recording"), 2, "--to", "'xml'", *FORMATS)

    def test_formats_are_described(self):
        """Those that the error line lists stand in the help and in the manual, in that order, and in the page on exports."""
        listed = re.search(r"none of ([\w, ]+);", self.callsig("export", "--to", "").stderr)[1].split(", ")
        self.assertLessEqual(set(FORMATS), set(listed))
        text = self.callsig("export", "--help").stdout.partition("\n  --to FORMAT")[2].partition("\n  -")[0]
        self.assertEqual(re.findall(r"^ +(\w+)  ", text, re.M), listed)
        with open(os.path.join(harness.TOP, "man", "callsig-export.1")) as file:
            self.assertEqual(re.findall(r"^\.TP\n\.B (\w+)$", file.read().partition(".SH OPTIONS")[0], re.M), listed)
        with open(os.path.join(harness.TOP, "docs", "exports.md")) as file:
            page = file.read()
        self.assertEqual([name for name in listed if f"`{name}`" not in page], [])

    def test_unknown_option(self):
        self.assert_fails(self.callsig("export", "--nope"), 2, "--nope")

    def test_unknown_group(self):
        self.assert_fails(self.callsig("export", "--to", "csv", "--by", "colour", "recording"), 2, "--by", "'colour'")

    def test_no_recording(self):
        self.assert_fails(self.callsig("export", "--to", "csv"), 1, "callsig.out")
        self.assert_fails(self.callsig("export", "--to", "csv", "nowhere"), 1, "nowhere: No such file")
        self.assert_fails(self.callsig("export", "--to", "csv", self.folder), 1, "is a folder")

    def test_not_a_recording(self):
        self.write("text", "no recording\n" * 1000)
        self.assert_fails(self.callsig("export", "--to", "csv", "text", "-o", "out"), 1, "text")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_group_that_a_format_has_no_room_for(self):
        for name in ("pstats", "callgrind", "dot"):
            self.assert_fails(self.callsig("export", "--to", name, "--by", "thread", "recording", "-o", "out"), 2, "--by")
            self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("out")])

    def test_weight(self):
        self.assertEqual(weights(self.export("--to", "folded", "--weight", "calls")), 5)
        self.assert_fails(self.callsig("export", "--to", "folded", "--weight", "size", "recording"), 2, "size", "time", "calls")
        self.assert_fails(self.callsig("export", "--to", "pprof", "--weight", "time", "recording", "-o", "out"), 2, "pprof", "weight")

    def test_cutoff(self):
        self.assertIn("left out", self.export("--to", "dot", "--cutoff", "0.999"))
        self.assertNotIn("are left out", self.export("--to", "dot", "--cutoff", "0"))
        for wrong in ("1", "-1", "x", "nan", "0.5x", ""):
            self.assert_fails(self.callsig("export", "--to", "dot", f"--cutoff={wrong}", "recording"), 2, "--cutoff", f"'{wrong}'")
        self.assert_fails(self.callsig("export", "--to", "csv", "--cutoff", "0.5", "recording"), 2, "csv", "cutoff")

    def test_replaces_a_file_whole(self):
        self.write("out", "old", mode=0o640)
        self.export("--to", "csv", "-o", "out")
        self.assertNotIn("out.", " ".join(os.listdir(self.folder)))
        self.assertIn("twice", self.read("out"))

    def test_recording_is_not_overwritten(self):
        os.link(self.path("recording"), self.path("same"))
        with open(self.path("recording"), "rb") as file:
            before = file.read()
        self.assert_fails(self.callsig("export", "--to", "csv", "recording", "-o", "./same"), 2, "./same", "recording")
        os.rename(self.path("same"), self.path("callsig.out"))
        self.assert_fails(self.callsig("export", "--to", "csv", "-o", "callsig.out"), 2, "callsig.out")
        with open(self.path("recording"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_database_is_not_overwritten(self):
        self.assertEqual(self.callsig("run", "--db", "run.db", "-o", "other", self.program).returncode, 0)
        with open(self.path("run.db"), "rb") as file:
            before = file.read()
        os.link(self.path("run.db"), self.path("same"))
        for name in ("run.db", "./same"):
            self.assert_fails(self.callsig("export", "--to", "html", "--db", "run.db", "other", "-o", name), 2, name, "database")
        with open(self.path("run.db"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_no_recording_is_replaced(self):
        """But by another one: what was measured cannot be made again."""
        shutil.copy(self.path("recording"), self.path("other.svg"))
        with open(self.path("other.svg"), "rb") as file:
            before = file.read()
        for command in (("export", "--to", "csv", "-o", "other.svg", "recording"), ("export", "--to", "html", "-o", "other.svg", "recording"),
                        ("diff", "--html", "other.svg", "recording", "recording")):
            self.assert_fails(self.callsig(*command), 1, "other.svg: is a recording")
            with open(self.path("other.svg"), "rb") as file:
                self.assertEqual(file.read(), before)
        self.assertEqual(self.callsig("merge", "-o", "other.svg", "recording").returncode, 0)

    def test_link_is_not_followed(self):
        self.write("target", "mine")
        os.symlink("target", self.path("out"))
        self.assert_fails(self.callsig("export", "--to", "csv", "recording", "-o", "out"), 1, "out: ", "symbolic link")
        self.assertEqual(self.read("target"), "mine")

    def test_folder(self):
        os.mkdir(self.path("out"))
        self.assert_fails(self.callsig("export", "--to", "csv", "recording", "-o", "out"), 1, "out: ", "folder")

    def test_no_such_folder(self):
        self.assert_fails(self.callsig("export", "--to", "csv", "recording", "-o", "no/out"), 1, "no/out: ", "No such file")

    def test_full_device(self):
        for name in FORMATS:
            done = self.callsig("export", "--to", name, "recording", "-o", "/dev/full")
            self.assert_fails(done, 1, "/dev/full: No space left")

    def test_full_standard_output(self):
        for name in FORMATS:
            with open("/dev/full", "w") as full:
                done = subprocess.run([harness.CALLSIG, "export", "--to", name, "recording"], cwd=self.folder, text=True,
                                      env=self.environment, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)

    def test_limited_file_leaves_what_was_there(self):
        self.write("out", "old")
        done = self.run_command("sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" export --to csv recording -o out",
                                harness.CALLSIG)
        self.assert_fails(done, 1, "out: ", "File too large")
        self.assertEqual(self.read("out"), "old")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("out.")], [])

    def test_pipe(self):
        os.mkfifo(self.path("pipe"))
        reader = subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.export("--to", "csv", "-o", "pipe")
        self.assertIn("twice(n=7)", reader.communicate()[0])


if __name__ == "__main__":
    harness.main()
