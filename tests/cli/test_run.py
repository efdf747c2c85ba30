"""callsig run: what it refuses, what it hands on, and what it leaves."""

import json
import os
import shutil
import signal
import stat
import struct
import subprocess
import time
import unittest

import harness


class Refusals(harness.Case):
    """One line that names the program and what to do; the program is not started."""

    def refused(self, program, *words):
        done = self.callsig("run", program)
        self.assert_fails(done, 1, "run: ", *words)
        self.assertFalse(os.path.exists(self.path("callsig.out")))

    def test_not_found(self):
        self.refused("no-such-program", "no-such-program: not found in PATH")
        self.refused("./no-such-program", "./no-such-program: No such file")
        self.refused("", "not found")

    def test_folder(self):
        self.refused(self.folder, "Is a directory")

    def test_not_executable(self):
        self.refused(self.write("data", "x"), "data: is not executable")

    def test_neither_elf_nor_script(self):
        self.refused(self.write("text", "hello\n", 0o755), "text: is neither an ELF program nor a script")
        self.refused(self.write("empty", "", 0o755), "empty: is neither an ELF program nor a script")

    def test_script_of_other_interpreter(self):
        plain = self.compile("plain", harness.CALLS, instrument=False)
        self.refused(self.write("script", f"#!{plain} -x\n", 0o755), "plain (which runs this script): neither it nor")

    def test_script_without_interpreter(self):
        self.refused(self.write("script", "#!/no/such/interpreter\n", 0o755), "/no/such/interpreter")
        self.refused(self.write("script", "#!\n", 0o755), "script: cannot tell what runs this script")
        self.refused(self.write("script", "#!/usr/bin/env no-such-program\n", 0o755), "cannot tell what runs this script")

    def test_script_that_runs_itself(self):
        self.refused(self.write("script", f"#!{self.path('script')}\n", 0o755), "from script to script")

    def test_script_that_runs_data(self):
        self.write("data", "x", 0o755)
        self.refused(self.write("script", f"#!{self.path('data')}\n", 0o755), "data is not an ELF program")

    def test_script_of_what_is_no_file(self):
        """Whoever would write to a FIFO is not waited for."""
        os.mkfifo(self.path("fifo"), 0o755)
        for name in ("fifo", "."):
            script = self.write("script", f"#!{self.path(name)}\n", 0o755)
            self.assert_fails(self.callsig("run", script, timeout=20), 1, "cannot tell what runs this script", "Permission denied")

    def test_not_instrumented(self):
        plain = self.compile("plain", harness.CALLS, instrument=False)
        self.refused(plain, "plain: neither it nor its libraries are instrumented",
                     "compile it with callsig-cc (or -g -finstrument-functions")

    def test_object_file(self):
        self.compile("part.o", harness.CALLS, "-c")
        os.chmod(self.path("part.o"), 0o755)
        self.refused(self.path("part.o"), "part.o: is not a program")

    def test_other_architecture(self):
        other = self.compile("other", harness.CALLS)
        with open(other, "r+b") as file:
            file.seek(18)
            file.write(b"\x16\x00")  # e_machine: S/390
        self.refused(other, "other: is for another architecture (ELF machine 22)")

    def test_damaged(self):
        damaged = self.compile("damaged", harness.CALLS)
        for size in (5, 20, 63):
            with open(damaged, "r+b") as file:
                file.truncate(size)
            self.refused(damaged, "damaged: is")

    def test_static(self):
        static = self.compile("static", harness.CALLS, "-static")
        self.refused(static, "static: is statically linked without libcallsig")
        subprocess.run(["strip", static], check=True)
        self.refused(static, "static: is statically linked and stripped")
        plain = self.compile("plain", harness.CALLS, "-static", instrument=False)
        self.refused(plain, "plain: is statically linked and not instrumented", "compile it with callsig-cc (or -g")

    def test_own_hooks(self):
        own = self.compile("own", harness.CALLS + """
            __attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *c) { (void)f; (void)c; }
            __attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *c) { (void)f; (void)c; }""")
        self.refused(own, "own: defines __cyg_profile_func_enter itself")

    def test_missing_library(self):
        self.compile("libpart.so", "int part(void) { return 0; }", "-shared", "-fPIC")
        user = self.compile("user", "int part(void); int main(void) { return part(); }", libs=["./libpart.so"])
        os.rename(self.path("libpart.so"), self.path("gone"))
        self.refused(user, "user: would not start: ./libpart.so: cannot open")

    def test_library_not_found(self):
        self.compile("libpart.so", "int part(void) { return 0; }", "-shared", "-fPIC")
        user = self.compile("user", "int part(void); int main(void) { return part(); }", libs=["-L.", "-l:libpart.so"])
        self.refused(user, "user: would not start: libpart.so: cannot open", "LD_LIBRARY_PATH")

    def test_runtime_that_is_preloaded_need_not_be_found(self):
        """A program that links the runtime starts under the command wherever that was installed."""
        linked = self.compile("linked", harness.CALLS, libs=["-L" + harness.RUNTIME, "-Wl,--no-as-needed", "-lcallsig"])
        self.assertIn("libcallsig.so", subprocess.run([linked], stderr=subprocess.PIPE, text=True, check=False).stderr)
        done = self.callsig("run", linked)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("twice(n=7)", done.stderr)

    @unittest.skipUnless(os.getuid() == 0, "only root can give a program to another user")
    def test_setuid(self):
        program = self.compile("program", harness.CALLS)
        os.chown(program, 65534, -1)
        os.chmod(program, 0o755 | stat.S_ISUID)
        self.refused(program, "program: is setuid")
        os.chown(program, 0, 65534)
        os.chmod(program, 0o755 | stat.S_ISGID)
        self.refused(program, "program: is setgid")

    def test_refused_rules(self):
        program = self.compile("program", harness.CALLS)
        self.assert_fails(self.callsig("run", "--rules", "none", program), 1, "none: ")
        self.write("rules", "function twice: n frobnicate\n")
        done = self.callsig("run", "--rules", "rules", program)
        self.assert_fails(done, 1, "rules:1: ")
        self.write("rules", "function twice: n.low value\n")
        self.assert_fails(self.callsig("run", "--rules", "rules", program), 1, "rules:1: ", "by 'show n.low'")
        self.write("rules", "function nowhere: n ignore\n")
        self.assert_fails(self.callsig("run", "--rules", "rules", program), 1, "rules:1: ", "nowhere")

    def test_cache_that_cannot_be_written(self):
        program = self.compile("program", harness.CALLS)
        self.write("file", "")
        done = self.callsig("run", program, env={"CALLSIG_CACHE_DIR": self.path("file", "cache")})
        self.assert_fails(done, 1, self.path("file"))


class Output(harness.Case):
    """Where the recording goes, and what it may replace."""

    def setUp(self):
        super().setUp()
        self.program = self.compile("program", harness.CALLS)

    def test_table_and_recording(self):
        done = self.callsig("run", self.program)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("Ordered by: cumulative time", done.stderr)
        self.assertIn("5 function calls in", done.stderr)
        rows = {name.split(":", 1)[1]: row[0] for name, row in self.rows(done.stderr).items()}
        self.assertEqual(rows, {"4(main(argc=1, argv=?))": "1", "3(work(n=1))": "1", "2(twice(n=1))": "2",
                                "2(twice(n=7))": "1"})
        self.assertEqual(stat.S_IMODE(os.stat(self.path("callsig.out")).st_mode), 0o600)

    def test_named_output_prints_no_table(self):
        done = self.callsig("run", "-o", "named", self.program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertTrue(os.path.getsize(self.path("named")) > 0)
        self.assertFalse(os.path.exists(self.path("callsig.out")))

    def test_sort(self):
        done = self.callsig("run", "-s", "ncalls,name", self.program)
        self.assertIn("Ordered by: call count, function name", done.stderr)

    def test_no_signatures(self):
        done = self.callsig("run", "--no-signatures", self.program)
        rows = {name.split(":", 1)[1]: row[0] for name, row in self.rows(done.stderr).items()}
        self.assertEqual(rows, {"4(main)": "1", "3(work)": "1", "2(twice)": "3"})

    def test_filters(self):
        done = self.callsig("run", "--exclude", "twice", "--exclude", "main", self.program)
        self.assertEqual([name.split(":", 1)[1] for name in self.rows(done.stderr)], ["3(work(n=1))"])
        done = self.callsig("run", "--include", "twice", "--include", "main", self.program)
        self.assertEqual(len(self.rows(done.stderr)), 3)
        done = self.callsig("run", "--include", "nothing", self.program)
        self.assertEqual(done.returncode, 0)
        self.assertIn("callsig: nothing was recorded", done.stderr)
        for options, environment, words in ((["--include", "zzz"], {}, "no instrumented function ran, or all of them were filtered out"),
                                            (["--include", "["], {}, "no instrumented function ran, or all of them were filtered out"),
                                            ([], {"CALLSIG_DISABLED": "1"}, "recording was never switched on"), ([], {}, None)):
            done = self.callsig("run", "-o", "nothing.out", *options, self.program, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, rf"^callsig: nothing was recorded: {words}.*\n$" if words else "^$")

    def test_rules(self):
        self.write("rules", "function twice: n ignore\n")
        done = self.callsig("run", "--rules", "rules", self.program)
        rows = {name.split(":", 1)[1]: row[0] for name, row in self.rows(done.stderr).items()}
        self.assertEqual(rows.get("2(twice())"), "3", done.stderr)

    def test_shown_fields(self):
        """Fields behind a pointer are arguments of their own, one for each rule, also of a parameter that is left out."""
        program = self.compile("program", """
            struct header { int kind; char tag[8]; };
            struct request { int id; struct header hdr; };
            static int __attribute__((noinline)) handle(struct request *req, int fd) { return req->hdr.kind + fd; }
            __attribute__((no_instrument_function)) int main(void) {
              struct request get = {1, {3, "get"}}, put = {2, {4, "put"}};
              return handle(&get, 5) + handle(&put, 5) + handle(&get, 5) == 0; }""")
        shown = "function handle: show req->hdr.kind\nfunction handle: show req->hdr.tag string\n"
        for rules, first in ((shown, "req:struct request*, "), (shown + "function handle: req ignore\n", "")):
            self.write("rules", rules)
            done = self.callsig("run", "--rules", "rules", program)
            rows = {name.split(":", 1)[1]: row[0] for name, row in self.rows(done.stderr).items()}
            self.assertEqual(rows, {f'4(handle({first}fd=5, req->hdr.kind=3, req->hdr.tag="get"))': "2",
                                    f'4(handle({first}fd=5, req->hdr.kind=4, req->hdr.tag="put"))': "1"}, done.stderr)

    def test_enumerations(self):
        """An integer is shown by the names of an enumeration that its own type does not tell."""
        program = self.compile("program", """
            enum dtype { F32, F16, BF16, Q8 = 8 };
            typedef enum { GET = 1, PUT } verb;
            struct tensor { int type; unsigned char verb; };
            static int __attribute__((noinline)) use(struct tensor *t, long kind) { return t->type + (int)kind; }
            __attribute__((no_instrument_function)) int main(void) {
              enum dtype made = Q8; verb asked = PUT;
              struct tensor a = {made, asked}, b = {1, 1}, c = {2, 77};
              return use(&a, 0) + use(&b, 8) + use(&c, 3) == 0; }""")
        self.write("rules", "type tensor: dtype=(enum dtype)type, verb=(verb)verb\nfunction use: show (enum dtype) kind\n"
                            "function use: kind ignore\n")
        done = self.callsig("run", "--rules", "rules", program)
        self.assertEqual({name.split(":", 1)[1] for name in self.rows(done.stderr)},
                         {"5(use(t:tensor(dtype=Q8, verb=PUT), kind=F32))", "5(use(t:tensor(dtype=F16, verb=GET), kind=Q8))",
                          "5(use(t:tensor(dtype=BF16, verb=77), kind=F16|BF16))"}, done.stderr)
        for rule, problem in (("type tensor: d=(enum dtyp)type", "no enumeration 'dtyp'; the nearest name of a type is 'dtype'"),
                              ("type tensor: d=(tensor)type", "'tensor' is no enumeration"),
                              ("function use: show (enum dtype)t", "t is of type struct tensor*, not an integer")):
            self.write("rules", rule + "\n")
            self.assert_fails(self.callsig("run", "--rules", "rules", program), 1, "rules:1: ", problem)

    def test_rules_about_other_modules(self):
        """A rule about a function of a library says what it takes, and one of a plug-in that the plug-in may come."""
        program = self.compile("program", """
            #include <dlfcn.h>
            #include <stdlib.h>
            static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
            static int __attribute__((noinline)) run_plug(void *plug) { return ((int (*)(int))dlsym(plug, "plug_in"))(7); }
            int main(void) {
              int numbers[] = {2, 1};
              qsort(numbers, 2, sizeof *numbers, compare);
              void *plug = dlopen("./plug.so", RTLD_NOW);
              return plug == NULL || run_plug(plug) != 8; }""", libs=["-ldl"])
        self.compile("plug.so", "int plug_in(int x) { return x + 1; }", "-shared", "-fPIC")
        later = "; a library that is loaded later may have it"
        for rule, options, said in (
                ("function plug_in: x bucket log2", [], f"no function 'plug_in' in {program}; the nearest name is 'main' (program){later}"),
                ("function qsort: $1 ignore", [], f"no function 'qsort' in {program}, which only declares it: rules about functions of "
                                                  "libraries take --library-calls (program)"),
                ("function qsort: $1 ignore", ["--library-calls"], None),
                ("function runplug: plug ignore", [], f"no function 'runplug' in {program}; the nearest name is 'run_plug' (program){later}")):
            self.write("rules", rule + "\n")
            done = self.callsig("run", *options, "--rules", "rules", program)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = [line for line in done.stderr.splitlines() if "rules:1" in line]
            self.assertEqual(lines, [f"callsig: rules:1: {said}"] if said else [])
        self.write("rules", "function qsort: $1 ignore\n")
        done = self.callsig("index", "--coverage", "--rules", "rules", program)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^callsig: rules:1: no function 'qsort' in .*, which only declares it: .*\n$")

    def test_rules_of_the_environment(self):
        self.write("rules", "function twice: n ignore\n")
        os.mkdir(self.path("elsewhere"))
        mover = self.compile("mover", harness.CALLS.replace("int main", "#include <unistd.h>\nint main").replace(
            "return work", 'return chdir("elsewhere") != 0 || work'))
        done = self.callsig("run", mover, env={"CALLSIG_RULES": "rules"})
        self.assertTrue(any(name.endswith("twice())") for name in self.rows(done.stderr)), done.stderr)

    def test_child_records_alone(self):
        """What a child records while its parent records nothing is shown."""
        forks = self.compile("forks", """
            #include <sys/wait.h>
            #include <unistd.h>
            static void f(int n) { (void)n; }
            __attribute__((no_instrument_function)) int main(void) {
              if (fork() == 0) { f(3); _exit(0); }
              wait(0);
              return 0; }""")
        done = self.callsig("run", forks)
        self.assertEqual(len(self.rows(done.stderr)), 1, done.stderr)
        self.assertNotIn("callsig:", done.stderr)

    def test_clock(self):
        for clock in ("wall", "cpu"):
            done = self.callsig("run", "--clock", clock, self.program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(self.rows(done.stderr)), 4)

    def test_timeline_and_percentiles(self):
        for options in (["--timeline"], ["--timeline=0"], ["--timeline=20us", "--percentiles"], ["--percentiles"]):
            done = self.callsig("run", *options, self.program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(self.rows(done.stderr)), 4)

    def test_older_recording_is_replaced(self):
        self.callsig("run", self.program)
        before = os.stat(self.path("callsig.out")).st_ino
        os.link(self.path("callsig.out"), self.path("kept"))
        done = self.callsig("run", self.program)
        self.assertEqual((done.returncode, len(self.rows(done.stderr))), (0, 4))
        self.assertEqual(os.stat(self.path("kept")).st_ino, before)
        self.assertNotEqual(os.stat(self.path("callsig.out")).st_ino, before)

    def install(self, prefix):
        """The command and the runtime below a prefix of their own, without headers. Returns the command."""
        for folder, files in (("bin", [harness.CALLSIG]), ("lib", [os.path.join(harness.RUNTIME, "libcallsig.so.0")])):
            os.makedirs(self.path(prefix, folder))
            for file in files:
                shutil.copy(file, self.path(prefix, folder))
        return self.path(prefix, "bin", "callsig")

    def test_installed_without_headers(self):
        command = self.install("usr")
        done = self.run_command(command, "run", self.program)
        self.assertEqual((done.returncode, len(self.rows(done.stderr))), (0, 4), done.stderr)
        self.assert_fails(self.run_command(command, "flags"), 1, "flags: the headers of callsig are not installed")
        self.assertEqual(self.run_command(command, "flags", "--libs").returncode, 0)

    def test_older_recording_stays_when_nothing_can_run(self):
        self.callsig("run", self.program)
        before = os.stat(self.path("callsig.out")).st_ino
        done = self.run_command(self.install("a prefix"), "run", self.program)
        self.assert_fails(done, 1, "LD_PRELOAD cannot hold a path with a space")
        self.assertEqual(os.stat(self.path("callsig.out")).st_ino, before)

    def test_database_in_the_place_of_the_recording(self):
        self.assert_fails(self.callsig("run", "-o", "r", "--db", "r", self.program), 2, "--db: r is where the recording goes")
        self.assert_fails(self.callsig("run", "--db", "callsig.out", self.program), 2, "--db: callsig.out is where")

    def test_empty_file_is_replaced(self):
        self.write("named", "")
        self.assertEqual(self.callsig("run", "-o", "named", self.program).returncode, 0)
        self.assertTrue(os.path.getsize(self.path("named")) > 0)

    def test_other_files_are_left_alone(self):
        self.write("callsig.out", "precious\n")
        self.assert_fails(self.callsig("run", self.program), 1, "callsig.out: exists and is not a recording")
        with open(self.path("callsig.out")) as file:
            self.assertEqual(file.read(), "precious\n")

    def test_links_are_not_followed(self):
        self.callsig("run", "-o", "target", self.program)
        os.symlink("target", self.path("link"))
        self.assert_fails(self.callsig("run", "-o", "link", self.program), 1, "link: exists and is not a recording")
        os.symlink("nowhere", self.path("dangling"))
        self.assert_fails(self.callsig("run", "-o", "dangling", self.program), 1, "dangling: exists")
        self.assertFalse(os.path.exists(self.path("nowhere")))

    def test_places_that_cannot_be(self):
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("fifo"))
        self.assert_fails(self.callsig("run", "-o", "none/x", self.program), 1, "none/x: the recording cannot be made there")
        self.assert_fails(self.callsig("run", "-o", "folder", self.program), 1, "folder: exists")
        self.assert_fails(self.callsig("run", "-o", "folder/", self.program), 1, "folder/: ", "Is a directory")
        self.assert_fails(self.callsig("run", "-o", "fifo", self.program), 1, "fifo: exists")
        self.assert_fails(self.callsig("run", "-o", "", self.program), 1, "the recording cannot be made there")

    def test_program_that_changes_folder(self):
        os.mkdir(self.path("elsewhere"))
        mover = self.compile("mover", '#include <unistd.h>\nstatic void f(void) {}\n__attribute__((no_instrument_function)) '
                             'int main(void) { int e = chdir("elsewhere"); f(); return e; }')
        done = self.callsig("run", "-o", "here", mover)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(os.path.exists(self.path("here")))

    def test_nothing_recorded(self):
        silent = self.compile("silent", "void f(void) {}\n__attribute__((no_instrument_function)) int main(void) "
                              "{ return 3; }")
        done = self.callsig("run", silent)
        self.assertEqual(done.returncode, 3)
        self.assertIn("callsig: nothing was recorded in callsig.out: no instrumented function ran", done.stderr)

    def test_ranks(self):
        """Ranks leave recordings of their own; who is given a name that has the rank behind it does not add another."""
        for rank in (1, 0):
            done = self.callsig("run", self.program, env={"PMI_RANK": str(rank)})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(self.rows(done.stderr)), 0 if rank else 4, done.stderr)
        names = ["callsig.out.rank0", "callsig.out.rank1"]
        self.assertEqual([name for name in sorted(os.listdir(self.folder)) if name.startswith("callsig.out")], names)
        self.assertIn("10 function calls", self.callsig("report", *names).stdout)
        for rank, number in (({"OMPI_COMM_WORLD_RANK": "x", "PMIX_RANK": "12", "PMI_RANK": "3"}, 12),
                             ({"SLURM_PROCID": "1234567890", "PMI_RANK": "-1"}, None), ({"SLURM_PROCID": "7"}, 7)):
            done = self.callsig("run", "-o", "named", self.program, env=rank)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            named = "named" if number is None else f"named.rank{number}"
            self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("named")], [named])
            self.assertEqual(self.read_rank(named), number if number is None else (next(key for key in rank if rank[key] == str(number)), number))
            os.unlink(self.path(named))

    def read_rank(self, name):
        """The variable and the rank in a recording's header, by docs/recording-format.md."""
        with open(self.path(name), "rb") as file:
            header = file.read(4096)
            base, (source, rank) = struct.unpack_from("<Q", header, 16)[0], struct.unpack_from("<Qq", header, 328)
            if not source:
                return None
            file.seek(source - base + 16)
            return file.read(32).split(b"\0")[0].decode(), rank

    def test_children(self):
        forks = self.compile("forks", """
            #include <sys/wait.h>
            #include <unistd.h>
            static void f(void) {}
            int main(void) {
              for (int i = 0; i < 3; i++)
                if (fork() == 0) { f(); _exit(0); }
              while (wait(0) > 0) {}
              return 0; }""")
        self.write("callsig.out.77", "not a recording")
        done = self.callsig("run", "--apart", forks)
        self.assertIn("callsig: 3 more recordings of processes that the program started: report them with 'callsig report "
                      "callsig.out callsig.out.*'", done.stderr)
        done = self.callsig("run", "--apart", "-o", "again", forks)
        self.assertIn("'callsig report again again.*'", done.stderr)


class Program(harness.Case):
    """What reaches the program, and what comes back from it."""

    def test_library_that_changes_the_user_first(self):
        """It is initialised before the runtime is, and calls what that stands in for."""
        library = self.path("libfirst.so")
        done = self.run_command("cc", "-shared", "-fPIC", "-Wl,-z,initfirst", "-Wl,-soname,libfirst.so", self.write("first.c", """
            #include <unistd.h>
            __attribute__((constructor)) static void first(void) { setuid(getuid()); setreuid(getuid(), getuid()); }
            int loaded(void) { return 0; }"""), "-o", library)
        self.assertEqual(done.returncode, 0, done.stderr)
        program = self.compile("program", "int loaded(void); int main(void) { return loaded(); }", libs=[library, "-Wl,-rpath," + self.folder])
        done = self.callsig("run", "-o", "x.out", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_exit_status(self):
        for status in (0, 1, 2, 77, 255):
            program = self.compile("program", f"int main(void) {{ return {status}; }}")
            self.assertEqual(self.callsig("run", "-o", "x", program).returncode, status)

    def test_ended_by_signal(self):
        program = self.compile("program", """
            #include <signal.h>
            #include <stdlib.h>
            static void die(int n) { raise(n); }
            int main(int argc, char **argv) { die(atoi(argv[argc - 1])); return 0; }""")
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV):
            done = self.callsig("run", program, str(int(number)))
            self.assertEqual(done.returncode, 128 + number)
            self.assertTrue(any(f"(die(n={int(number)}))" in name for name in self.rows(done.stderr)), done.stderr)

    def test_arguments_and_streams(self):
        program = self.compile("program", """
            #include <stdio.h>
            int main(int argc, char **argv) {
              for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
              for (int c; (c = getchar()) != EOF;) putchar(c);
              fputs("error\\n", stderr);
              return 0; }""")
        done = subprocess.run([harness.CALLSIG, "run", "-o", "x", "--", program, "-o", "--", "a b", ""], input="text",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
                              env=self.environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "[-o][--][a b][]text", "error\n"))

    def test_found_in_path(self):
        self.compile("program", harness.CALLS)
        done = self.callsig("run", "-o", "x", "program", env={"PATH": "/nowhere:" + self.folder})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.callsig("run", "-o", "x", "program", env={"PATH": "/nowhere:"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_script_with_instrumented_interpreter(self):
        program = self.compile("program", harness.CALLS)
        for line in (program, f"/usr/bin/env {program}", "/usr/bin/env -S X=1 program"):
            script = self.write("script", f"#!{line}\n", 0o755)
            done = self.callsig("run", script, env={"PATH": self.folder + ":" + os.environ["PATH"]})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(any("twice(n=7)" in name for name in self.rows(done.stderr)), done.stderr)

    def test_existing_preload_is_kept(self):
        self.compile("libother.so", """
            #include <stdio.h>
            __attribute__((constructor, no_instrument_function)) static void hello(void) { puts("preloaded"); }""",
                     "-shared", "-fPIC")
        program = self.compile("program", harness.CALLS)
        done = self.callsig("run", "-o", "x", program, env={"LD_PRELOAD": self.path("libother.so")})
        # The variable reaches this command too, which then greets as well.
        self.assertIn("preloaded\n", done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(self.path("x")))

    def test_environment_stays(self):
        program = self.compile("program", """
            #include <stdio.h>
            #include <stdlib.h>
            int main(void) { printf("%s %s", getenv("CALLSIG_CLOCK"), getenv("OTHER")); return 0; }""")
        done = self.callsig("run", "-o", "x", program, env={"CALLSIG_CLOCK": "cpu", "OTHER": "kept"})
        self.assertEqual(done.stdout, "cpu kept")
        done = self.callsig("run", "-o", "x", "--clock", "wall", program, env={"CALLSIG_CLOCK": "cpu", "OTHER": "kept"})
        self.assertEqual(done.stdout, "wall kept")

    def test_times_reach_the_program(self):
        program = self.compile("program", """
            #include <stdio.h>
            #include <stdlib.h>
            static const char *of(const char *name) { return getenv(name) ? getenv(name) : "-"; }
            int main(void) { printf("%s %s", of("CALLSIG_TIMES"), of("CALLSIG_OVERHEAD")); return 0; }""")
        for options, said in (([], "- -"), (["--times", "exact"], "exact -"), (["--times=auto", "--overhead=1.25"], "auto 1.25"),
                              (["--overhead", "3"], "- 3")):
            done = self.callsig("run", "-o", "x", *options, program)
            self.assertEqual((done.returncode, done.stdout), (0, said), done.stderr)
        done = self.callsig("run", "-o", "x", "--times", "exact", program)
        report = json.loads(self.callsig("report", "x", "--format", "json").stdout)
        self.assertEqual((report["times"], report["overhead"], report["timed_one_in"]), ("exact", None, None))
        for row in report["rows"]:
            self.assertEqual((row["tottime_error"], row["cumtime_error"], row["timed_calls"], row["uncertain"]),
                             (0, 0, row["ncalls"], False))

    def test_budget(self):
        """Without one, one in 64 of short calls is timed; one that counting alone is beyond leaves fewer. The report says so, of merges too."""
        program = self.compile("program", """
            static __attribute__((noinline)) int leaf(int n) { __asm__ volatile(""); return n; }
            int main(void) { int sum = 0; for (int i = 0; i < 2000000; i++) sum += leaf(1); return sum == 0; }""")
        chosen = {}
        for name, options in (("default", []), ("budget", ["--overhead", "1.01"])):
            done = self.callsig("run", "-o", name, *options, program)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(self.callsig("report", name, "--format", "json").stdout)
            chosen[name] = report["overhead"], report["timed_one_in"]
        self.assertEqual(chosen["default"], (None, 64))
        self.assertEqual(chosen["budget"][0], 1.01)
        self.assertGreater(chosen["budget"][1], 64)
        self.assertIn(" at random (of short ones one in 64);", self.callsig("report", "default").stdout)
        self.assertEqual(self.callsig("merge", "-o", "m", "default", "budget").returncode, 0)
        table = self.callsig("report", "m").stdout
        self.assertIn(f"one in 64 to {chosen['budget'][1]} at the fewest; budget: 1.01 times the program's own time", table)

    def test_clock_and_times(self):
        """What the runtime says where times are sampled that would be exact, and where a budget cannot be kept."""
        program = self.compile("program", harness.CALLS)
        for options, words in ((["--clock", "cpu", "--times", "auto"], "the clock is not the wall's"),
                               (["--timeline", "--times", "auto"], "the timeline lacks calls"), (["--clock", "cpu"], None),
                               (["--timeline"], None)):
            done = self.callsig("run", "-o", "x", *options, program)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 1 if words else 0), done.stderr)
            self.assertIn(words or "", done.stderr)

    def test_library_alone_is_instrumented(self):
        self.compile("libpart.so", "int part(int n) { return n; }", "-shared", "-fPIC")
        user = self.compile("user", "int part(int); int main(void) { return part(5); }", "-Wl,-rpath,$ORIGIN",
                            instrument=False, libs=["-L.", "-l:libpart.so"])
        done = self.callsig("run", user)
        self.assertEqual(done.returncode, 5)
        self.assertTrue(any(name.endswith("part(n=5))") for name in self.rows(done.stderr)), done.stderr)

    def test_static_runtime(self):
        program = self.compile("program", harness.CALLS, libs=[os.path.join(harness.RUNTIME, "libcallsig.a")])
        done = self.callsig("run", program)
        self.assertEqual((done.returncode, len(self.rows(done.stderr))), (0, 4), done.stderr)
        static = self.compile("static", harness.CALLS, "-static", libs=[os.path.join(harness.RUNTIME, "libcallsig.a")])
        done = self.callsig("run", static)
        self.assertEqual((done.returncode, len(self.rows(done.stderr))), (0, 4), done.stderr)

    def test_sanitizers(self):
        """A program built with a sanitizer, whose runtime wants to be first, runs as it does alone."""
        for sanitizer in ("address", "undefined", "thread"):
            program = self.compile("program", harness.CALLS, "-fsanitize=" + sanitizer)
            done = self.callsig("run", program)
            self.assertEqual((done.returncode, len(self.rows(done.stderr))), (0, 4), done.stderr)

    def test_stripped(self):
        program = self.compile("program", harness.CALLS)
        subprocess.run(["strip", program], check=True)
        done = self.callsig("run", program)
        self.assertEqual(done.returncode, 0)
        told = [line for line in done.stderr.splitlines() if line.startswith("callsig: ")]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn("program: is stripped", told[0])
        self.assertIn("5 function calls", done.stderr)

    def test_no_debug_information(self):
        program = self.compile("program", harness.CALLS, "-g0")
        done = self.callsig("run", program)
        told = [line for line in done.stderr.splitlines() if line.startswith("callsig: ")]
        self.assertEqual((done.returncode, len(told)), (0, 1), done.stderr)
        self.assertIn("program: has no debug information", told[0])
        self.assertTrue(any("twice(?)" in name for name in self.rows(done.stderr)), done.stderr)


EXECUTES = """
#include <time.h>
#include <unistd.h>
static void work(int ms)
{
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += ms * 1000000L;
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - end.tv_sec) * 1000000000L + now.tv_nsec - end.tv_nsec < 0);
}
int main(int argc, char **argv)
{
  work(argc > 1 ? 300 : 10);
  return argc > 1 ? 0 : execl(argv[0], argv[0], "again", (char *)0);
}
"""


class Executed(harness.Case):
    def started(self, name):
        """When the recording began, by its header: seconds of CLOCK_MONOTONIC."""
        with open(self.path(name), "rb") as file:
            return struct.unpack_from("<Q", file.read(88), 80)[0] / 1e9

    def test_time_is_there_once(self):
        """What was open when the process executed another program ends there, and not with the process."""
        program = self.compile("again", EXECUTES)
        done = self.callsig("run", "--apart", "--times", "exact", "-o", "first", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        second, = (name for name in os.listdir(self.folder) if name.startswith("first."))
        times = {}
        for name in ("first", second):
            rows = json.loads(self.callsig("report", name, "--by", "function", "--format", "json").stdout)["rows"]
            times[name] = {row["function"]: row["cumtime"] for row in rows}
        self.assertGreaterEqual(times[second]["main"], 0.3)
        # In between lies what it takes to load the program.
        self.assertLessEqual(times["first"]["main"], self.started(second) - self.started("first") + 0.001)

    def test_time_is_there_once_in_one_recording(self):
        program = self.compile("again", EXECUTES)
        began = time.monotonic()
        done = self.callsig("run", "--times", "exact", "-o", "first", program)
        took = time.monotonic() - began
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(self.callsig("report", "first", "--by", "function", "--format", "json").stdout)["rows"]
        main, = (row for row in rows if row["function"] == "main")
        self.assertEqual(main["ncalls"], 2)
        self.assertGreaterEqual(main["cumtime"], 0.3)
        self.assertLessEqual(main["cumtime"], took)


class Signals(harness.Case):
    """A signal to the command reaches the program."""

    WAITS = """
        #include <signal.h>
        #include <stdio.h>
        #include <unistd.h>
        static volatile sig_atomic_t got;
        static void on(int n) { got = n; }
        int main(void) {
          sigset_t all, before; /* or one between the look and the wait would be slept over */
          sigfillset(&all);
          signal(SIGTERM, on); signal(SIGUSR1, on); signal(SIGINT, on); signal(SIGHUP, on);
          sigprocmask(SIG_BLOCK, &all, &before);
          puts("ready"); fflush(stdout);
          while (!got) sigsuspend(&before);
          return got; }"""

    def start(self, program, *options, **kwargs):
        process = subprocess.Popen([harness.CALLSIG, "run", "-o", "x", *options, program], cwd=self.folder,
                                   env=self.environment, stdout=subprocess.PIPE, text=True, **kwargs)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_handed_on(self):
        program = self.compile("program", self.WAITS)
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP):
            process = self.start(program)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=600), number)

    # Tells how often it was signalled, after each line; with an argument it leaves its group first.
    COUNTS = r"""
        #include <signal.h>
        #include <stdio.h>
        #include <unistd.h>
        static volatile sig_atomic_t count;
        static void on(int number) { count += number == SIGTERM; }
        int main(int argc, char **argv) {
          char line[16];
          struct sigaction action = { .sa_handler = on, .sa_flags = SA_RESTART };
          sigaction(SIGTERM, &action, NULL);
          if (argc > 1) setpgid(0, 0);
          puts("ready"); fflush(stdout);
          while (argv[0] && fgets(line, sizeof line, stdin)) { printf("%d\n", (int)count); fflush(stdout); }
          return 0; }"""

    @staticmethod
    def ask(process):
        process.stdin.write("\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    def counted(self, process, expected):
        """How often the program was signalled, when all that is expected has come, and some time later."""
        deadline = time.monotonic() + 60
        while self.ask(process) < expected and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        return self.ask(process)

    def start_counting(self, *arguments):
        program = self.compile("counts", self.COUNTS)
        process = subprocess.Popen([harness.CALLSIG, "run", "-o", "x", program, *arguments], cwd=self.folder, env=self.environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    @staticmethod
    def in_group(group):
        """The processes of the group that are alive: {id: name}."""
        found = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    head, _, rest = file.read().rpartition(")")
            except OSError:
                continue
            if rest.split()[2] == str(group) and rest.split()[0] != "Z":
                found[int(name)] = head.partition("(")[2]
        return found

    def test_sent_to_the_group(self):
        """As timeout(1) does: the program gets it once; what is sent to the command alone it gets, too."""
        process = self.start_counting()
        for expected in (1, 2, 3):
            os.killpg(process.pid, signal.SIGTERM)
            self.assertEqual(self.counted(process, expected), expected)
        for expected in (4, 5):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(self.counted(process, expected), expected)
        # By name, as killall(1) does.
        for number in [number for number, name in self.in_group(process.pid).items() if name == "callsig"]:
            os.kill(number, signal.SIGTERM)
        self.assertEqual(self.counted(process, 6), 6)
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(self.in_group(process.pid), {})

    def test_sent_to_the_group_that_it_left(self):
        process = self.start_counting("leaves")
        os.killpg(process.pid, signal.SIGTERM)
        self.assertEqual(self.counted(process, 1), 1)
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 0)

    def test_killed_itself(self):
        """Nothing is left of it but the program."""
        process = self.start_counting()
        process.kill()
        process.wait(timeout=60)
        deadline = time.monotonic() + 60
        while len(self.in_group(process.pid)) > 1 and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(list(self.in_group(process.pid).values()), ["counts"])
        process.stdin.close()

    def test_default_action(self):
        program = self.compile("program", '#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts("ready"); '
                               'fflush(stdout); for (;;) pause(); }')
        process = self.start(program)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=600), 128 + signal.SIGTERM)

    def test_ignored_and_asked_for(self):
        """As a script's `callsig run ... & kill -INT $!` has it: SIGINT is ignored, and the program handles it all the same."""
        program = self.compile("program", self.WAITS)
        for number in (signal.SIGINT, signal.SIGHUP):
            process = self.start(program, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), number)

    def test_ignored_stays_ignored(self):
        program = self.compile("program", '#include <signal.h>\n#include <stdio.h>\nint main(void) { struct sigaction a; '
                               'sigaction(SIGHUP, 0, &a); puts(a.sa_handler == SIG_IGN ? "ready" : "lost"); return 0; }')
        process = self.start(program, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(process.wait(timeout=600), 0)


if __name__ == "__main__":
    harness.main()
