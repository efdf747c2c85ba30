"""Debug information in .dwo files that are not there, or are not what they were: what is said of it, and when indexes are made anew."""

import os

import harness


class SplitDebug(harness.Case):
    def split(self, *options):
        """A program of two files with split debug information. Returns its path, and that of the .dwo file of `other`."""
        main = self.write("main.c", "int other(int);\nint main(void) { return other(4) - 5; }\n")
        other = self.write("other.c", "int other(int k) { return k + 1; }\n")
        program = self.path("split" + "".join(options))
        done = self.run_command("cc", "-g", "-O1", "-gsplit-dwarf", *options, main, other, "-o", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = [name for name in os.listdir(self.folder) if name.startswith(os.path.basename(program)) and name.endswith("other.dwo")]
        self.assertEqual(len(names), 1, names)
        return program, self.path(names[0])

    def lacking(self, done):
        """The lines of callsig's own, which are to be one that tells of debug information that is lacking."""
        said = [line for line in done.stderr.splitlines() if line.startswith("callsig: ") and " processes: " not in line]
        self.assertEqual((done.returncode, len(said)), (0, 1), done.stderr)
        self.assertIn("is not found, or is of another build, and arguments there are unknown", said[0])
        return said[0]

    def preload(self, program):
        """Runs it without `callsig run`. Returns what it said, and the table."""
        if os.path.exists(self.path("out")):
            os.unlink(self.path("out"))
        done = self.run_command(program, env={"LD_PRELOAD": os.path.join(harness.RUNTIME, "libcallsig.so"), "CALLSIG_COMMAND": harness.CALLSIG,
                                              "CALLSIG_OUTPUT": self.path("out")})
        return done, self.callsig("report", "out").stdout

    def test_missing_dwo(self):
        """Debug information that is not there is said to be in every run, and found once it is there again."""
        for version in "5", "4":  # each of which has its own way of telling the name
            program, dwo = self.split("-gdwarf-" + version, "-finstrument-functions")
            os.rename(dwo, self.path("away"))
            for _ in range(2):
                done, table = self.preload(program)
                self.lacking(done)
                self.assertIn("other(?)", table)
                done = self.callsig("run", program)
                self.assertIn(f": {dwo};", self.lacking(done))
                self.assertIn("other(?)", done.stderr)
            os.rename(self.path("away"), dwo)
            done, table = self.preload(program)
            self.assertNotIn("callsig: ", done.stderr)
            self.assertIn("other(k=4)", table)
            done = self.callsig("run", program)
            self.assertNotIn("callsig: ", done.stderr)
            self.assertIn("other(k=4)", done.stderr)

    def test_missing_dwo_is_not_indexed_again(self):
        """An index is made anew where less is lacking, and only there; without the runtime's help for a program that one executes."""
        program, dwo = self.split("-finstrument-functions")
        os.rename(dwo, self.path("away"))
        self.lacking(self.callsig("run", program))
        cache = self.environment["CALLSIG_CACHE_DIR"]
        made = {name: os.stat(os.path.join(cache, name)).st_mtime_ns for name in os.listdir(cache)}
        self.lacking(self.callsig("run", program))
        self.lacking(self.callsig("index", "--cache", program))
        shell = self.compile("shell", "#include <stdlib.h>\nint main(void) { return system(\"./%s && ./%s\"); }\n" % ((os.path.basename(program),) * 2))
        self.lacking(self.callsig("run", shell))
        self.assertEqual({name: os.stat(os.path.join(cache, name)).st_mtime_ns for name in made}, made)
        os.rename(self.path("away"), dwo)
        done = self.callsig("run", shell)
        self.assertNotIn("unknown", done.stderr)
        self.assertIn("other(k=4)", done.stderr)

    def test_dwo_of_another_build(self):
        program, dwo = self.split("-finstrument-functions")
        os.rename(dwo, self.path("away"))
        self.run_command("cc", "-g", "-O1", "-gsplit-dwarf", "-DX", "-c", "main.c", "-o", dwo[:-len(".dwo")] + ".o")
        self.assertTrue(os.path.exists(dwo))
        self.assertIn(f"1 of its files is not found, or is of another build, and arguments there are unknown: {dwo};",
                      self.lacking(self.callsig("index", program)))

    def test_fifo_for_dwo(self):
        """Nobody waits for who would write to it."""
        program, dwo = self.split("-finstrument-functions")
        os.unlink(dwo)
        os.mkfifo(dwo)
        self.assertIn(dwo, self.lacking(self.callsig("index", program, timeout=60)))
        self.lacking(self.callsig("run", program, timeout=60))
        self.lacking(self.callsig("index", "--verify", program, timeout=60))

    def test_missing_dwo_without_hooks(self):
        """What nobody asks for is not missed."""
        program, dwo = self.split()
        os.unlink(dwo)
        self.assertNotIn("dwo", self.callsig("index", program).stderr)


if __name__ == "__main__":
    harness.main()
