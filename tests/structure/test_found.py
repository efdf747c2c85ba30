#!/usr/bin/env python3
"""cmake/tests.cmake finds a test by its file alone, and stops at what would leave one out in silence."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "tests.cmake"
PROJECT = f"""
cmake_minimum_required(VERSION 3.22)
project(small LANGUAGES NONE)
enable_testing()
set(Python3_EXECUTABLE python3)
set(EXTRA told)
include({TESTS})
callsig_python_tests(small ${{CMAKE_CURRENT_LIST_DIR}}/tests/small/test_*.py)
callsig_check_tests()
"""


class Found(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="callsig-found-"))
        self.addCleanup(shutil.rmtree, self.top)
        self.write("CMakeLists.txt", PROJECT)
        self.write("tests/small/test_one.py", "")

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def configure(self):
        return subprocess.run(["cmake", "-S", self.top, "-B", self.top / "build"], text=True, capture_output=True)

    def listed(self):
        """What ctest would run: name -> (the words after the file, label, what else it has of properties)."""
        done = self.configure()
        self.assertEqual(done.returncode, 0, done.stderr)
        listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.top / "build", text=True, capture_output=True, check=True)
        found = {}
        for test in json.loads(listing.stdout)["tests"]:
            properties = {entry["name"]: entry["value"] for entry in test["properties"]}
            words = test["command"]
            file = next(i for i, word in enumerate(words) if word.endswith(".py"))
            found[test["name"]] = (words[file + 1:], *properties["LABELS"], properties.get("SKIP_RETURN_CODE"))
        return found

    def assert_stops(self, *words):
        done = self.configure()
        self.assertNotEqual(done.returncode, 0)
        for word in words:
            self.assertIn(word, " ".join(done.stderr.split()))

    def test_a_file_is_enough(self):
        self.assertEqual(self.listed(), {"small.one": ([], "quick", None)})
        self.write("tests/small/test_two.py", "")
        self.assertEqual(set(self.listed()), {"small.one", "small.two"})

    def test_needs(self):
        self.write("tests/small/test_two.py", "# ctest: arguments --with @EXTRA@\n# ctest: skips _long\n# ctest: case - quick\n"
                   "# ctest: case _long full --long 3\n# ctest: name other.two\n")
        self.assertEqual(self.listed(), {"small.one": ([], "quick", None), "other.two": (["--with", "told"], "quick", None),
                                        "other.two_long": (["--with", "told", "--long", "3"], "full", 77)})

    def test_target_of_a_program_builds_what_it_is_given(self):
        self.write("CMakeLists.txt", PROJECT.replace("NONE", "C").replace("callsig_check_tests()", '''
            callsig_unit_tests(part)
            add_executable(given EXCLUDE_FROM_ALL main.c)
            add_custom_target(made COMMAND ${CMAKE_COMMAND} -E touch made)
            set_target_properties(made PROPERTIES FILE ${CMAKE_CURRENT_BINARY_DIR}/made)
            callsig_check_tests()'''))
        self.write("main.c", "int main(void) { return 0; }\n")
        self.write("tests/unit/part/test_one.c", "/* ctest: arguments $<TARGET_FILE:given> */\nint main(void) { return 0; }\n")
        self.write("tests/unit/part/test_two.py", "# ctest: case - quick $<TARGET_PROPERTY:made,FILE>\n")
        self.assertEqual(self.configure().returncode, 0)
        for target, file in (("test_part_one", "given"), ("test_part_two", "made")):
            subprocess.run(["cmake", "--build", self.top / "build", "--target", target], check=True, capture_output=True)
            self.assertTrue((self.top / "build" / file).exists(), f"{target} leaves {file} out")

    def test_unknown_word(self):
        self.write("tests/small/test_one.py", "# ctest: argument --with\n")
        self.assert_stops("test_one.py", '"ctest: argument" is none of')

    def test_word_of_another_kind(self):
        self.write("tests/small/test_one.py", "# ctest: wrap malloc\n")
        self.assert_stops("test_one.py", '"ctest: wrap" is none of')

    def test_word_without_value(self):
        self.write("tests/small/test_one.py", "# ctest: case\n")
        self.assert_stops("test_one.py", '"ctest: case" has no value')

    def test_unknown_label(self):
        self.write("tests/small/test_one.py", "# ctest: case - slow\n")
        self.assert_stops("small.one", "neither quick nor full")

    def test_in_no_list(self):
        self.write("tests/elsewhere/test_lost.py", "")
        self.assert_stops("run by nothing", "test_lost.py")

    def test_unit_test_of_another_name(self):
        self.write("tests/unit/base/vector.c", "")
        self.assert_stops("run by nothing", "vector.c")

    def test_empty_folder(self):
        (self.top / "tests/small/test_one.py").unlink()
        self.assert_stops("no test matches")

    def test_no_tests(self):
        self.write("CMakeLists.txt", PROJECT.replace("callsig_python_tests", "set"))
        (self.top / "tests/small/test_one.py").unlink()
        self.assert_stops("there are no tests")


if __name__ == "__main__":
    unittest.main()
