"""Every command in README.md is run, in the order of the page: as it stands in a small project, or as its safe equivalent.

Commands are the lines of its blocks (`sh`: all of them, `console`: those behind "$ "), and inline code that begins with a program's
name. A line that is neither run as it stands nor mapped here to an equivalent is a failure, so that no command is added untried.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import pages

BUILD = os.path.abspath(os.environ.get("CALLSIG_BUILD", pages.TOP / "build"))
README = (pages.TOP / "README.md").read_text()

# The reader's own project: what README calls ./your-program. Its parse() takes longer the larger its n.
PROGRAM = r"""
#include <stdlib.h>
static volatile long sink;
__attribute__((noinline)) static int parse(int n) { for (int i = 0; i < n; i++) sink += i & 3; return n; }
__attribute__((noinline)) static void work(int rounds) { for (int n = 1; n <= rounds; n *= 2) for (int i = 0; i < 10; i++) sink += parse(n); }
int main(int argc, char **argv) { work(argc > 1 ? 8192 * argc : 16384); return argv == NULL; }
"""
MAKEFILE = """your-program: your-program.c
\t$(CC) -O1 $(CFLAGS) -o $@ $<
clean:
\trm -f your-program
"""
CMAKE_BEFORE = "cmake_minimum_required(VERSION 3.22)\nproject(yours LANGUAGES C)\nadd_executable(your-program your-program.c)\n"

# Commands that change the machine or take minutes, and what is run in their place; {top}, {build} and {install} are filled in.
EQUIVALENTS = {
    "make && sudo make install": "make -n -C {top} BUILD={build} install && DESTDIR={install} cmake --install {build}",
    "make demo": "make -n -C {top} BUILD={build} demo | grep scripts/demo.sh",
    "make check": "make -n -C {top} BUILD={build} check | grep 'ctest'",
    # The recording of the demo is not there: the project's own stands in for it.
    "callsig report build/demo/lua.callsig --strip-dirs -s tottime 25": "callsig report callsig.out --strip-dirs -s tottime 25",
    "man callsig": "test -s {prefix}/share/man/man1/callsig.1",
}

# Run as they stand, in the project; `diff` gets two recordings before.
AS_IT_STANDS = re.compile(r"(make clean && make CC=callsig-cc|callsig (run|report|scaling|score|export|index|diff|flags)\b.*)$")
NAMES_ONLY = re.compile(r"callsig(-cc| run)?$")


def blocks():
    """The commands of the blocks, in the order of the page."""
    commands = []
    for language, text in pages.blocks(README):
        lines = text.splitlines()
        if language == "console":
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        elif language != "sh":
            continue
        commands += [re.sub(r"\s+#.*", "", line).strip() for line in lines if line.strip()]
    return commands


def inline():
    """Inline code that is a command or the name of one, also in the comments of blocks."""
    return [text for text in pages.INLINE.findall(README) if re.match(r"(callsig|make|man|cmake|ctest|sudo|\./)\b", text)
            and not text.startswith("callsig.") and not text.startswith("callsig/")]


class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.mkdtemp(prefix="callsig-readme-")
        cls.addClassCleanup(shutil.rmtree, cls.scratch, ignore_errors=True)
        cls.install = pathlib.Path(cls.scratch, "install")
        cls.project = pathlib.Path(cls.scratch, "project")
        cls.project.mkdir()
        (cls.project / "your-program.c").write_text(PROGRAM)
        (cls.project / "Makefile").write_text(MAKEFILE)
        with open(os.path.join(BUILD, "CMakeCache.txt")) as cache:
            found = re.search(r"^CMAKE_INSTALL_PREFIX:PATH=(.*)$", cache.read(), re.MULTILINE)
        cls.prefix = pathlib.Path(f"{cls.install}{found.group(1)}")
        places = {"top": pages.TOP, "build": BUILD, "install": cls.install, "prefix": cls.prefix}
        cls.places = {name: shlex.quote(str(place)) for name, place in places.items()}
        cls.environment = {key: value for key, value in os.environ.items()
                           if not key.startswith(("CALLSIG_", "LD_", "MAKE", "MFLAGS"))}
        cls.environment.update(PATH=f"{cls.prefix}/bin:{os.environ['PATH']}", CALLSIG_CACHE_DIR=f"{cls.scratch}/cache", LC_ALL="C")

    def run_line(self, line):
        """Runs a line of shell in the project. Returns what it printed. A build that cannot be installed is a failure of one line."""
        done = subprocess.run(["sh", "-c", line], cwd=self.project, env=self.environment, text=True, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        error = re.search(r"^CMake Error at \S*cmake_install\.cmake:.*\n((?:  .*\n)+)", done.stdout, re.MULTILINE)
        if done.returncode and error:
            self.fail(f"build all of {BUILD} first, cmake --install fails: {' '.join(error[1].split())}")
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}")
        return done.stdout

    def run_command(self, command):
        """Runs a command of the page, or its equivalent."""
        if command in EQUIVALENTS:
            command = EQUIVALENTS[command].format(**self.places)
        else:
            self.assertRegex(command, AS_IT_STANDS, "this test does not know the command: run it as it stands, or map it")
        if command.startswith("callsig diff"):
            self.run_line("cp callsig.out old.out && cp callsig.out new.out")
        return self.run_line(command)

    def test_commands(self):
        commands = blocks()
        self.assertGreater(len(commands), 8)
        # The page shows a table first; here a recording has to be made before it can be asked.
        run = next(command for command in commands if command.startswith("callsig run"))
        started = commands.index("make && sudo make install")
        order = commands[started:] + commands[:started]
        self.assertIn("DESTDIR", EQUIVALENTS[order[0]])
        # Without an installation nothing else can run: its failure is the only one.
        shown = {order[0]: self.run_command(order[0])}
        for command in order[1:]:
            with self.subTest(command=command):
                shown[command] = self.run_command(command)
        self.assertIn("parse(n=16384)", shown[run])
        self.assertIn("parse(n=4096)", shown["callsig report --signature 'n >= 4096'"])
        self.assertNotIn("parse(n=2048)", shown["callsig report --signature 'n >= 4096'"])
        self.assertRegex(shown["callsig report --callers 'parse'"], r"parse\(n=1\)\)( \[~\])? +<- .*work")
        for text in inline():
            with self.subTest(inline=text):
                if NAMES_ONLY.match(text):
                    self.run_line(f"command -v {text.split()[0]} && callsig --help")
                else:
                    self.run_command(text)
        self.check_equivalents_are_used(commands + inline())

    def check_equivalents_are_used(self, commands):
        self.assertEqual([command for command in EQUIVALENTS if command not in commands], [], "these are on the page no more")

    def test_cmake(self):
        text = [text for language, text in pages.blocks(README) if language == "cmake"]
        self.assertEqual(len(text), 1)
        folder = pathlib.Path(self.scratch, "cmake")
        shutil.copytree(self.project, folder, ignore=shutil.ignore_patterns("*.out"))
        (folder / "CMakeLists.txt").write_text(CMAKE_BEFORE + text[0])
        prefix = pathlib.Path(self.scratch, "cmake-prefix")
        self.run_line(f"cmake --install {self.places['build']} --prefix {prefix}")
        self.run_line(f"cd {folder} && cmake -B made -DCMAKE_PREFIX_PATH={prefix} && cmake --build made")
        self.assertIn("parse(", self.run_line(f"cd {folder} && {prefix}/bin/callsig run ./made/your-program"))

    def test_no_block_escapes(self):
        for language, _ in pages.blocks(README):
            with self.subTest(language=language):
                self.assertIn(language, ("sh", "console", "cmake"))
        indented = [line for line in pages.prose(README).splitlines() if line.startswith("    ")]
        self.assertEqual(indented, [], "commands stand in fenced blocks")

    def test_platform_is_stated(self):
        self.assertRegex(README, r"Linux on x86-64.*gcc \d+.*clang \d+")


if __name__ == "__main__":
    unittest.main()
