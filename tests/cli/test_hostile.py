"""Names, files and settings that would mislead or hold up whoever reads: formulas, text that moves text, FIFOs, sums that wrap."""

import csv
import io
import json
import os
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import time

import harness

# A thread of its own, whose name is NAME.
NAMED = """
#include <sys/prctl.h>
static int __attribute__((noinline)) twice(int n) { return n * 2; }
__attribute__((no_instrument_function)) int main(int argc, char **argv) {
  prctl(PR_SET_NAME, argv[1]);
  return twice(argc) == 0; }
"""
# Loads the library that it is told of, calls twice() of it so often, says so, and once more for each line of its input.
LOADING = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*twice)(int) = library ? (int (*)(int))dlsym(library, "twice") : NULL;
  if (!twice)
    return 1;
  for (int i = atoi(argv[2]); i > 0; i--)
    twice(i % 2);
  for (int c = puts("ready") + fflush(stdout); argc > 3 && (c = getchar()) != EOF;)
    twice(2);
  return 0; }
"""
LINKED = "int twice(int n);\nint main(void) { return twice(0) + twice(1) + twice(2) == 0; }\n"
LIBRARY = "int __attribute__((noinline)) twice(int n) { return n * 2; }\n"
TOTAL, CALLS = 80, 72  # where docs/recording-format.md has them in an edge


class Hostile(harness.Case):
    def record(self, name):
        program = self.compile("named", NAMED)
        self.assertEqual(self.callsig("run", "-o", "r", program, name).returncode, 0)

    def test_formulas(self):
        """Such cells of CSV are text to a spreadsheet too."""
        for name, cell in (("=1+2", "'=1+2"), ("+a", "'+a"), ("-a", "'-a"), ("@SUM(1)", "'@SUM(1)"), ("\ta", "\\x09a"),
                           ("a=b", "a=b"), ("=a,b", "'=a,b"), ('="a"', "'=\"a\""), ("'=1", "''=1"), ("'", "''"), ("a'", "a'")):
            self.record(name)
            done = self.callsig("report", "--by", "thread", "--format", "csv", "r")
            rows = list(csv.DictReader(io.StringIO(done.stdout)))
            self.assertEqual([row["thread"].rsplit(" ", 1)[0] for row in rows], [cell], done.stdout)
            table = json.loads(self.callsig("report", "--by", "thread", "--format", "json", "r").stdout)
            self.assertEqual([row["thread"] for row in table["rows"]], [row["thread"].removeprefix("'") for row in rows])

    def test_text_that_moves_text(self):
        """Characters that turn the direction of text, or end a line, are shown as bytes."""
        for character in "\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069":
            self.record("a" + character + "b")
            done = self.callsig("report", "--by", "thread", "r")
            shown = "".join(f"\\x{byte:02x}" for byte in character.encode())
            self.assertIn("a" + shown + "b", done.stdout)
            self.assertNotIn(character, done.stdout)
        for character in "\u05d0\u0627\u2027\u202f\u2065\u20ac":
            self.record("a" + character + "b")
            self.assertIn("a" + character + "b", self.callsig("report", "--by", "thread", "r").stdout)

    def test_paths(self):
        """A path is shown as names are, in one line, wherever it is named."""
        self.record("named")
        name = "r\u202e\n\x1b[1m"
        os.rename(self.path("r"), self.path(name))
        shown = "r\\xe2\\x80\\xae\\x0a\\x1b[1m"
        with open(self.path(name), "ab") as file:
            file.write(bytes(8))
        done = self.callsig("report", name, name)
        self.assertEqual([line.split(": ")[1] for line in done.stderr.splitlines()], [shown, shown])
        for command in (("report", name), ("stages", name, name), ("index", name), ("score", name), ("browse", name + "x")):
            done = self.callsig(*command)
            self.assertIn(shown, done.stdout + done.stderr)
            self.assertNotRegex(done.stdout + done.stderr, "[\u202e\x1b]")

    def loading(self, folder, library):
        """The program and the library in such a folder, both with sleds."""
        os.mkdir(self.path(folder))
        for name, source, flags in (("loading", LOADING, []), (library, LIBRARY, ["-shared", "-fPIC"])):
            code = self.write("code.c", source)
            done = self.run_command(harness.CALLSIG_CC, "-O1", *flags, code, "-o", self.path(folder, name))
            self.assertEqual(done.returncode, 0, done.stderr)
        return self.path(folder, "loading"), self.path(folder, library)

    def counts(self, recording):
        done = self.callsig("report", "--by", "function", "--format", "json", recording)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}

    def test_libraries_that_are_loaded(self):
        """The kernel's list of mappings has another name for them than they have."""
        for number, name in enumerate(("two\nlines.so", "a\\012b.so", "library (deleted)", "plain.so")):
            program, library = self.loading(f"at\n{number}", name)
            done = self.callsig("run", "-o", f"r{number}", program, library, "10")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.counts(f"r{number}"), {"main": 1, "twice": 10})
            done = self.run_command(harness.CALLSIG_CC, "-O1", self.write("linked.c", LINKED), library, "-o", "linked")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.callsig("run", "-o", f"l{number}", "./linked")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.counts(f"l{number}"), {"main": 1, "twice": 3})

    def test_process_in_a_folder_of_two_lines(self):
        """It is found by its number, and attached to."""
        program, library = self.loading("two\nlines", "plain.so")
        run = subprocess.Popen((program, library, "10", "on"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=self.environment, cwd=self.path("two\nlines"))
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        self.assertEqual(run.stdout.readline(), "ready\n")
        recording = self.path("two\nlines", "r")
        attach = subprocess.Popen((harness.CALLSIG, "attach", "-o", recording, str(run.pid)), env=self.environment,
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(attach.communicate)
        self.addCleanup(attach.kill)
        self.assertIn("records in", attach.stderr.readline())
        run.stdin.write("...")
        run.stdin.flush()
        for _ in range(600):
            if self.counts(recording).get("twice") == 3:
                break
            time.sleep(0.05)
        self.assertEqual(self.counts(recording), {"twice": 3})
        for command in (("ctl", str(run.pid), "status"), ("top", "--batch", "1", str(run.pid))):
            done = self.callsig(*command)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        attach.send_signal(signal.SIGINT)
        self.assertEqual((attach.communicate(timeout=60)[1], attach.returncode), ("", 0))

    def test_fifo(self):
        """What nobody writes to is not waited for."""
        os.mkfifo(self.path("fifo"))
        for command in ("stages", "report", "diff", "scaling"):
            names = ("fifo", "fifo") if command == "diff" else ("fifo",)
            done = self.run_command("timeout", "20", harness.CALLSIG, command, *names)
            self.assert_fails(done, 1, "fifo")

    def test_fifo_for_debug_information(self):
        """Where a stripped program says that its debug information lies, and where it may lie, nobody waits for who writes there."""
        program = self.compile("program", harness.CALLS)
        self.assertEqual(self.run_command("strip", program).returncode, 0)
        os.mkdir(self.path(".debug"))
        for place in ("named", ".debug/named", "program.debug", ".debug/program.debug", ".debug/program"):
            with self.subTest(place):
                copy = self.path("program")
                if place.endswith("named"):
                    self.write("named", "")
                    self.assertEqual(self.run_command("objcopy", "--add-gnu-debuglink=named", program, self.path("linked")).returncode, 0)
                    os.unlink(self.path("named"))
                    copy = self.path("linked")
                os.mkfifo(self.path(place))
                done = self.callsig("index", copy, timeout=20)
                os.unlink(self.path(place))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("is stripped", done.stderr)

    def test_many_rules_in_a_program(self):
        """Each is looked for among those before it, which takes no time for each pair of them."""
        program = self.compile("named", NAMED)
        rules = [f"soft type t{number % 150000:08}: a\n".encode() for number in range(150001)]
        self.assertEqual({len(rule) % 4 for rule in rules}, {3})
        with open(self.path("notes"), "wb") as file:
            file.write(b"".join(struct.pack("<III", 8, len(rule), 1) + b"callsig\0" + rule + b"\0" for rule in rules))
        done = self.run_command("objcopy", "--add-section", ".note.callsig=notes", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("index", "--explain", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("twice", done.stdout)

    def test_names_that_reach_over_others(self):
        """Without the ends of strings a little debug information has names that no memory is enough for."""
        names = ",".join(f"enumerator_number_{i}" for i in range(6000))
        program = self.compile("program", f"enum big {{{names}}};\nint main(int argc, char **argv) {{ (void)argv; return (enum big)argc == 0; }}\n"
                               "int take(enum big value) { return value; }\n")
        done = self.callsig("index", "--coverage", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.run_command("objcopy", "--dump-section", ".debug_str=strings", program).returncode, 0)
        with open(self.path("strings"), "r+b") as file:
            text = file.read()
            file.seek(0)
            file.write(text[:-1].replace(b"\0", b"_") + b"\0")
        self.assertEqual(self.run_command("objcopy", "--update-section", ".debug_str=strings", program).returncode, 0)
        self.assert_fails(self.callsig("index", "--coverage", program), 1, "cannot be indexed", "debug information is damaged")

    def test_databases_with_views_and_triggers(self):
        """A view in place of a table has rows without end, and a trigger takes away what is written: neither is run."""
        base = sqlite3.connect(self.path("v.db"))
        self.addCleanup(base.close)
        base.executescript("CREATE VIEW task_stats AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
                           " SELECT x AS id, 'a' AS name, 1 AS num_tasks, 0 AS num_failures, 1.0 AS ave_time, 1.0 AS p90_time, 1.0 AS p99_time,"
                           " 1.0 AS timestamp FROM c;")
        for options in ((), ("--format", "json"), ("--plot", "v.svg")):
            self.assert_fails(self.callsig("stages", *options, "v.db", timeout=60), 1, "v.db: cannot be read as a database of intervals", "task_stats")
        program = self.compile("named", NAMED)
        self.assertEqual(self.callsig("run", "-o", "r", "--db", "t.db", program, "a").returncode, 0)
        written = sqlite3.connect(self.path("t.db"))
        self.addCleanup(written.close)
        written.executescript("CREATE TRIGGER none AFTER INSERT ON intervals BEGIN DELETE FROM intervals; END;")
        self.assertEqual(self.callsig("run", "-o", "r", "--db", "t.db", program, "a").returncode, 0)
        self.assertEqual(written.execute("SELECT COUNT(DISTINCT run) FROM intervals").fetchall(), [(2,)])

    def test_no_files(self):
        """Readers of programs, rules and lists say of what is no file, in one line, that it is none."""
        program = self.compile("program", harness.CALLS)
        os.mkfifo(self.path("fifo"))
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path("socket"))
            for name in ("fifo", "socket", "/dev/zero", "/dev/null", self.folder):
                for command in (("index", name), ("index", "--cache", name), ("index", "--rules", name, program),
                                ("run", "--rules", name, program), ("run", "--exclude-file", name, program),
                                ("report", name), ("stages", name), ("score", name), ("export", "--to", "json", name),
                                ("merge", "-o", "merged", name), ("diff", name, name), ("run", name)):
                    with self.subTest(command=command):
                        self.assert_fails(self.run_command("timeout", "20", harness.CALLSIG, *command), 1, name)

    def test_pipes(self):
        """What a shell's <(COMMAND) gives is read to its end, however late it comes."""
        program = self.compile("program", harness.CALLS)
        line = 'sleep 0.3; "$0" run -o r --exclude-file <(sleep 0.5; printf "twice\\nmain\\n") "$1" && "$0" report r'
        done = self.run_command("bash", "-c", line, harness.CALLSIG, program)
        self.assertEqual(list(self.rows(done.stdout)), [f"{program}.c:3(work(n=1))"], done.stderr)

    def test_small_stacks(self):
        """A limit on stacks that is too small for callsig itself is told in one line, which says how the program can have it."""
        program = self.compile("program", harness.CALLS)
        self.assert_fails(self.run_command("sh", "-c", 'ulimit -s 128; exec "$0" run "$1"', harness.CALLSIG, program), 1,
                          "ulimit -s", "128 KiB")
        for line in ('ulimit -s 256; exec "$0" run -o r "$1"', 'exec "$0" run -o r sh -c "ulimit -s 64; exec $1"'):
            done = self.run_command("sh", "-c", line, harness.CALLSIG, program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("twice(n=7)", self.callsig("report", "r").stdout)

    def test_large_model(self):
        """Calls of the hooks through a register are found with their arguments, as those by a displacement are."""
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                continue
            for flags in (("-O0",), ("-O2",), ("-O0", "-no-pie", "-fno-pic"), ("-O2", "-no-pie", "-fno-pic"), ("-O1", "-fPIC")):
                with self.subTest(compiler=compiler, flags=flags):
                    tables = []
                    for model in ("small", "large"):
                        program = self.compile(model, harness.CALLS, *flags, "-mcmodel=" + model, compiler=compiler)
                        self.assertEqual(self.callsig("run", "-o", "r", program).returncode, 0)
                        rows = self.rows(self.callsig("report", "--strip-dirs", "r").stdout)
                        tables.append({name.replace("large.c", "small.c"): row[0] for name, row in rows.items()})
                    self.assertEqual(tables[0], tables[1])
                    self.assertIn("small.c:2(twice(n=7))" if flags[0] == "-O0" else "small.c:3(work(n=1))", tables[1])

    def test_one_cache(self):
        """The command and the runtime mean the same folder, wherever the variables lead."""
        program = self.compile("program", harness.CALLS)
        self.environment.pop("CALLSIG_CACHE_DIR")
        settings = {"XDG_CACHE_HOME": "relative", "HOME": self.path("home")}
        os.mkdir(self.path("home"))
        preload = os.path.join(harness.RUNTIME, "libcallsig.so")
        done = self.run_command(program, env=dict(settings, LD_PRELOAD=preload, CALLSIG_OUTPUT=self.path("out")))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(os.path.exists(self.path("relative")))
        cache = self.path("home", ".cache", "callsig")
        made = os.listdir(cache)
        self.assertEqual(self.callsig("index", "--cache", program, env=settings).returncode, 0)
        self.assertEqual(os.listdir(cache), made)

    def edges(self, data):
        """Where the edges of a recording are that were called."""
        at = data.find(b"CEDG")
        while at >= 0:
            if at % 8 == 0 and struct.unpack_from("<Q", data, at + CALLS)[0]:
                yield at
            at = data.find(b"CEDG", at + 4)

    def test_sums_that_wrap(self):
        """What does not fit is refused and not shown as what is left of it."""
        program = self.compile("program", harness.CALLS)
        self.assertEqual(self.callsig("run", "-o", "r", program).returncode, 0)
        with open(self.path("r"), "rb") as file:
            recorded = harness.unsealed(file.read())
        for field, bits, words in ((CALLS, 64, "2^64 calls or more"), (TOTAL, 63, "2^63 ticks or more")):
            data = bytearray(recorded)
            places = list(self.edges(recorded))
            self.assertGreater(len(places), 2)
            for place in places[:2]:
                struct.pack_into("<Q", data, place + field, 1 << (bits - 1))
            with open(self.path("large"), "wb") as file:
                file.write(data)
            self.assert_fails(self.callsig("report", "large"), 1, words)
            self.assert_fails(self.callsig("merge", "-o", "merged", "large", "large"), 1, words)
            struct.pack_into("<Q", data, places[0] + field, 1 << (bits - 2))
            with open(self.path("fits"), "wb") as file:
                file.write(data)
            self.assertEqual(self.callsig("report", "fits").returncode, 0)


if __name__ == "__main__":
    harness.main()
