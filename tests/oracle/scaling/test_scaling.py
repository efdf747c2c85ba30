#!/usr/bin/env python3
# ctest: arguments $<TARGET_FILE:fit_points>
# ctest: case - quick
# ctest: case _full full --full
"""The numerics of callsig scaling: least squares beside exact rational arithmetic; fitted laws beside the minimum that
they are meant to be; laws of made-up times with noise; and pure noise, which has none.

    test_scaling.py FIT_POINTS [--full]"""

import fractions
import math
import random
import subprocess
import sys
import unittest

FIT_POINTS = None
FULL = False
GROWTHS = {"log a": math.log2, "a": lambda a: a, "a log a": lambda a: a * math.log2(a), "a^2": lambda a: a ** 2,
           "a^3": lambda a: a ** 3}


def run(mode, text):
    return subprocess.run([FIT_POINTS, mode], input=text, text=True, check=True, stdout=subprocess.PIPE).stdout.splitlines()


def exact(matrix, right):
    """Least squares by the normal equations, in fractions: the coefficients and each row's leverage."""
    rows = [[fractions.Fraction(value) for value in row] for row in matrix]
    side = [fractions.Fraction(value) for value in right]
    size = len(rows[0])
    square = [[sum(row[i] * row[j] for row in rows) for j in range(size)] for i in range(size)]

    def solve(target):
        work = [line[:] + [value] for line, value in zip(square, target)]
        for i in range(size):
            pivot = next(j for j in range(i, size) if work[j][i] != 0)
            work[i], work[pivot] = work[pivot], work[i]
            for j in range(size):
                if j != i:
                    factor = work[j][i] / work[i][i]
                    work[j] = [x - factor * y for x, y in zip(work[j], work[i])]
        return [work[i][size] / work[i][i] for i in range(size)]

    solution = solve([sum(row[i] * value for row, value in zip(rows, side)) for i in range(size)])
    leverages = [sum(x * y for x, y in zip(row, solve(row))) for row in rows]
    return solution, leverages


def choose(sets, mode="choose", before=""):
    """Each set is a list of (values, time). (kind, name, coefficients, deviation, rivals) of each. What goes before them all is the mode's."""
    text = before + "".join("%d %d\n" % (len(points), len(points[0][0])) +
                   "".join(" ".join(repr(float(x)) for x in (*values, *times)) + "\n" for values, *times in points) for points in sets)
    answers = []
    for line in run(mode, text):
        kind, name, coefficients, deviation, rivals = line.split("\t")
        answers.append((kind, name, [float.fromhex(x) for x in coefficients.split()], float.fromhex(deviation),
                        rivals.split(";")[:-1]))
    return answers


class LeastSquares(unittest.TestCase):
    def check(self, matrix, right, digits):
        text = f"{len(matrix)} {len(matrix[0])}\n" + "".join(
            " ".join(repr(float(value)) for value in (*row, side)) + "\n" for row, side in zip(matrix, right))
        numbers = [float.fromhex(value) for value in run("solve", text)[0].split()]
        solution, leverages = exact(matrix, right)
        for found, wanted in zip(numbers, solution + leverages):
            self.assertLessEqual(abs(found - wanted), abs(wanted) * 10 ** -digits + 1e-15, (found, float(wanted)))

    def test_random(self):
        source = random.Random(1)
        for _ in range(40):
            columns = source.randint(1, 4)
            rows = source.randint(columns, 30)
            matrix = [[source.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)]
            self.check(matrix, [source.uniform(-1, 1) for _ in range(rows)], 9)

    def test_powers_of_sizes(self):
        """Columns of units from 1 to 10^18: normal equations would have lost all digits."""
        source = random.Random(2)
        for top in (100, 10 ** 4, 10 ** 6):
            sizes = [source.randint(1, top) for _ in range(25)]
            matrix = [[1, n, n * math.log2(n), n ** 3] for n in sizes]
            self.check(matrix, [1e-9 * (5 + n + 1e-3 * n * n) * source.uniform(0.9, 1.1) for n in sizes], 7)

    def test_exact_solution(self):
        """Rows by their time, as the fit weights them: the constant beside a square a million million times as large."""
        rows = [((1, n, n * n), 3 + 2 * n + 7 * n * n) for n in (2 ** i for i in range(1, 20))]
        self.check([[value / time for value in row] for row, time in rows], [1] * len(rows), 9)

    def test_dependent_columns(self):
        for matrix in ([[1, 2, 3]] * 5, [[n, 2 * n] for n in range(1, 9)], [[0, n] for n in range(9)], [[1, 2]]):
            text = f"{len(matrix)} {len(matrix[0])}\n" + "".join(" ".join(map(str, row)) + " 1\n" for row in matrix)
            self.assertEqual(run("solve", text), ["none"])

    def test_numbers_that_are_none(self):
        self.assertEqual(run("solve", "3 1\n1 1\ninf 1\n1 1\n"), ["none"])
        self.assertEqual(run("solve", "3 1\n1 1\nnan 1\n1 1\n"), ["none"])
        self.assertEqual(run("solve", "3 1\n1 1\n1 nan\n1 1\n"), ["none"])


class Fits(unittest.TestCase):
    def test_fit_is_the_minimum(self):
        """No change of a coefficient makes the squares of log(time / law) smaller: without outliers that is the fit."""
        sizes = [8 * 2 ** i for i in range(12)]
        for name, growth in GROWTHS.items():
            points = [((n,), 1e-9 * (50 + growth(n)) * math.exp((-1) ** i * 0.03)) for i, n in enumerate(sizes)]
            kind, found, coefficients, _, _ = choose([points])[0]
            self.assertEqual((kind, found), ("law", name))
            if len(coefficients) != 2:
                continue

            def loss(constant, factor):
                return sum(math.log(time / (constant + factor * growth(n))) ** 2 for (n,), time in points)

            least = loss(*coefficients)
            for change in (1e-4, 1e-3, 1e-2):
                for sign in (-1, 1):
                    self.assertLessEqual(least, loss(coefficients[0] * (1 + sign * change), coefficients[1]))
                    self.assertLessEqual(least, loss(coefficients[0], coefficients[1] * (1 + sign * change)))

    def test_laws_with_noise(self):
        source = random.Random(4)
        sets, names = [], []
        for name, growth in GROWTHS.items():
            for constant in (0, 1, 10):
                for _ in range(10):
                    sets.append([((n,), 1e-8 * (constant + growth(n)) * math.exp(source.gauss(0, 0.05)))
                                 for n in (16 * 2 ** i for i in range(12))])
                    names.append(name)
        right = sum(answer[:2] == ("law", name) for answer, name in zip(choose(sets), names))
        self.assertGreaterEqual(right, 0.97 * len(sets))

    def test_interrupted_call(self):
        """One call that took a hundred times as long changes neither the law nor its coefficients much."""
        points = [((n,), 1e-8 * n * math.log2(n)) for n in (16 * 2 ** i for i in range(14))]
        points[5] = (points[5][0], points[5][1] * 100)
        kind, name, coefficients, _, _ = choose([points])[0]
        self.assertEqual((kind, name), ("law", "a log a"))
        self.assertAlmostEqual(coefficients[1] * 1e8, 1, delta=0.02)

    def test_two_arguments(self):
        sides = [4 * 2 ** i for i in range(6)]
        forms = {"a * b": lambda a, b: a * b, "a + b": lambda a, b: a + b, "a * log b": lambda a, b: a * math.log2(b),
                 "a^2 * b": lambda a, b: a * a * b, "a": lambda a, b: a, "b^2": lambda a, b: b * b}
        source = random.Random(5)
        for name, form in forms.items():
            points = [((a, b), 1e-8 * (3 + form(a, b)) * math.exp(source.gauss(0, 0.02))) for a in sides for b in sides]
            kind, found, _, _, rivals = choose([points])[0]
            self.assertEqual((kind, found, rivals), ("law", name, []))

    def test_indistinguishable_is_said(self):
        """Over a range of 8, with noise of a tenth, n and n log n are the same line."""
        source = random.Random(6)
        points = [((n,), 1e-8 * n * math.log2(n) * math.exp(source.gauss(0, 0.1))) for n in range(64, 513, 64)]
        kind, name, _, _, rivals = choose([points])[0]
        self.assertEqual((kind, {name, *rivals}), ("law", {"a", "a log a"}))

    def test_wider_range_tells_them_apart(self):
        source = random.Random(6)
        points = [((n,), 1e-8 * n * math.log2(n) * math.exp(source.gauss(0, 0.1))) for n in (4 ** i for i in range(2, 13))]
        self.assertEqual([answer[1::3] for answer in choose([points])], [("a log a", [])])

    def test_constant(self):
        source = random.Random(7)
        sets = [[((n,), 1e-6 * math.exp(source.gauss(0, 0.1))) for n in (2 ** i for i in range(16))] for _ in range(50)]
        self.assertEqual({answer[:2] for answer in choose(sets)}, {("constant", "constant")})

    def test_steeper_than_all(self):
        for growth in (lambda n: 2 ** n, lambda n: 1.6 ** n, lambda n: n ** 4):
            self.assertEqual(choose([[((n,), 1e-9 * growth(n)) for n in range(2, 40, 2)]])[0][0], "none")

    def test_falling_is_no_law(self):
        self.assertEqual(choose([[((n,), 1.0 / n) for n in (2 ** i for i in range(12))]])[0][0], "none")


class Steps(unittest.TestCase):
    """What one step of the work takes rises where data leave a cache: a law with such a step is that law."""

    SIZES = [64 * 1.6 ** i for i in range(12)]
    FORMS = {"a": lambda n: n, "a log a": lambda n: n * math.log2(n), "a^2": lambda n: n ** 2, "a^3": lambda n: n ** 3}

    def with_step(self, growth, begin, end, factor, noise, source):
        def step(n):
            return 1 + (factor - 1) * min(1, max(0, math.log(n / self.SIZES[begin]) / math.log(self.SIZES[end] / self.SIZES[begin])))
        return [((n,), 1e-8 * (30 + growth(n) * step(n)) * math.exp(source.gauss(0, noise))) for n in self.SIZES]

    def test_law_with_a_step_is_found(self):
        source = random.Random(10)
        sets, names = [], []
        for name, growth in self.FORMS.items():
            for begin in (4, 5, 6, 7):
                for factor in (1.6, 2, 3):
                    sets.append(self.with_step(growth, begin, begin + 1, factor, 0.03, source))
                    names.append(name)
        answers = choose(sets, "judge")
        self.assertEqual([(answer[:2], name) for answer, name in zip(answers, names) if answer[0] == "law" and name not in {answer[1], *answer[4]}], [])
        self.assertGreaterEqual(sum(name in {answer[1], *answer[4]} for answer, name in zip(answers, names)), 0.9 * len(sets))

    def test_one_that_grows_on_is_none(self):
        """A time per step that rises with the size, and nowhere ends, is no step."""
        for power in (1.3, 1.5, 2.5):
            self.assertNotEqual(choose([[((n,), 1e-9 * n ** power) for n in self.SIZES]], "judge")[0][1::3], ("a", []))

    def test_laws_without_one_keep_their_names(self):
        source = random.Random(11)
        sets, names = [], []
        for name, growth in self.FORMS.items():
            for _ in range(30):
                sets.append([((n,), 1e-8 * (30 + growth(n)) * math.exp(source.gauss(0, 0.05))) for n in self.SIZES])
                names.append(name)
        answers = choose(sets, "judge")
        self.assertGreaterEqual(sum(answer[1] == name for answer, name in zip(answers, names)), 0.97 * len(sets))

    def test_columns_that_leave_one_cache_after_the_other(self):
        """A transposition without waits in its times, recorded while others filled the caches: n^3 follows its means to 13 %."""
        sizes, means = (12, 18, 27, 40, 90, 135, 202), (0.2225, 0.3608, 0.7582, 1.931, 18.59, 92.65, 252)
        kind, name, _, _, rivals = choose([[((n,), mean * 1e-6) for n, mean in zip(sizes, means)]], "judge")[0]
        self.assertTrue(kind == "none" or "a^2" in (name, *rivals), (kind, name, rivals))

    def test_logarithm_with_another_term(self):
        """A checksum, every call timed while others filled the processors: n log n follows it by taking a part of n away."""
        sizes, means = (512, 921, 2982, 5367, 9660, 17388, 31298, 56336, 101404), (0.72, 0.64, 0.875, 1.2, 2.13, 4.25, 7.2, 14.9, 37.5)
        kind, name, _, _, rivals = choose([[((n,), mean * 1e-6) for n, mean in zip(sizes, means)]], "judge")[0]
        self.assertTrue(kind == "none" or "a" in (name, *rivals), (kind, name, rivals))

    def test_what_lies_between_rivals_is_one(self):
        source, seen = random.Random(9), 0
        sets = []
        for _ in range(400):
            constant = source.choice((1, 10, 100, 1000))
            sets.append([((n,), 1e-8 * (constant + n + n ** 3 / 20000) * math.exp(source.gauss(0, 0.06))) for n in (12, 18, 27, 40, 60, 90, 135, 202)])
        for _, name, _, _, rivals in choose(sets, "judge"):
            named = {name, *rivals}
            if "a^3" in named and named & {"a", "a log a"}:
                self.assertIn("a^2", named)
                seen += 1
        self.assertGreater(seen, 0)

    def test_arguments_that_tell_each_other(self):
        """A count beside its triangular number is one argument: no law of both is named."""
        source = random.Random(12)
        for _ in range(20):
            points = [((n, n * (n + 1) // 2), 1e-8 * (50 + n * n) * math.exp(source.gauss(0, 0.05))) for n in (12, 18, 27, 40, 60, 90, 135)]
            kind, name, _, _, rivals = choose([points])[0]
            self.assertEqual((kind, [one for one in (name, *rivals) if "a" in one and "b" in one]), ("law", []))


class Shortest(unittest.TestCase):
    """What the shortest calls of each size say of a law of the means."""

    def judge(self, sizes, means, shortest):
        kind, name, _, _, rivals = choose([[((n,), mean * 1e-6, least * 1e-6) for n, mean, least in zip(sizes, means, shortest)]], "shortest")[0]
        return kind, name, rivals

    def test_means_that_grow_apart(self):
        """A transposition, recorded while others filled the caches: the means are those of n^3, the shortest calls are not."""
        self.assertEqual(self.judge((12, 18, 27, 40, 60, 90, 135, 202), (0.4902, 0.547, 0.9022, 2.076, 4.898, 14.23, 71.34, 227),
                                    (0.416, 0.48, 0.783, 1.854, 3.577, 7.305, 15.84, 146.4))[0], "none")

    def test_constant_that_caches_lengthen(self):
        """An allocation of 4 to 615 bytes: the shortest ones are alike."""
        self.assertEqual(self.judge((4, 7, 12, 21, 37, 65, 114, 201, 351, 615),
                                    (0.2939, 0.2812, 0.2756, 0.2944, 0.2925, 0.3012, 0.3335, 0.3351, 0.3693, 0.3789),
                                    (0.245, 0.245, 0.239, 0.248, 0.247, 0.239, 0.239, 0.253, 0.251, 0.238)), ("constant", "constant", []))

    def test_two_arrays_that_leave_a_cache_at_the_last_sizes(self):
        """A product of a vector by a number, recorded while others filled the caches: n, which n^3 beside n follows to 4 %."""
        sizes = (256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536)
        means = (0.1354, 0.1849, 0.2379, 0.3416, 0.4438, 0.6522, 0.9035, 1.28, 1.696, 2.567, 3.426, 6.076, 7.854, 12.98, 20.52, 40.75, 79.37)
        shortest = (0.1272, 0.1784, 0.2304, 0.3336, 0.436, 0.6432, 0.8512, 1.27, 1.683, 2.542, 3.39, 5.067, 6.741, 10.14, 14.13, 26.49, 52.19)
        kind, name, rivals = self.judge(sizes, means, shortest)
        self.assertTrue(kind == "none" or "a" in (name, *rivals), (kind, name, rivals))

    def test_step_that_may_be_a_logarithm(self):
        """A Fourier transform by every call's time while others filled the processors: its shortest calls are those of n with a step, and of n log n."""
        sizes = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
        kind, name, rivals = self.judge(sizes, (5.105, 10.18, 19.91, 61.65, 2047, 2603, 2102, 20704), (3.371, 6.33, 13.57, 45.89, 85.7, 165.3, 333.6, 720.2))
        self.assertTrue(kind == "none" or "a log a" in (name, *rivals), (kind, name, rivals))

    def test_growth_that_goes_on_is_no_step(self):
        """n^2 beside n is not taken for a step where it is most of the time for a decade."""
        sizes = [16 * 2 ** i for i in range(12)]
        times = [0.1 + n / 100 + n * n / 5000 for n in sizes]
        self.assertEqual(self.judge(sizes, times, times), ("law", "a^2", []))

    def test_search_that_may_end_at_once(self):
        """The shortest search found it first: the law is that of the means all the same."""
        sizes = [64 * 2 ** i for i in range(10)]
        self.assertEqual(self.judge(sizes, [0.2 + n / 1000 for n in sizes], [0.2] * 10)[:2], ("law", "a"))

    def test_shortest_calls_of_another_law(self):
        """Of two laws none is told: both are named, that of the shortest calls first."""
        sizes = [256 * 2 ** i for i in range(10)]
        kind, name, rivals = self.judge(sizes, [1 + n * math.log2(n) ** 1.5 / 1000 for n in sizes], [1 + n / 100 for n in sizes])
        self.assertEqual((kind, name), ("law", "a"))
        self.assertNotEqual(rivals, [])


class Clock(unittest.TestCase):
    """A clock that steps by ten nanoseconds and reads twenty at least: what grows behind the flat start looks bent."""

    STEP, LEAST = 10, 20

    def read(self, time, source):
        return max(self.LEAST, self.STEP * math.floor(time / self.STEP + source.random()))

    def sets(self, sizes, growth, source):
        """Means without the longest of 50 calls of each size, and the shortest."""
        for _ in range(100):
            constant, each = source.uniform(5, 25), source.uniform(0.5, 3)
            points = []
            for n in sizes:
                least = max(self.LEAST, constant + each * growth(n))
                calls = sorted(self.read(least * math.exp(abs(source.gauss(0, 0.05))), source) for _ in range(50))
                points.append(((n,), sum(calls[:-1]) / 49 * 1e-9, calls[0] * 1e-9))
            yield points

    def judge(self, sizes, growth, seed):
        return choose(list(self.sets(sizes, growth, random.Random(seed))), "near", f"{8 * self.STEP * 1e-9!r}\n")

    def test_line_near_the_least_is_no_curve(self):
        for sizes in ([*range(2, 23), 36, 38], range(1, 38), [2 ** i for i in range(1, 9)]):
            for seed in range(3):
                answers = self.judge(sizes, lambda n: n, seed)
                self.assertEqual([answer for answer in answers if answer[0] == "law" and "a" not in (answer[1], *answer[4])], [])

    def test_shortest_calls_of_a_table_checksum(self):
        """Lengths and shortest calls of crc64ib() in nasm, nanoseconds: the length, which its square followed to 6 %."""
        shortest = {2: 20, 3: 20, 4: 20, 5: 20, 6: 20, 7: 20, 8: 20, 9: 30, 10: 30, 11: 30, 12: 30, 13: 40, 14: 40, 15: 40, 16: 40, 17: 40,
                    18: 50, 19: 50, 20: 50, 22: 50, 36: 90, 38: 90}
        kind, name, _, _, rivals = choose([[((n,), time * 1e-9, time * 1e-9) for n, time in shortest.items()]], "near", "80e-9\n")[0]
        self.assertTrue(kind == "none" or "a" in (name, *rivals), (kind, name, rivals))

    def test_laws_that_leave_the_least_are_found(self):
        for name, growth in {"a": lambda n: n, "a log a": lambda n: n * math.log2(n) / 4, "a^2": lambda n: n * n / 20}.items():
            answers = self.judge([2 ** i for i in range(3, 13)], growth, 4)
            self.assertGreaterEqual(sum(name in (answer[1], *answer[4]) for answer in answers), 95, name)

    def test_step_of_readings(self):
        source = random.Random(5)

        def step(readings):
            return float(run("step", " ".join(str(reading) for reading in sorted(readings)))[0])
        self.assertEqual(step([26 * source.randint(2, 40) for _ in range(60)] + [52]), 26)
        self.assertEqual(step([26 * source.randint(2, 12) for _ in range(60)] + [52, 131]), 26)
        begun = [source.randint(180, 198) for _ in range(60)]
        self.assertAlmostEqual(step([math.floor(10.015 * (at + source.randint(2, 20))) - math.floor(10.015 * at) for at in begun]), 10, delta=1)
        for _ in range(100):
            self.assertEqual(step([source.randint(40, 400) for _ in range(60)]), 1)
        self.assertEqual(step([]), 1)


class Bent(unittest.TestCase):
    """A slower term that takes off what the leading one gives too much mends the fit, and tells no order."""

    def test_line_of_evenly_used_lengths(self):
        source, sets = random.Random(14), []
        for _ in range(300):
            constant, each, noise = source.uniform(5, 40), source.uniform(0.5, 3), source.uniform(0.01, 0.08)
            least = source.choice((0, 20, 1.3 * constant))
            sets.append([((n,), 1e-9 * max(least, constant + each * n) * math.exp(source.gauss(0, noise))) for n in range(1, 38)])
        for kind, name, coefficients, _, rivals in choose(sets):
            self.assertTrue(name == "a" or kind != "law" or all(part >= 0 for part in coefficients[2:]), (kind, name, coefficients, rivals))


class Noise(unittest.TestCase):
    def noise(self, tries, counts, deviations, candidates, seed, mode="choose"):
        source = random.Random(seed)
        sets = []
        for i in range(tries):
            size, deviation = counts[i % len(counts)], deviations[i // len(counts) % len(deviations)]
            sets.append([(tuple(int(math.exp(source.uniform(0, 10))) + 1 for _ in range(candidates)),
                          1e-6 * math.exp(source.gauss(0, deviation))) for _ in range(size)])
        return sum(answer[0] == "law" for answer in choose(sets, mode))

    def test_one_argument(self):
        tries = 5000 if FULL else 600
        self.assertLessEqual(self.noise(tries, (5, 6, 8, 12, 20, 40), (0.3, 0.5, 1, 2), 1, 8), tries // 200)

    def test_with_steps(self):
        tries = 5000 if FULL else 600
        self.assertLessEqual(self.noise(tries, (8, 10, 12, 20, 40), (0.1, 0.2, 0.3, 0.5, 1), 1, 13, "judge"), tries // 200)

    def test_two_arguments(self):
        tries = 1000 if FULL else 100
        self.assertLessEqual(self.noise(tries, (8, 12, 20, 30), (0.3, 0.5, 1, 2), 2, 9), tries // 50)


if __name__ == "__main__":
    FIT_POINTS = sys.argv[1]
    FULL = "--full" in sys.argv
    unittest.main(argv=sys.argv[:1])
