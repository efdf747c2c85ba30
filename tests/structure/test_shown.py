#!/usr/bin/env python3
"""What scripts/show_failed.py adds to ctest's summary: what was skipped within tests, and the end of what failed."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "show_failed.py"
PASSED = {
    "python": "skipped: test_x.X.test_y: no tool\nskipped: test_x.X.test_y: no tool\nOK (skipped=1)",
    "cmocka": "[ RUN      ] locales\n[  SKIPPED ] locales\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] locales",
    "plain": "OK (skipped=3)",
    "guest": "     fork clang -O0: not built, no clang\nok   fork gcc -O0",
    "whole": "OK",
}
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(small LANGUAGES NONE)
enable_testing()
foreach(name IN ITEMS {names})
  add_test(NAME ${{name}} COMMAND ${{CMAKE_COMMAND}} -E cat ${{CMAKE_SOURCE_DIR}}/${{name}})
endforeach()
{more}
"""
FAILS = "add_test(NAME fails COMMAND sh -c \"echo skipped: one; echo what went wrong; exit 3\")"


class Shown(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="callsig-shown-"))
        self.addCleanup(shutil.rmtree, self.top)
        for name, text in PASSED.items():
            (self.top / name).write_text(text + "\n")

    def shown(self, more):
        (self.top / "CMakeLists.txt").write_text(PROJECT.format(names=" ".join(PASSED), more=more))
        subprocess.run(["cmake", "-S", self.top, "-B", self.top / "build"], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["ctest", "--test-dir", self.top / "build"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return subprocess.run([sys.executable, SCRIPT, self.top / "build"], stdout=subprocess.PIPE, text=True, check=True).stdout

    def test_what_was_skipped(self):
        self.assertEqual(self.shown("").splitlines(), ["", "skipped within tests:", "    python: test_x.X.test_y: no tool", "    cmocka: locales",
                                                       "    plain: skipped=3", "    guest: fork clang -O0: not built, no clang"])

    def test_what_failed(self):
        text = self.shown(FAILS)
        self.assertIn("\nfails failed; the last of what it wrote:\n    skipped: one\n    what went wrong\n", text)
        self.assertNotIn("fails: one", text)
        self.assertNotIn("plain failed", text)


if __name__ == "__main__":
    unittest.main()
