"""callsig flags: what it prints compiles, links and records, and is the best that the compiler has."""

import os
import shlex
import shutil

import harness

BEFORE = ["-g", "-finstrument-functions"]


def plugin_of(compiler, case):
    """The plug-in of a gcc in the build folder, or None."""
    major = case.run_command(compiler, "-dumpversion").stdout.strip().split(".")[0]
    path = os.path.join(harness.BUILD, "instrument", "gcc-" + major, "callsig_sleds.so")
    return path if os.path.exists(path) else None


class Flags(harness.Case):
    def flags(self, *arguments):
        done = self.callsig("flags", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 1)
        return shlex.split(done.stdout)

    def sections(self, path):
        return self.run_command("readelf", "-SW", path).stdout

    def test_parts(self):
        for shape in ((), ("--before-inlining",)):
            cflags, libs = self.flags("--cflags", *shape), self.flags("--libs", *shape)
            self.assertEqual(self.flags(*shape), cflags + libs)
            self.assertIn("-g", cflags)
            self.assertIn("-lcallsig", libs)
        self.assertEqual(self.flags("--cflags", "--before-inlining")[:2], BEFORE)

    def test_compiler(self):
        for compiler in ("cc", "gcc", "clang"):
            self.assertEqual(self.flags("--cc", compiler, "--before-inlining"), self.flags("--before-inlining"))
        self.assert_fails(self.callsig("flags", "--cc", "no-such-compiler"), 1, "--cc: no-such-compiler: No such file")
        self.assert_fails(self.callsig("flags", "--cc", "false"), 1, "--cc: ", "does not compile with")

    def test_sleds(self):
        self.write("a.c", harness.CALLS)
        for compiler, section in (("gcc", "callsig_sleds"), ("clang", "xray_instr_map")):
            if compiler == "gcc" and not plugin_of("gcc", self):
                continue
            flags = self.flags("--cc", compiler, "--cflags")
            for rest in ((), ("-flto",)):
                done = self.run_command(compiler, "-O2", *rest, *flags, "a.c", "-o", "a")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(section, self.sections("a"))
                self.assertEqual(self.run_command("./a").returncode, 0)
                self.assertNotIn("xray_init", self.run_command("nm", "a").stdout)

    def test_min_instructions(self):
        self.write("a.c", harness.CALLS)
        for compiler in ["clang"] + ["gcc"] * (plugin_of("gcc", self) is not None):
            sizes = {}
            for least in ("1", "6", "1000"):
                flags = self.flags("--cc", compiler, "--cflags", "--min-instructions", least)
                self.assertEqual(self.run_command(compiler, "-O2", *flags, "-c", "a.c", "-o", "a.o").returncode, 0)
                entries = [line.split() for line in self.sections("a.o").replace("[ ", "[").splitlines()
                           if "callsig_sleds " in line or " xray_instr_map" in line and ".rela" not in line]
                sizes[least] = sum(int(words[5], 16) for words in entries if not words[1].startswith(".rela"))
            self.assertGreater(sizes["1"], sizes["6"], compiler)
            self.assertEqual(sizes["1000"], 0, compiler)

    def test_calls(self):
        self.write("a.c", harness.CALLS + "static inline int small(int n) { return n + 1; }\nint f(int n) { return small(n); }\n")
        for compiler in ["clang"] + ["gcc"] * (plugin_of("gcc", self) is not None):
            flags = self.flags("--cc", compiler, "--cflags", "--calls")
            self.assertEqual(self.run_command(compiler, "-O2", *flags, "-S", "a.c", "-o", "a.s").returncode, 0)
            with open(self.path("a.s")) as file:
                text = file.read()
            # twice, work, main and f; small has been inlined.
            self.assertEqual(text.count("call\t__cyg_profile_func_enter") + text.count("callq\t__cyg_profile_func_enter"), 4,
                             compiler)

    def test_explain(self):
        done = self.callsig("flags", "--cc", "clang", "--explain")
        self.assertRegex(done.stderr, r"^callsig: flags: .*clang \(clang \d+\): sleds after inlining\n$")
        done = self.callsig("flags", "--cc", "gcc", "--before-inlining", "--explain")
        self.assertRegex(done.stderr, r"^callsig: flags: .*gcc \(gcc \d+\): calls of hooks before inlining\n$")

    def test_gcc_without_a_plugin(self):
        """A copy of the command without plug-ins beside it says that it takes the second best, and why."""
        for folder in ("cli", "profiler"):
            os.mkdir(self.path(folder))
        shutil.copy(harness.CALLSIG, self.path("cli", "callsig"))
        shutil.copy(os.path.join(harness.RUNTIME, "libcallsig.so.0"), self.path("profiler", "libcallsig.so.0"))
        command = self.path("cli", "callsig")
        done = self.run_command(command, "flags", "--cc", "gcc", "--cflags")
        self.assertEqual((done.returncode, shlex.split(done.stdout)[:2]), (0, BEFORE))
        self.assertRegex(done.stderr, r"^callsig: flags: .*gcc \(gcc \d+\): calls of hooks before inlining, for callsig has no plug-in "
                                      r"that this gcc takes\n$")
        done = self.run_command(command, "flags", "--cc", "gcc", "--cflags", "--before-inlining")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in (("--calls",), ("--min-instructions", "5")):
            self.assert_fails(self.run_command(command, "flags", "--cc", "gcc", "--cflags", *option), 1, "does not compile with")

    def test_no_compiler(self):
        done = self.callsig("flags", "--cflags", env={"PATH": self.folder})
        self.assert_fails(done, 1, "no compiler found (cc, gcc, clang)")
        self.assertEqual(self.callsig("flags", "--libs", env={"PATH": self.folder}).returncode, 0)

    def test_usage(self):
        self.assert_fails(self.callsig("flags", "--before-inlining", "--calls"), 2, "exclude each other")
        self.assert_fails(self.callsig("flags", "--before-inlining", "--min-instructions", "3"), 2, "exclude each other")
        for value in ("", "x", "-1", "1x", "1234567890"):
            self.assert_fails(self.callsig("flags", "--min-instructions", value), 2, "takes a whole number", f"'{value}'")

    def test_program_that_records_itself(self):
        self.write("a.c", '#include <callsig/callsig.h>\n' + harness.CALLS)
        for compiler in ("gcc", "clang"):
            done = self.run_command(compiler, "-O2", *self.flags("--cflags", "--before-inlining"), "a.c", "-o", "a",
                                    *self.flags("--libs"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.run_command("./a").returncode, 0)
            self.assertTrue(os.path.exists(self.path("callsig.out")))
            report = self.callsig("report", "twice")
            self.assertEqual(report.returncode, 0, report.stderr)
            self.assertEqual(len(self.rows(report.stdout)), 2, report.stdout)
            os.unlink(self.path("callsig.out"))

    def test_sleds_that_refer_to_nothing(self):
        """A linker that leaves out what is not needed keeps the library all the same, of both kinds."""
        self.write("a.c", harness.CALLS)
        static = os.path.join(harness.RUNTIME, "libcallsig.a")
        for compiler in ("gcc", "clang"):
            cflags, libs = self.flags("--cc", compiler, "--cflags"), self.flags("--libs")
            for link in (libs, [static if word == "-lcallsig" else word for word in libs] + ["-pthread"]):
                done = self.run_command(compiler, "-O0", "-Wl,--as-needed", *cflags, "a.c", "-o", "a", *link)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(self.run_command("./a", env={"CALLSIG_COMMAND": harness.CALLSIG}).returncode, 0)
                report = self.callsig("report", "twice")
                self.assertEqual(report.returncode, 0, report.stderr)
                self.assertEqual(len(self.rows(report.stdout)), 2, report.stdout)
                os.unlink(self.path("callsig.out"))

    def test_program_that_is_run(self):
        self.write("a.c", harness.CALLS)
        done = self.run_command("cc", "-O2", *self.flags("--cflags", "--before-inlining"), "a.c", "-o", "a")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.callsig("run", "./a")
        self.assertEqual((done.returncode, len(self.rows(done.stderr))), (0, 4), done.stderr)


if __name__ == "__main__":
    harness.main()
