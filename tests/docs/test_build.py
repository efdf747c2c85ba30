"""What the pages say of the build is so: the picture of the rooms is the stated order, and the tests that they name exist.

    CALLSIG_BUILD=BUILD python3 tests/docs/test_build.py --write-picture

puts the picture of BUILD, a configured build folder, into docs/architecture.md.
"""

import json
import os
import re
import subprocess
import sys
import unittest

import pages

BUILD = os.path.abspath(os.environ.get("CALLSIG_BUILD", pages.TOP / "build"))
ARCHITECTURE = pages.TOP / "docs" / "architecture.md"
CONTRIBUTING = pages.TOP / "CONTRIBUTING.md"


def picture():
    """The rooms as a Mermaid diagram, from what the CMakeLists.txt state."""
    return subprocess.run([sys.executable, str(pages.TOP / "scripts" / "check_rooms.py"), BUILD, "--draw"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def write_picture():
    """Puts the picture into the page, in the place of the one that is there."""
    before, fence, rest = ARCHITECTURE.read_text().partition("```mermaid\n")
    ARCHITECTURE.write_text(before + fence + picture() + rest[rest.index("```"):])


def tests():
    """The names of all tests: of this build, and of the preset asan those that have no other."""
    shown = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True).stdout
    fuzzed = sorted(path.stem.removeprefix("fuzz_") for path in (pages.TOP / "tests" / "fuzz").glob("fuzz_*.c"))
    return [test["name"] for test in json.loads(shown)["tests"]] + [f"fuzz.{what}" for what in fuzzed]


class Build(unittest.TestCase):
    def test_picture(self):
        shown = [text for language, text in pages.blocks(ARCHITECTURE.read_text()) if language == "mermaid"]
        self.assertEqual(len(shown), 1, "one picture")
        self.maxDiff = None
        self.assertEqual(shown[0].splitlines(), picture().splitlines(),
                         "python3 tests/docs/test_build.py --write-picture draws it anew")

    def test_table_of_changes_names_tests(self):
        known = tests()
        rows = [line for line in ARCHITECTURE.read_text().partition("## Where do I change")[2].splitlines() if line.startswith("| ")]
        self.assertGreater(len(rows), 10)
        for row in rows:
            for name in pages.INLINE.findall(row.split("|")[-2]):
                with self.subTest(test=name):
                    self.assertTrue([test for test in known if (test + ".").startswith(name + ".")], "no such test")

    def test_recipes_name_tests(self):
        known, checked = tests(), 0
        for pattern in re.findall(r"ctest [^\n`]*-R '([^']+)'", CONTRIBUTING.read_text()):
            for part in pattern.split("|"):
                if not re.search(r"NAME|WHAT", part):
                    checked += 1
                    with self.subTest(pattern=part):
                        self.assertTrue([test for test in known if re.search(part, test)], "it finds no test")
        self.assertGreater(checked, 5)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write-picture"]:
        write_picture()
    else:
        unittest.main()
