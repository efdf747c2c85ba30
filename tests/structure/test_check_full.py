#!/usr/bin/env python3
# ctest: name structure.check_full
# ctest: case - quick
"""scripts/check_full.py goes on where it was interrupted, begins anew for another tree, and sums all parts up."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_full.py"
# The second test of the first run kills ctest, which is its parent.
TESTS = """add_test(first "sh" "-c" "echo first >>ran")
add_test(second "sh" "-c" "echo second >>ran; if [ ! -e killed ]; then touch killed; kill -9 $PPID; fi")
add_test(third "sh" "-c" "echo third >>ran; exit 77")
set_tests_properties(third PROPERTIES SKIP_RETURN_CODE 77)
add_test(fourth "sh" "-c" "echo fourth >>ran; test -e mended")
"""


class CheckFull(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top, self.build = Path(folder.name), Path(folder.name) / "build"
        self.build.mkdir()
        (self.build / "CTestTestfile.cmake").write_text(TESTS)
        (self.top / ".gitignore").write_text("build\n")
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        for command in (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")):
            subprocess.run(["git", *command], cwd=self.top, check=True, env=environment)

    def check(self):
        done = subprocess.run([sys.executable, str(SCRIPT), "build", "ctest", "--test-dir", "build"], cwd=self.top, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def ran(self):
        file = self.build / "ran"
        names = file.read_text().split() if file.exists() else []
        file.unlink(missing_ok=True)
        return names

    def test_goes_on(self):
        status, said = self.check()
        self.assertEqual((status, self.ran()), (1, ["first", "second"]), said)
        self.assertRegex(said, "of 4 tests 1 passed, 0 were skipped, 0 failed, 3 have not run")
        status, said = self.check()
        self.assertEqual((status, self.ran()), (1, ["second", "third", "fourth"]), said)
        self.assertRegex(said, "1 of 4 tests have ended")
        self.assertRegex(said, r"skipped: third\nfailed: fourth \(Failed\)\n\n[0-9a-f]{40}: of 4 tests 2 passed, 1 were skipped, 1 failed, 0 have")
        self.assertEqual((self.build / "check-full" / "log").read_text().count("Passed"), 2)

    def test_begins_anew(self):
        self.check()
        self.ran()
        (self.top / "changed").touch()
        self.assertRegex(self.check()[1], "[0-9a-f]{40} and [0-9a-f]{16}: of 4")
        self.assertEqual(self.ran(), ["first", "second", "third", "fourth"])
        (self.build / "mended").touch()
        status, said = self.check()
        self.assertEqual((status, self.ran()), (0, ["first", "second", "third", "fourth"]), said)
        self.assertRegex(said, "of 4 tests 3 passed, 1 were skipped, 0 failed, 0 have not run")

    def test_a_line_that_was_cut_off(self):
        self.check()
        self.ran()
        with open(self.build / "check-full" / "results", "a", encoding="utf-8") as results:
            results.write("second\tPass")
        said = self.check()[1]
        self.assertEqual(self.ran(), ["second", "third", "fourth"])
        self.assertRegex(said, "of 4 tests 2 passed, 1 were skipped, 1 failed, 0 have not run")


if __name__ == "__main__":
    unittest.main()
