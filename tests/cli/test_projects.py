"""`make CC=callsig-cc` of real projects, from their Debian sources as they are: what they make is profiled, and does its work."""

import os
import shutil
import subprocess

import harness

COMPILER = harness.CALLSIG_CC + " --before-inlining"
SOURCES = os.path.join(harness.BUILD, "sources")


class Projects(harness.Case):
    def copy(self, package):
        done = subprocess.run([os.path.join(harness.TOP, "scripts", "get-sources.sh"), SOURCES, package], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.copytree(os.path.join(SOURCES, package), self.path(package))

    def build(self, folder, *commands):
        for command in commands:
            done = subprocess.run(command, cwd=self.path(folder), env=dict(self.environment, CC=COMPILER),
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
            self.assertEqual(done.returncode, 0, " ".join(command) + "\n" + done.stdout[-2000:] + done.stderr[-2000:])

    def profile(self, program, *arguments):
        """Runs the program under callsig. Returns its rows by function."""
        done = self.callsig("run", "-o", "recording", self.path(*program.split("/")), *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = self.callsig("report", "recording", "--strip-dirs", "--by", "function")
        return {name.split("(")[1][:-1]: row[0] for name, row in self.rows(report.stdout).items()}

    def test_zlib(self):
        self.copy("zlib")
        self.build("zlib", ["./configure"], ["make"], ["make", "test"])
        self.write("text", "hello hello hello\n" * 1000)
        self.assertIn("deflate_slow", self.profile("zlib/minigzip", "text"))
        rows = self.profile("zlib/minigzip", "-d", "text.gz")
        self.assertIn("inflate", rows)
        with open(self.path("text")) as file:
            self.assertEqual(file.read(), "hello hello hello\n" * 1000)

    def test_bzip2(self):
        self.copy("bzip2")
        self.build("bzip2", ["make", "CC=" + COMPILER])
        self.write("text", "hello hello hello\n" * 1000)
        self.assertEqual(self.profile("bzip2/bzip2", "text")["BZ2_compressBlock"], "1")
        self.assertIn("BZ2_decompress", self.profile("bzip2/bzip2", "-d", "text.bz2"))
        with open(self.path("text")) as file:
            self.assertEqual(file.read(), "hello hello hello\n" * 1000)

    def test_lua(self):
        self.copy("lua5.4")
        self.build("lua5.4", ["make", "-C", "src", "CC=" + COMPILER, "linux"])
        rows = self.profile("lua5.4/src/lua", "-e", "for i = 1, 10 do pcall(error, i) end")
        self.assertEqual(rows["luaB_error"], "10")

    def test_lua_with_sleds(self):
        """As the wrapper builds it by default: it works, and where it has sleds it calls no hook."""
        self.copy("lua5.4")
        self.build("lua5.4", ["make", "-C", "src", "CC=" + harness.CALLSIG_CC, "linux"])
        lua = self.path("lua5.4", "src", "lua")
        done = self.run_command(lua, "-e", "for i = 1, 10 do print(i, pcall(error, i)) end")
        self.assertEqual((done.returncode, done.stdout.splitlines()[9]), (0, "10\tfalse\t10"), done.stderr)
        has_sleds = "callsig_sleds" in self.run_command("readelf", "-SW", lua).stdout
        self.assertEqual("__cyg_profile_func_enter" in self.run_command("nm", lua).stdout, not has_sleds)
        self.assertEqual("sleds" in self.run_command(harness.CALLSIG_CC, "--callsig-help").stdout.split("(")[2], has_sleds)


if __name__ == "__main__":
    harness.main()
