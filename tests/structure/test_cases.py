#!/usr/bin/env python3
"""Where a file's cases name tests of it one by one, they name all: one that is in no case is never run, and nothing says so."""

import ast
import pathlib
import re
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]


def tests_of(text):
    """The classes and methods of unittest in a file, Class.test_method."""
    return [f"{node.name}.{method.name}" for node in ast.parse(text).body if isinstance(node, ast.ClassDef)
            for method in node.body if isinstance(method, ast.FunctionDef) and method.name.startswith("test_")]


def left_out(text):
    """Tests that no case of the file runs."""
    cases = [case.split() for case in re.findall(r"^# ctest: case \S+ \S+(.*)$", text, re.M)]
    named = {word for case in cases for word in case}
    tests = tests_of(text)
    known = set(tests) | {test.partition(".")[0] for test in tests}
    if not any(word in known for word in named) or any(not known & set(case) for case in cases):
        return []
    return [test for test in tests if test not in named and test.partition(".")[0] not in named]


class Cases(unittest.TestCase):
    def test_each_test_is_in_one(self):
        missing = {str(path.relative_to(TESTS)): left for path in sorted(TESTS.rglob("test_*.py")) if (left := left_out(path.read_text()))}
        self.assertEqual(missing, {}, "named in no \"ctest: case\" line of their file, so that they never run")

    def test_it_finds_one(self):
        text = "class A:\n  def test_one(self): pass\n  def test_two(self): pass\nclass B:\n  def test_one(self): pass\n"
        self.assertEqual(left_out("# ctest: case - quick A.test_one B\n" + text), ["A.test_two"])
        self.assertEqual(left_out("# ctest: case - quick A.test_one B\n# ctest: case _all full\n" + text), [])
        self.assertEqual(left_out("# ctest: case - quick --quick\n" + text), [])
        self.assertEqual(left_out(text), [])


if __name__ == "__main__":
    unittest.main()
