"""What the tests of callsig scaling on functions of known laws share: recordings, and what is found or false in them.

A law is found when it is the one that is printed, or among those that the warning does not tell from it. It is false when another
is printed and the right one is not named. A verdict without a law is neither: caches and what else runs on the machine may well
put a time more than 15 % off its law."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.path.abspath(sys.argv[1])
CALLSIG = os.path.join(BUILD, "cli", "callsig")
SOURCES = os.path.join(BUILD, "sources")
RECORDINGS = 4  # of which the best counts: other programs share the caches and the cores


def by_function(laws):
    """Law -> names, as words of one text, turned around. A law that may be written in several ways is a tuple."""
    return {name: law if isinstance(law, tuple) else (law,) for law, names in laws.items() for name in names.split()}


class Judged(unittest.TestCase):
    """Programs whose functions' laws are known. A class has the laws, compiles its program, and says how many are to be found."""

    WANTED = {}               # function -> laws, any of which is right
    CONSTANT_IS_FALSE = True  # where something else is wanted
    LAWLESS = {}              # functions without a law -> what may be printed of them
    FALSE = 0                 # laws that may be false in a recording

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="callsig-laws-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        cls.program = os.path.join(cls.folder, "calls")
        cls.compile()

    @classmethod
    def run_command(cls, *command):
        done = subprocess.run(command, cwd=cls.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=900)
        if done.returncode != 0:
            raise AssertionError(" ".join(command) + "\n" + done.stderr)
        return done.stdout

    @classmethod
    def fetch(cls, *packages):
        """Debian's sources of packages."""
        cls.run_command(os.path.join(TOP, "scripts", "get-sources.sh"), SOURCES, *packages)

    @classmethod
    def compile_with_sleds(cls, *arguments):
        """A part of a function that gcc splits off has its name, and would be in its row; one that ends by a jump to another ends for its
        sleds where it jumps, and has none of that one's time; what nobody calls would want more files."""
        cls.run_command(os.path.join(BUILD, "cli", "callsig-cc"), "-O2", "-g", "-w", "-fno-partial-inlining", "-fno-optimize-sibling-calls",
                        "-ffunction-sections",
                        "-Wl,--gc-sections", "-I" + cls.folder, *arguments, "-o", cls.program, "-lm")

    def judge(self, *options):
        """Records once. Returns the number of laws that are found, and what is false: function -> what is printed."""
        self.run_command(CALLSIG, "run", *options, "-o", "recording", self.program, "30")
        report = json.loads(self.run_command(CALLSIG, "scaling", "recording", "--all", "--format", "json"))
        said = {}
        for one in report["functions"]:
            said.setdefault(one["function"], []).append([one["law"], *one["rivals"]])
        self.assertEqual([name for name in [*self.WANTED, *self.LAWLESS] if name not in said], [])
        right = {name: [bool(set(laws) & set(said_here)) for said_here in said[name]] for name, laws in self.WANTED.items()}
        unsaid = (None,) if self.CONSTANT_IS_FALSE else (None, "constant")
        false = {name: laws for name, rights in right.items() for laws, is_right in zip(said[name], rights)
                 if laws[0] not in unsaid and not is_right}
        false.update({name: laws for name, allowed in self.LAWLESS.items() for laws in said[name]
                      if laws[0] is not None and not allowed & set(laws)})
        found = [name for name, rights in right.items() if all(rights)]
        if "--print" in sys.argv:
            print(" ".join(options), "found", len(found), "of", len(self.WANTED), "false", false)
            for one in report["functions"]:
                if one["function"] in self.WANTED and one["function"] not in found:
                    print("  ", one["function"], "wanted", self.WANTED[one["function"]], "said", one["law"], one["rivals"], one["reason"])
        return len(found), false

    def check(self, share, *options):
        """Of several recordings, that which does best finds a share of the laws, and none that is false."""
        found, false = min((self.judge(*options) for _ in range(RECORDINGS)), key=lambda one: (len(one[1]), -one[0]))
        self.assertLessEqual(len(false), self.FALSE, false)
        self.assertGreaterEqual(found, share * len(self.WANTED))


def main():
    unittest.main(argv=sys.argv[:1])
