#!/usr/bin/env python3
# ctest: name oracle.scaling_real_time
# ctest: case - full @PROJECT_BINARY_DIR@
# ctest: alone
"""callsig scaling on real time: the algorithms by the machine's clock, the example of docs/scaling.md, and Extra-P itself
(where its Python package is installed) on what is written for it.

    test_real_time.py BUILD

Times are those of the process's own CPU clock, which other load moves little; what these calls do not tell apart is said
so, and counts as right when the law of the algorithm is among what is said. It is not part of `make check`."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(TOP, "tests", "cli"))
BUILD = os.path.abspath(sys.argv[1])
os.environ["CALLSIG_BUILD"] = BUILD

from test_scaling import LAWS  # noqa: E402  the laws are the algorithms', whatever the clock

CALLSIG = os.path.join(BUILD, "cli", "callsig")
# What takes a few nanoseconds is not told from the clock's own tick.
SHORT = {"binary_search", "heap_push", "power", "hash_lookup", "hash_insert", "stack_push", "list_nth"}
# The hooks of what these call take longer than what they do.
HOOKS = {"merge_sort", "join"}
DISTURBED = 2  # laws that noise may hide in a recording
RECORDINGS = 4


class RealTime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="callsig-scaling-")
        cls.folder = cls.temporary.name

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_command(self, *command):
        done = subprocess.run(command, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        self.assertEqual(done.returncode, 0, " ".join(command) + "\n" + done.stderr)
        return done.stdout

    def record(self, name, source, *flags):
        """Compiles and records a program. Returns the recording."""
        program, recording = os.path.join(self.folder, name), os.path.join(self.folder, name + ".callsig")
        runtime = os.path.join(BUILD, "profiler")
        self.run_command("cc", "-O2", "-g", "-finstrument-functions", "-I" + os.path.join(TOP, "include"), *flags, source, "-o",
                         program, "-L" + runtime, "-Wl,-rpath," + runtime, "-lcallsig")
        self.run_command(CALLSIG, "run", "--clock", "cpu", "-o", recording, program, "20")
        return recording

    def laws(self, recording, *arguments):
        """(function, where) -> the laws that it may have, the chosen one first."""
        report = json.loads(self.run_command(CALLSIG, "scaling", recording, "--format", "json", *arguments))
        return {(one["function"], one["where"]): [one["law"], *one["rivals"]] for one in report["functions"]}

    def wrong_laws(self):
        """What is not found of the algorithms' laws, with what is found instead, in one recording."""
        found = self.laws(self.record("algorithms", os.path.join(HERE, "algorithms.c"), "-DREAL_TIME"))
        wanted = {(name, None): law for name, law in LAWS.items() if name not in SHORT | HOOKS}
        return {key: (law, found.get(key)) for key, law in wanted.items() if law not in found.get(key, [])}

    def test_algorithms(self):
        # Other programs share the caches and the cores' speed: a disturbed recording is made again.
        wrong = self.wrong_laws()
        for _ in range(RECORDINGS - 1):
            if len(wrong) <= DISTURBED:
                break
            wrong = self.wrong_laws()
        self.assertLessEqual(len(wrong), DISTURBED, wrong)

    def test_quadratic_loop_of_the_documentation(self):
        source = os.path.join(TOP, "examples", "scaling", "report.c")
        recording = self.record("report", source)
        self.assertEqual(self.laws(recording)["write_report", None][0], "n^2")
        self.assertIn("n", self.laws(recording, "--time", "own")["write_report", None])
        fixed = self.laws(self.record("fixed", source, "-DREMEMBER_LENGTH"))["write_report", None]
        self.assertIn("n", fixed)
        self.assertNotEqual(fixed[0], "n^2")

    @unittest.skipUnless(importlib.util.find_spec("extrap"), "Extra-P's Python package (extrap) is not installed")
    def test_extrap_reads_it(self):
        from extrap.fileio.file_reader.text_file_reader import TextFileReader
        from extrap.modelers.model_generator import ModelGenerator
        recording = self.record("steps", os.path.join(HERE, "algorithms.c"))
        laws = os.path.join(self.folder, "laws")
        self.run_command(CALLSIG, "scaling", recording, "--format", "extrap", "--directory", laws)
        models = {}
        for name in sorted(os.listdir(laws)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                experiment = TextFileReader().read_experiment(os.path.join(laws, name))
                generator = ModelGenerator(experiment)
                generator.model_all()
            models[name.split("-", 1)[1][:-4]] = next(iter(generator.models.values())).hypothesis.function.to_string(
                *experiment.parameters)
        for name, terms in (("copy", ["* n^(1)"]), ("binary_search", ["* log2(n)^(1)"]), ("square_product", ["* n^(3)"]),
                            ("matrix_vector", ["* rows^(1) * columns^(1)"]), ("merge", ["* n^(1)", "* m^(1)"])):
            for term in terms:
                self.assertIn(term, models[name])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
