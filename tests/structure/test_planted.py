#!/usr/bin/env python3
"""scripts/check_rooms.py finds and names what is planted in a small tree of three rooms, and nothing in the tree as it is."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_rooms.py"
HEAD = "/* What this is for. */\n"
ROOMS = "low:\nmiddle: low\nhigh: middle\n"
# high/ uses middle/, which uses low/.
TREE = {
    "low/number.h": HEAD + "int low_number(void);\n",
    "low/number.c": HEAD + '#include "low/number.h"\n\nint low_number(void)\n{\n  return 1;\n}\n',
    "middle/sum.h": HEAD + "int middle_sum(void);\n",
    "middle/sum.c": HEAD + '#include "middle/sum.h"\n\n#include "low/number.h"\n\nint middle_sum(void)\n{\n  return low_number() + 1;\n}\n',
    "high/print.h": HEAD + "int high_print(void);\n",
    "high/print.c": HEAD + '#include "high/print.h"\n\n#include "middle/sum.h"\n\nint high_print(void)\n{\n  return middle_sum();\n}\n',
}


class Planted(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="callsig-rooms-"))
        self.addCleanup(shutil.rmtree, folder)
        self.top, self.build = folder / "tree", folder / "build"
        self.unlisted = set()
        self.rooms = ROOMS
        for name, text in TREE.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def append(self, name, text):
        self.write(name, (self.top / name).read_text() + text)

    def check(self, *options):
        """Compiles every source but the unlisted ones, as a build does, and runs the check. Returns its CompletedProcess."""
        self.build.mkdir()
        (self.build / "rooms.txt").write_text(self.rooms)
        commands, running = [], []
        for source in sorted(self.top.rglob("*.c")):
            name = str(source.relative_to(self.top))
            if name in self.unlisted:
                continue
            made = self.build / (name + ".o")
            made.parent.mkdir(parents=True, exist_ok=True)
            command = ["cc", f"-I{self.top}", *options, "-MD", "-MF", f"{made}.d", "-o", str(made), "-c", str(source)]
            running.append(subprocess.Popen(command))
            commands.append({"directory": str(self.build), "command": " ".join(command), "file": str(source)})
        self.assertEqual([process.wait() for process in running], [0] * len(running))
        (self.build / "compile_commands.json").write_text(json.dumps(commands))
        return subprocess.run([sys.executable, SCRIPT, "--top", self.top, self.build], text=True, capture_output=True)

    def expect(self, *findings, options=()):
        done = self.check(*options)
        self.assertEqual((done.stdout.splitlines(), done.returncode), (sorted(findings), 1 if findings else 0), done.stderr)

    def test_clean(self):
        self.expect()

    def test_include(self):
        self.append("low/number.c", '#include "high/print.h"\n')
        self.expect("low/number.c: includes high/print.h, but low/ may not use high/",
                    "low/number.c: is compiled with high/print.h, but low/ may not use high/")

    def test_include_by_another_way(self):
        """What no include of the file names, the compiler's own list of what it read shows."""
        self.append("low/number.c", "#include PRINT\n")
        self.expect("low/number.c: is compiled with high/print.h, but low/ may not use high/", options=['-DPRINT="high/print.h"'])

    def test_call(self):
        self.append("low/number.c", "int high_print(void);\nint low_again(void);\nint low_again(void)\n{\n  return high_print();\n}\n")
        self.expect("low/number.c: uses high_print of high/print.c, but low/ may not use high/",
                    "files call each other: high/print.c, low/number.c, middle/sum.c")

    def test_circle_of_two_files(self):
        self.write("middle/other.c", HEAD + "int middle_sum(void);\nint middle_other(void);\nint middle_other(void)\n{\n  return middle_sum();\n}\n")
        self.append("middle/sum.c", "int middle_other(void);\nint middle_more(void);\nint middle_more(void)\n{\n  return middle_other();\n}\n")
        self.expect("files call each other: middle/other.c, middle/sum.c")

    def test_circle_of_headers(self):
        self.append("middle/sum.h", '#include "middle/more.h"\n')
        self.write("middle/more.h", HEAD + '#pragma once\n#include "middle/sum.h"\n')
        self.expect("headers include each other: middle/more.h, middle/sum.h")

    def test_circle_of_rooms(self):
        self.rooms = "low: high\nmiddle: low\nhigh: middle\n"
        self.expect("rooms use each other: high, low, middle")

    def test_the_profiler_alone(self):
        """Whatever the order allows, profiler/ uses format/ and nothing else."""
        self.rooms += "profiler: low\n"
        self.write("profiler/hook.c", HEAD + '#include "low/number.h"\n\nint profiler_hook(void);\n\nint profiler_hook(void)\n{\n  return low_number();\n}\n')
        self.expect("profiler/hook.c: uses low_number of low/number.c, but the profiler depends on libc and pthreads alone")

    def test_include_from_beside(self):
        self.write("low/plain.c", HEAD + '#include "number.h"\n')
        self.expect('low/plain.c: includes "number.h", which is not written from the top of the tree')

    def test_include_of_nothing(self):
        self.write("other/only.h", HEAD)
        self.append("low/number.c", '#include "only.h"\n')
        self.expect('low/number.c: includes "only.h", which is neither in the tree nor made by the build', options=[f"-I{self.top}/other"])

    def test_unlisted(self):
        self.write("middle/forgotten.c", HEAD + "int forgotten;\n")
        self.unlisted.add("middle/forgotten.c")
        self.expect("middle/forgotten.c: lies in room middle and was not compiled: is it in the list of its CMakeLists.txt?")

    def test_file_in_no_room(self):
        self.rooms = "low/deep:\nlow/flat: low/deep\n"
        for name in TREE:
            (self.top / name).unlink()
        self.write("low/deep/one.c", HEAD + "int one;\n")
        self.write("low/flat/two.c", HEAD + "int two;\n")
        self.write("low/stray.h", HEAD)
        self.expect("low/stray.h: lies in no room; give it to one, or state its folder with callsig_room()")

    def test_made_by_a_compiler(self):
        self.write("one.dwo", "")
        self.expect("one.dwo: is made by a compiler, and no source")

    def test_include_as_of_the_system(self):
        self.append("low/number.h", "#include <high/print.h>\n")
        self.expect("low/number.h: includes <high/print.h>, a file of the tree, as if it were the system's",
                    "low/number.c: is compiled with high/print.h, but low/ may not use high/",
                    "middle/sum.c: is compiled with high/print.h, but middle/ may not use high/")

    def test_public_header(self):
        self.write("include/callsig/open.h", HEAD + '#include "low/number.h"\n')
        self.expect("include/callsig/open.h: is installed, and includes low/number.h, which is not")

    def test_public_name_against_the_order(self):
        """The command alone is a program like any other, for which names that begin so are made."""
        self.append("high/print.c", "int callsig_up(void);\nint callsig_up(void)\n{\n  return 1;\n}\n")
        self.append("low/number.c", "int callsig_up(void);\nint low_again(void);\nint low_again(void)\n{\n  return callsig_up();\n}\n")
        self.expect("low/number.c: uses callsig_up of high/print.c, but low/ may not use high/",
                    "files call each other: high/print.c, low/number.c, middle/sum.c")

    def test_sizes(self):
        self.write("high/long.c", HEAD + "int high_long;\n" * 500)
        self.write("high/function.c", HEAD + "void high_function(void)\n{\n" + "  ;\n" * 81 + "}\n")
        self.write("high/at_most.c", HEAD + "int high_at_most;\n" * 416 + "void high_whole(void)\n{\n" + "  ;\n" * 80 + "}\n")
        self.write("high/silent.h", "int high_silent;\n")
        self.expect("high/long.c: 501 lines, more than 500", "high/function.c:3: a function of 81 lines, more than 80",
                    "high/silent.h: its first line is no comment that says what the file is for")

    def test_full_folder(self):
        for number in range(31):
            self.write(f"tests/many_{number}.c", HEAD)
        self.unlisted = {f"tests/many_{number}.c" for number in range(31)}
        self.expect("tests/: 31 C files, more than 30")

    def test_nothing_compiled(self):
        self.unlisted = set(TREE)
        done = self.check()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("holds no dependency files of compiled sources", done.stderr)


if __name__ == "__main__":
    unittest.main()
