#!/usr/bin/env python3
"""The preset of AddressSanitizer has the unit tests of every library but the runtime."""

import json
import pathlib
import re
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
# What runs inside hooks is built without instrumentation.
RUNTIME = {"profiler", "stack"}


def preset(kind, name):
    presets = json.loads((TOP / "CMakePresets.json").read_text())[f"{kind}Presets"]
    return next(one for one in presets if one["name"] == name)


class Sanitized(unittest.TestCase):
    def setUp(self):
        self.libraries = {path.name for path in (TOP / "tests" / "unit").iterdir() if path.is_dir()} - RUNTIME

    def test_are_run(self):
        pattern = re.compile(preset("test", "asan")["filter"]["include"]["name"])
        for library in self.libraries:
            for test in (TOP / "tests" / "unit" / library).glob("test_*"):
                with self.subTest(library=library, test=test.name):
                    self.assertTrue(pattern.match(f"unit.{library}.{test.stem.removeprefix('test_')}"))

    def test_are_built(self):
        self.assertLessEqual({f"test_{library}" for library in self.libraries}, set(preset("build", "asan")["targets"]))

    def test_are_there(self):
        """A library that goes by another name is left out in no silence."""
        self.assertLessEqual(RUNTIME, {path.name for path in (TOP / "tests" / "unit").iterdir()})
        self.assertGreater(len(self.libraries), 5)


if __name__ == "__main__":
    unittest.main()
