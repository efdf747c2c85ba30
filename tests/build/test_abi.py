#!/usr/bin/env python3
"""scripts/abi.sh tells of what a library has lost, changed or gained, held against a copy of abi/ that was tampered with.

    tests/build/test_abi.py BUILD
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv.pop()) if len(sys.argv) > 1 else os.path.join(TOP, "build")
LIBRARY = "libcallsig-stats"


class Abi(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="callsig-abi-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, LIBRARY + ".abi")
        shutil.copy(os.path.join(TOP, "abi", LIBRARY + ".abi"), self.path)

    def tamper(self, pattern, replacement):
        """Makes what is kept differ from what the library is, in one place."""
        with open(self.path) as file:
            text, count = re.subn(pattern, replacement, file.read(), count=1)
        self.assertEqual(count, 1, pattern)
        with open(self.path, "w") as file:
            file.write(text)

    def abi(self, *options):
        return subprocess.run([os.path.join(TOP, "scripts", "abi.sh"), *options, "--abi", self.folder, BUILD, LIBRARY], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def check_finding(self, words):
        done = self.abi()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)
        self.assertIn("scripts/abi.sh --update", done.stderr)

    def test_same(self):
        done = self.abi()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_symbol_that_is_gone(self):
        self.tamper("(<elf-symbol name='callsig_stats_)free'", r"\1lost'")
        self.check_finding("callsig_stats_lost")
        with open(self.path) as file:
            before = file.read()
        done = self.abi("--update")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("another soname", done.stderr)
        with open(self.path) as file:
            self.assertEqual(file.read(), before)

    def test_symbol_that_is_gone_with_another_soname(self):
        self.tamper("(<elf-symbol name='callsig_stats_)free'", r"\1lost'")
        self.tamper("soname='libcallsig-stats.so.[0-9]+'", "soname='libcallsig-stats.so.older'")
        self.check_finding("callsig_stats_lost")
        self.assertEqual(self.abi("--update").returncode, 0)
        self.assertEqual(self.abi().returncode, 0)

    def test_structure_that_has_grown(self):
        self.tamper(r"(<class-decl name='callsig_stats_total' size-in-bits=')\d+'", r"\g<1>64'")
        self.check_finding("callsig_stats_total")
        self.assertEqual(self.abi("--update").returncode, 0)
        self.assertEqual(self.abi().returncode, 0)

    def test_new_symbol(self):
        self.tamper("<elf-symbol name='callsig_stats_reverse'[^\n]*\n", "")
        self.check_finding("callsig_stats_reverse")

    def test_nothing_kept(self):
        os.unlink(self.path)
        done = self.abi()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("is missing", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
