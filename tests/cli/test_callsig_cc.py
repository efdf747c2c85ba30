"""callsig-cc: when it adds the flags, when it does not, and that real builds work with it."""

import json
import os
import shutil
import subprocess

import harness

FLAGS = ["-g", "-finstrument-functions"]


class Wrapper(harness.Case):
    """With a compiler that prints its arguments, one a line."""

    def setUp(self):
        super().setUp()
        self.echo = self.write("echo-cc", "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done\n", 0o755)

    def wrap(self, *arguments, **env):
        done = self.run_command(harness.CALLSIG_CC, *arguments, env={"CALLSIG_CC": self.echo, **env})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\n")[:-1]

    def assert_adds(self, *arguments):
        self.assertEqual(self.wrap(*arguments), [*arguments, *FLAGS])

    def assert_keeps(self, *arguments):
        self.assertEqual(self.wrap(*arguments), list(arguments))

    def test_compiles(self):
        self.assert_adds("-c", "a.c")
        self.assert_adds("-S", "a.c")
        self.assert_adds("a.c", "-o", "a")
        self.assert_adds("-O2", "-DX=1 2", "a.c", "b.o", "-o", "a b")
        self.assert_adds("-MMD", "-MF", "a.d", "-c", "a.c")
        for name in ("a.cc", "a.cpp", "a.cxx", "a.C", "a.c++", "a.i", "a.ii", "a.h", "a.hpp"):
            self.assert_adds("-c", name)
        self.assert_adds("@options")

    def test_language(self):
        self.assert_adds("-x", "c", "-c", "/dev/null", "-o", "/dev/null")
        self.assert_adds("-xc++", "-c", "a")
        self.assert_adds("-x", "c++", "-")
        self.assert_adds("-x", "assembler", "a.s", "-x", "none", "b.c")
        self.assert_keeps("-x", "assembler", "-c", "a.c")
        self.assert_keeps("-x", "assembler-with-cpp", "-c", "a.c")

    def test_passes_the_rest(self):
        self.assert_keeps()
        self.assert_keeps("--version")
        self.assert_keeps("--help")
        self.assert_keeps("-v")
        self.assert_keeps("-dumpmachine")
        self.assert_keeps("a.o", "b.a", "-lm", "-o", "a")
        self.assert_keeps("a.o", "-o", "a.c")
        self.assert_keeps("-c", "a.s")
        self.assert_keeps("-c", "a.S")
        self.assert_keeps("-E", "a.c")
        self.assert_keeps("-M", "a.c")
        self.assert_keeps("a.c", "-fsyntax-only")
        self.assert_keeps("-shared", "-Wl,-soname,x.c", "-o", "libx.so", "a.o")

    def test_compiler_with_words(self):
        self.assertEqual(self.wrap("-c", "a.c", CALLSIG_CC=self.echo + " --first  -m64"),
                         ["--first", "-m64", "-c", "a.c", *FLAGS])

    def test_project_that_asks_for_hooks(self):
        """It has them already, in its way."""
        for option in ("-finstrument-functions", "-finstrument-functions-after-inlining"):
            self.assertEqual(self.wrap(option, "-c", "a.c"), [option, "-c", "a.c", "-g"])
        self.assert_adds("-finstrument-functions-exclude-file-list=x", "-c", "a.c")

    def test_shapes(self):
        """By makers that have them: a compiler that says it is gcc without a plug-in, and one that says it is clang."""
        gcc = self.write("gcc-1", "#!/bin/sh\ncase $1 in\n--version) echo Free Software Foundation ;;\n-dumpversion) echo 1 ;;\n"
                                  "*) for a in \"$@\"; do printf '%s\\n' \"$a\"; done ;;\nesac\n", 0o755)
        clang = self.write("clang-1", "#!/bin/sh\nif [ \"$1\" = --version ]; then echo clang; exit; fi\n"
                                      "for a in \"$@\"; do printf '%s\\n' \"$a\"; done\n", 0o755)
        xray = ["-Xclang", "-fxray-instrument", "-Xclang"]
        for compiler, options, added in (
                (gcc, (), FLAGS), (gcc, ("--before-inlining",), FLAGS),
                (clang, (), ["-g", *xray, "-fxray-instruction-threshold=1"]),
                (clang, ("--min-instructions", "9"), ["-g", *xray, "-fxray-instruction-threshold=9"]),
                (clang, ("--min-instructions=9",), ["-g", *xray, "-fxray-instruction-threshold=9"]),
                (clang, ("--calls",), ["-g", "-finstrument-functions-after-inlining"]),
                (clang, ("--before-inlining",), FLAGS)):
            self.assertEqual(self.wrap(*options, "-c", "a.c", CALLSIG_CC=compiler), ["-c", "a.c", *added])
            self.assertEqual(self.wrap(*options, "a.o", CALLSIG_CC=compiler), ["a.o"])
        for compiler, options in ((gcc, ("--calls",)), (gcc, ("--min-instructions", "9")), (self.echo, ("--calls",)),
                                  (clang, ("--calls", "--min-instructions", "9"))):
            self.refused(*options, "-c", "a.c", CALLSIG_CC=compiler)

    def refused(self, *arguments, **env):
        done = self.run_command(harness.CALLSIG_CC, *arguments, env={"CALLSIG_CC": self.echo, **env})
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (1, "", 1), done.stderr)
        self.assertTrue(done.stderr.startswith("callsig-cc: "), done.stderr)
        return done.stderr

    def test_usage(self):
        for value in ("x", "-1", "1x", "1234567890"):
            self.assertIn(f"'{value}'", self.refused("--min-instructions", value, "-c", "a.c"))
        self.assertIn("needs a number", self.refused("--min-instructions"))
        self.assertIn("exclude each other", self.refused("--before-inlining", "--min-instructions", "3", "-c", "a.c"))
        for shapes in ("--before-inlining", "--calls"), ("--calls", "--before-inlining"):
            self.assertIn("--before-inlining and --calls exclude each other", self.refused(*shapes, "-c", "a.c"))

    def test_own_options(self):
        done = self.run_command(harness.CALLSIG_CC, "--callsig-version")
        self.assertRegex(done.stdout, r"^callsig-cc \d+\.\d+\.\d+\n$")
        done = self.run_command(harness.CALLSIG_CC, "--callsig-help")
        self.assertIn("usage: callsig-cc", done.stdout)
        for option in "--callsig-help", "--callsig-version":
            with open("/dev/full", "w") as full:
                done = subprocess.run([harness.CALLSIG_CC, option], stdout=full, stderr=subprocess.DEVNULL, env=self.environment)
            self.assertEqual(done.returncode, 1)

    def test_errors(self):
        done = self.run_command(harness.CALLSIG_CC, "-c", "a.c", env={"CALLSIG_CC": "callsig-cc"})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("CALLSIG_CC is callsig-cc itself", done.stderr)
        os.symlink(harness.CALLSIG_CC, self.path("another"))
        for name in (self.path("another"), "env X=1 " + self.path("another")):
            done = self.run_command(harness.CALLSIG_CC, "-c", self.write("a.c", "int x;\n"), env={"CALLSIG_CC": name}, timeout=20)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("CALLSIG_CC leads to callsig-cc itself", done.stderr)
        done = self.run_command("/bin/sh", harness.CALLSIG_CC, "-c", "a.c", env={"PATH": self.folder})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no compiler found", done.stderr)

    def test_exit_status(self):
        compiler = self.write("bad-cc", "#!/bin/sh\nexit 7\n", 0o755)
        done = self.run_command(harness.CALLSIG_CC, "a.c", env={"CALLSIG_CC": compiler})
        self.assertEqual(done.returncode, 7)


class Real(harness.Case):
    """With the compilers themselves."""

    def hooks(self, path):
        """Whether it is instrumented, in either way."""
        done = subprocess.run(["readelf", "-SsW", path], stdout=subprocess.PIPE, text=True)
        return any(name in done.stdout for name in ("__cyg_profile_func_enter", "callsig_sleds", "xray_instr_map"))

    def test_compile_and_link(self):
        self.write("a.c", harness.CALLS)
        self.write("b.s", '.section .note.GNU-stack,"",@progbits\n')
        for compiler in ("gcc", "clang"):
            env = {"CALLSIG_CC": compiler}
            for command in (("-c", "a.c", "-o", "a.o"), ("-c", "b.s", "-o", "b.o"), ("a.o", "b.o", "-o", "a"),
                            ("-S", "-O2", "a.c", "-o", "c.s"), ("c.s", "b.s", "-o", "c")):
                done = self.run_command(harness.CALLSIG_CC, *command, env=env)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertTrue(self.hooks(self.path("a")) and self.hooks(self.path("c")))
            self.assertEqual(self.run_command(self.path("a")).returncode, 0)

    def test_note_on_calls_of_hooks(self):
        """Below a table with times that hold the hooks' cost, and of which it was taken off, and only where the program calls them."""
        self.write("a.c", harness.CALLS)
        for compiler in ("gcc", "clang"):
            for options, is_said in (((), False), (("--before-inlining",), True)):
                done = self.run_command(harness.CALLSIG_CC, *options, "a.c", "-o", "a", env={"CALLSIG_CC": compiler})
                self.assertEqual(done.returncode, 0, done.stderr)
                for times in ("auto", "exact"):
                    self.assertEqual(self.run_command(harness.CALLSIG, "run", "--times", times, "-o", "out", self.path("a")).returncode, 0)
                    table = self.run_command(harness.CALLSIG, "report", "--compensate", "out").stdout
                    self.assertIn("\ncompensated: ", table)
                    self.assertNotIn("times hold what the hooks took", table)
                    self.assertEqual("\nhooks are calls in the program's code " in table, is_said, table)

    def test_note_passes_over_the_library_of_mpi(self):
        """Its rows are calls of hooks whatever the program is."""
        self.write("part.c", "int part(int n) { return n; }\n")
        self.write("a.c", "int part(int n);\nint main(void) { return part(0); }\n")
        for library, is_said in (("./libpart.so", True), ("./libcallsig-mpi-openmpi.so", False)):
            for command in (("--before-inlining", "-shared", "-fPIC", "part.c", "-o", library), ("a.c", library, "-o", "a")):
                self.assertEqual(self.run_command(harness.CALLSIG_CC, *command, env={"CALLSIG_CC": "gcc"}).returncode, 0)
            self.assertEqual(self.run_command(harness.CALLSIG, "run", "-o", "out", self.path("a")).returncode, 0)
            table = self.run_command(harness.CALLSIG, "report", "--compensate", "out").stdout
            self.assertIn("part(n=0)", table)
            self.assertEqual("\nhooks are calls in the program's code " in table, is_said, table)

    def test_note_on_times_that_hold_hooks(self):
        """Below a table of a run in which every call was timed, unless the hooks are taken off, or --raw asks for what the clock read."""
        self.write("a.c", "static __attribute__((noinline)) void leaf(void) { __asm__ volatile(\"\"); }\n"
                          "int main(void) { for (int i = 0; i < 200000; i++) leaf(); return 0; }\n")
        said = "every call was timed: times hold what the hooks took, "
        for options, calls_hooks in ((), False), (("--before-inlining",), True):
            self.assertEqual(self.run_command(harness.CALLSIG_CC, *options, "a.c", "-o", "a").returncode, 0)
            for run in (("--times", "exact"), ("--timeline",)):
                self.assertEqual(self.run_command(harness.CALLSIG, "run", *run, "-o", "out", self.path("a")).returncode, 0)
                table = self.run_command(harness.CALLSIG, "report", "out").stdout
                self.assertIn(said, table)
                self.assertEqual("\nhooks are calls in the program's code " in table, calls_hooks, table)
                notes = json.loads(self.run_command(harness.CALLSIG, "report", "--format", "json", "out").stdout)["notes"]
                self.assertTrue(any(said in note for note in notes), notes)
                for option in ("--compensate", "--raw"):
                    self.assertNotIn(said, self.run_command(harness.CALLSIG, "report", option, "out").stdout)
            self.assertEqual(self.run_command(harness.CALLSIG, "run", "-o", "out", self.path("a")).returncode, 0)
            self.assertNotIn(said, self.run_command(harness.CALLSIG, "report", "out").stdout)

    def test_link_time_code(self):
        """Code that is made at the link has sleds too, or hooks, as it was asked for."""
        self.write("a.c", harness.CALLS)
        for compiler in ("gcc", "clang"):
            for option in ((), ("--before-inlining",), ("--calls",)):
                env = {"CALLSIG_CC": compiler}
                if option == ("--calls",) and self.run_command(harness.CALLSIG_CC, *option, "-c", "a.c", env=env).returncode:
                    continue
                for command in (("-O2", "-flto", "-c", "a.c", "-o", "a.o"), ("-O2", "-flto", "a.o", "-o", "a")):
                    done = self.run_command(harness.CALLSIG_CC, *option, *command, env=env)
                    self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(self.hooks(self.path("a")), (compiler, option))
                self.assertEqual(self.run_command(self.path("a")).returncode, 0)

    def test_plugin_by_a_link(self):
        """The wrapper finds gcc's plug-in from where it lies, not from where a link to it does."""
        self.write("a.c", harness.CALLS)
        os.symlink(harness.CALLSIG_CC, self.path("link-cc"))
        sections = []
        for wrapper in (harness.CALLSIG_CC, self.path("link-cc")):
            self.assertEqual(self.run_command(wrapper, "-c", "a.c", env={"CALLSIG_CC": "gcc"}).returncode, 0)
            sections.append(self.run_command("readelf", "-SW", "a.o").stdout)
        self.assertEqual(*sections)

    def test_narrow_code(self):
        """Code that is not for 64 bits, as a project's boot loader, is compiled as it would be without the wrapper."""
        self.write("a.c", "int f(int n) { return n + 1; }\n")
        for compiler in "gcc", "clang":
            if not shutil.which(compiler):
                self.skipTest(f"{compiler} is not installed")
            for option in "-m32", "-m16", "-mx32":
                plain = self.run_command(compiler, "-O1", option, "-c", "a.c")
                self.assertEqual(plain.returncode, 0, plain.stderr)
                code = self.run_command("objdump", "-d", "a.o").stdout
                done = self.run_command(harness.CALLSIG_CC, "-O1", option, "-c", "a.c", env={"CALLSIG_CC": compiler})
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 1), done.stderr)
                self.assertIn(f"code of {option} is not instrumented", done.stderr)
                self.assertEqual(self.run_command("objdump", "-d", "a.o").stdout, code)
            done = self.run_command(harness.CALLSIG_CC, "-m32", "-m64", "-c", "a.c", env={"CALLSIG_CC": compiler})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(".debug_info", self.run_command("readelf", "-SW", "a.o").stdout)

    def test_narrow_code_in_other_words(self):
        """The same however it is asked for: in CALLSIG_CC, in a file of options, and by the target."""
        self.write("a.c", "int f(int n) { return n + 1; }\n")
        self.write("wide", "-O1\n-DX='-m32 '\n-m64\n")
        self.write("narrow", "-DX=1 -m32\n")
        self.write("bpf", '"-target"\nbpf\n')
        for compiler, arguments, told in (
                ("clang -m32", (), "-m32"), ("gcc -mx32", (), "-mx32"), ("gcc -m16 -DY", ("--before-inlining",), "-m16"),
                ("gcc", ("@narrow",), "-m32"), ("clang", ("@bpf",), "bpf"), ("clang", ("-miamcu",), "-miamcu"),
                ("clang", ("--target=i386-linux-gnu",), "i386-linux-gnu"), ("clang", ("-target", "i386-linux-musl"), "i386-linux-musl"),
                ("clang", ("--target=x86_64-linux-gnux32",), "x86_64-linux-gnux32"), ("clang -target bpf", (), "bpf"),
                ("clang", ("-target", "wasm32"), "wasm32"), ("clang", ("--target=riscv64-linux-gnu", "-m64"), "riscv64-linux-gnu"),
                ("clang -m32", ("-m64",), None), ("gcc", ("-m32", "@wide"), None), ("clang", ("--target=i386-linux-gnu", "-m64"), None),
                ("clang", ("-target", "x86_64-linux-gnu"), None)):
            if not shutil.which(compiler.split()[0]):
                self.skipTest(f"{compiler} is not installed")
            own = [argument for argument in arguments if argument == "--before-inlining"]
            command = [argument for argument in arguments if argument not in own] + ["-O1", "-c", "a.c", "-o"]
            self.assertEqual(self.run_command(*compiler.split(), *command, "plain.o").returncode, 0)
            done = self.run_command(harness.CALLSIG_CC, *own, *command, "a.o", env={"CALLSIG_CC": compiler})
            self.assertEqual(done.returncode, 0, done.stderr)
            if told:
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"code of {told} is not instrumented", done.stderr)
                with open(self.path("plain.o"), "rb") as plain, open(self.path("a.o"), "rb") as made:
                    self.assertEqual(plain.read(), made.read(), (compiler, arguments))
            else:
                self.assertEqual(done.stderr, "", (compiler, arguments))
                self.assertTrue(self.hooks(self.path("a.o")), (compiler, arguments))

    def test_compiler_of_narrow_code(self):
        """A compiler that says of itself that it makes code for another processor."""
        gcc = self.write("gcc-1", "#!/bin/sh\ncase $1 in\n--version) echo Free Software Foundation ;;\n-dumpmachine) echo riscv64-linux-gnu ;;\n"
                                  "*) echo \"$@\" ;;\nesac\n", 0o755)
        done = self.run_command(harness.CALLSIG_CC, "-c", "a.c", env={"CALLSIG_CC": gcc})
        self.assertEqual((done.returncode, done.stdout), (0, "-c a.c\n"))
        self.assertIn("code of riscv64-linux-gnu is not instrumented", done.stderr)
        done = self.run_command(harness.CALLSIG_CC, "--callsig-help", env={"CALLSIG_CC": gcc})
        self.assertIn("nothing: callsig does not profile code of riscv64-linux-gnu", done.stdout)

    def test_cxx_from_stdin(self):
        done = self.run_command("sh", "-c", f"echo 'int f() {{ return 1; }} int main() {{ return f() - 1; }}' | "
                                f"CALLSIG_CC=g++ {harness.CALLSIG_CC} -x c++ - -o d")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(self.hooks(self.path("d")))

    def test_preprocessed_text_is_the_same(self):
        self.write("a.c", harness.CALLS)
        plain = self.run_command("gcc", "-E", "-dM", "a.c").stdout
        self.assertEqual(self.run_command(harness.CALLSIG_CC, "-E", "-dM", "a.c", env={"CALLSIG_CC": "gcc"}).stdout, plain)

    def test_make(self):
        self.write("a.c", harness.CALLS)
        self.write("Makefile", "CFLAGS = -O2 -g0\na: a.o\n\t$(CC) $(CFLAGS) -o $@ a.o\na.o: a.c\n"
                               "\t$(CC) $(CFLAGS) -c a.c\n")
        done = self.run_command("make", "CC=" + harness.CALLSIG_CC)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.hooks(self.path("a")))
        self.assertIn(".debug_info", self.run_command("readelf", "-SW", "a").stdout)


if __name__ == "__main__":
    harness.main()
