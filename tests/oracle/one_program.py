"""A program of one source, which callsig-cc compiles and callsig runs, in a folder of its own."""

import json
import os
import shutil
import subprocess
import tempfile


class OneProgram:
    def __init__(self, command, folder, source, rules="", suffix=".c"):
        self.command, self.folder = os.path.realpath(command), folder
        self.environment = dict(os.environ, CALLSIG_CACHE_DIR=self.path("cache"))
        self.source = self._write("program" + suffix, source)
        self.rules, self.program = self._write("rules", rules), self.path("program")

    def path(self, name):
        return os.path.join(self.folder, name)

    def _write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def call(self, *command, **more):
        """What the command printed and its exit status; `more` are variables of its environment."""
        return subprocess.run(command, env=dict(self.environment, **more), cwd=self.folder, text=True, errors="replace", capture_output=True,
                              timeout=300, check=False)

    def compile(self, compiler, options, wrapper):
        """Options of callsig-cc, the `wrapper`, are those that begin with "--"."""
        own = [option for option in options if option.startswith("--")]
        return self.call(wrapper, *own, "-g", "-w", *[option for option in options if option not in own], self.source, "-o", self.program,
                         CALLSIG_CC=compiler)

    def run(self, *options):
        return self.call(self.command, "run", "--rules", self.rules, *options, self.program)

    def rows(self, recording):
        return json.loads(self.call(self.command, "report", "--format", "json", recording).stdout)["rows"]


def in_each_way(compilers, ways, check, quick=None):
    """Calls check(compiler, way, folder) for those compilers that are installed; yields what it gave. `quick`: for so many of both alone."""
    found = [compiler for compiler in compilers if shutil.which(compiler)]
    for compiler in found[:quick[0]] if quick else found:
        for way in ways[:quick[1]] if quick else ways:
            with tempfile.TemporaryDirectory() as folder:
                yield compiler, way, check(compiler, way, folder)
