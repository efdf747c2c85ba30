"""callsig flags: what it prints compiles, links and records."""

import os
import shlex

import harness


class Flags(harness.Case):
    def flags(self, *arguments):
        done = self.callsig("flags", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 1)
        return shlex.split(done.stdout)

    def test_parts(self):
        cflags, libs = self.flags("--cflags"), self.flags("--libs")
        self.assertEqual(self.flags(), cflags + libs)
        self.assertIn("-finstrument-functions", cflags)
        self.assertIn("-g", cflags)
        self.assertIn("-lcallsig", libs)

    def test_compiler(self):
        for compiler in ("cc", "gcc", "clang"):
            self.assertEqual(self.flags("--cc", compiler), self.flags())
        self.assert_fails(self.callsig("flags", "--cc", "no-such-compiler"), 1, "--cc: no-such-compiler: No such file")
        self.assert_fails(self.callsig("flags", "--cc", "false"), 1, "--cc: ", "does not compile with")

    def test_program_that_records_itself(self):
        self.write("a.c", '#include <callsig/callsig.h>\n' + harness.CALLS)
        for compiler in ("gcc", "clang"):
            done = self.run_command(compiler, "-O2", *self.flags("--cflags"), "a.c", "-o", "a", *self.flags("--libs"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.run_command("./a").returncode, 0)
            self.assertTrue(os.path.exists(self.path("callsig.out")))
            report = self.callsig("report", "twice")
            self.assertEqual(report.returncode, 0, report.stderr)
            self.assertEqual(len(self.rows(report.stdout)), 2, report.stdout)
            os.unlink(self.path("callsig.out"))

    def test_program_that_is_run(self):
        self.write("a.c", harness.CALLS)
        done = self.run_command("cc", "-O2", *self.flags("--cflags"), "a.c", "-o", "a")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.callsig("run", "./a")
        self.assertEqual((done.returncode, len(self.rows(done.stderr))), (0, 4), done.stderr)


if __name__ == "__main__":
    harness.main()
