#!/usr/bin/env python3
"""The judge of the arguments oracle is itself judged: it must accept what agrees and refuse what does not."""

import unittest

import matching
import names


def seen(*values):
    return {"args": [[f"a{i}", list(value)] for i, value in enumerate(values)]}


def row(ncalls, *values):
    return {"ncalls": ncalls, "args": [{"name": f"a{i}", "state": "lost" if value == "?" else "read",
                                        "value": None if value == "?" else int(value)} for i, value in enumerate(values)]}


class Matching(unittest.TestCase):
    def judge(self, records, rows):
        outcomes, unpaired, spare = matching.pair(records, rows)
        return dict(+outcomes), len(unpaired), len(spare)

    def test_equal_calls_in_any_order(self):
        records = [seen(("integer", "1")), seen(("integer", "2")), seen(("integer", "1"))]
        self.assertEqual(self.judge(records, [row(1, "2"), row(2, "1")]), ({"equal": 3}, 0, 0))

    def test_one_wrong_value(self):
        records = [seen(("integer", "1")), seen(("integer", "2"))]
        self.assertEqual(self.judge(records, [row(1, "1"), row(1, "3")])[1:], (1, 1))

    def test_right_values_with_wrong_counts(self):
        records = [seen(("integer", "1")), seen(("integer", "2")), seen(("integer", "2"))]
        self.assertEqual(self.judge(records, [row(2, "1"), row(1, "2")])[1:], (1, 1))

    def test_values_of_two_calls_mixed(self):
        records = [seen(("integer", "1"), ("integer", "2")), seen(("integer", "3"), ("integer", "4"))]
        self.assertEqual(self.judge(records, [row(1, "1", "4"), row(1, "3", "2")])[1], 2)

    def test_lost_values_pair_with_what_is_left(self):
        records = [seen(("integer", "1")), seen(("lost", "")), seen(("integer", "2"))]
        outcomes, unpaired, _ = self.judge(records, [row(1, "?"), row(1, "1"), row(1, "5")])
        self.assertEqual((outcomes, unpaired), ({"equal": 1, "only gdb": 1, "only callsig": 1}, 0))

    def test_a_pairing_is_found_where_the_first_choice_is_wrong(self):
        records = [seen(("lost", ""), ("integer", "1")), seen(("integer", "7"), ("integer", "1"))]
        self.assertEqual(self.judge(records, [row(1, "7", "1"), row(1, "8", "1")])[1], 0)

    def test_parameters_of_one_name(self):
        def pack(*values):
            return {"args": [["a", ["integer", value]] for value in values]}

        rows = [{"ncalls": 1, "args": [{"name": "a", "state": "read", "value": value} for value in (1, 2)]}]
        self.assertEqual(self.judge([pack("1", "2")], rows), ({"equal": 2}, 0, 0))
        self.assertEqual(self.judge([pack("2", "1")], rows)[1:], (1, 1))

    def test_kinds(self):
        for kind, value, found, expected in [
                ("integer", "97", "a", True), ("integer", "-1", "\xff", True), ("integer", "10", 10, True), ("integer", "98", "a", False),
                ("integer", "1", 2, False), ("integer", "1", True, False), ("bool", "true", True, True), ("bool", "true", False, False),
                ("enum", "5 (A | C)", "A|C", True), ("enum", "1 A", "B", False), ("enum", "9 9", 9, True), ("enum", "1 A", 2, False), ("enum", "1 A", None, False),
                ("function", "strcmp", "strcmp", True), ("function", "strcmp", "strcpy", False), ("function", "strcmp", None, False), ("function", "getS.lto_priv.0", "getS", True),
                ("function", "_loop", "loop", True), ("function", "strcmp", 7, False),
                ("pointer", "NULL", None, True), ("pointer", "pointer", None, False), ("pointer", "NULL", "node*", False)]:
            self.assertEqual(matching.same(kind, value, found), expected, (kind, value, found))

    def test_names(self):
        for name in ("f", "f(int)", "a::b<int>::f", "(anonymous namespace)::f(char, int)", "a::f<x::y>(int) const"):
            self.assertEqual(names.declared_name(name), "f", name)
        for name, expected in [("a<b>::operator<(a<b> const&)", "operator <"), ("operator<", "operator <"),
                               ("void x::operator<<int>(int)", "operator <<"), ("std::map<int, x()>::operator()(int) const", "operator ()"),
                               ("operator new", "operator new"), ("a::operator b::c<d>", "operator of conversion"),
                               ("a::operator bool", "operator of conversion"), ("x::~y", "~y"), ("x<y>::operator=", "operator ="),
                               ("a::f<char*>(char*, int)::Guard::~Guard", "~Guard"), ("decltype (x(y)) std::f<int>(int)", "f"),
                               ("f(int)::{lambda(int)#1}::operator()", "operator ()"), ("(anonymous)::<lambda>", "lambda"),
                               ("(anonymous)::~<lambda>", "~lambda"), ("a::f()::{lambda(a::b const&)#1}::b", "lambda"),
                               ("f()::{lambda(int)#12}::~b()", "~lambda"), ("f()::{lambda(int)#1}::_FUN", "_FUN"), ("a::co_operator<b>", "co_operator")]:
            self.assertEqual(names.declared_name(name), expected, name)

    def test_demangling(self):
        symbols = {"_ZZ1fvENUlRKN1a5FieldEE_C1ERKS2_": "lambda", "_ZZ1fvENUlRKN1a5FieldEE_D1Ev": "~lambda",
                   "_ZZ1fvENKUlRKN1a5FieldEE_clES2_": "operator ()", "_ZN1a1fEi": "f"}
        for symbol, name in names.demangle(symbols).items():
            self.assertEqual(names.declared_name(name), symbols[symbol], (symbol, name))


if __name__ == "__main__":
    unittest.main()
