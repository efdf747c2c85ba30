"""With musl in place of the GNU C library, one sentence says so wherever somebody meets it."""

import glob
import os
import shutil
import unittest

import harness

NEEDS = "libcallsig needs the GNU C library"


class Musl(harness.Case):
    def refused(self, compiler, *options):
        done = self.run_command(harness.CALLSIG_CC, *options, env={"CALLSIG_CC": compiler})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"callsig-cc: {compiler}: links with musl, and {NEEDS}; name a compiler of that in CALLSIG_CC\n")

    def test_run(self):
        program = self.compile("program", harness.CALLS, "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
        self.assert_fails(self.callsig("run", program), 1, "program: is linked with musl, and " + NEEDS)

    def test_compilers(self):
        """By the compiler's name: it says nothing else of its C library."""
        self.write("musl-gcc", "#!/bin/sh\nexec gcc \"$@\"\n", 0o755)
        self.write("a.c", harness.CALLS)
        sentence = "musl-gcc links with musl, and " + NEEDS
        self.assert_fails(self.callsig("flags", "--cc", "./musl-gcc"), 1, sentence)
        for options in (("-c", "a.c"), ("a.c", "-o", "a"), ("--before-inlining", "a.c", "-o", "a")):
            self.refused("./musl-gcc", *options)
        self.refused("clang", "--target=x86_64-linux-musl", "-c", "a.c")
        done = self.run_command(harness.CALLSIG_CC, "-E", "a.c", env={"CALLSIG_CC": "./musl-gcc"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("musl-gcc"), "musl-gcc is not installed")
    def test_link(self):
        archive = glob.glob(os.path.join(harness.BUILD, "profiler", "libcallsig.a"))
        self.assertTrue(archive, "no libcallsig.a in the build folder")
        self.write("a.c", harness.CALLS)
        for kind in ((), ("-static",)):
            done = self.run_command("musl-gcc", "-g", "-finstrument-functions", *kind, "a.c", *archive, "-o", "a")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(NEEDS + ": musl lacks its setcontext()", done.stderr)
            done = self.run_command("gcc", "-g", "-finstrument-functions", *kind, "a.c", *archive, "-o", "a")
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    harness.main()
