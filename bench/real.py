"""The real programs, as they are built and run to be timed.

tests/real/build.py compiles them; one word is added to its variants: `pg`, for gprof and uftrace. Two programs of workloads/ are
built as they are: tensor.c, and those of KNOWN."""

import argparse
import json
import os
import sys
from pathlib import Path

from runner import NotRun, run, timed

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = os.path.join(HERE, "workloads")
sys.path.insert(0, os.path.join(HERE, "..", "tests", "real"))
import build as real_build  # noqa: E402: the path must be set first
import instrumentation  # noqa: E402, F401: for hooks.py
import programs  # noqa: E402

real_build.WORDS |= {"pg"}
PACKAGES = ["lua5.4", "libzstd", "sqlite3", "jsonnet"]
CORPUS_BYTES = 6_000_000


# Of which it is known how much work each argument stands for.
KNOWN = ["known", "known_memory", "known_recursive", "known_short"]


def own_program(name):
    """The maker of a program that is one file of workloads/."""
    def make(_):
        return programs.Program(name, "", "c", [Path(WORKLOADS) / f"{name}.c"], [], flags=["-pthread"], libs=["-lm"])
    return "", make


programs.MAKERS.update({name: own_program(name) for name in ("tensor", *KNOWN)})


class Builder(real_build.Builder):
    def _instrumentation(self, words, version):
        return ["-pg"] if "pg" in words else super()._instrumentation(words, version)

    def _links(self, program, words, version, folder, compiler, objects):
        commands, command = super()._links(program, words, version, folder, compiler, objects)
        if "pg" in words:
            commands = [[*link, "-pg"] for link in commands]
        return commands, command


class Load:
    """A program with its input. `command(variant)` is what to run, `stdin` what it reads, a path or None, and `options` what
    `callsig run` is told beyond how to measure."""

    def __init__(self, name, builder, arguments=(), stdin=None, options=()):
        self.name, self.builder, self.arguments, self.stdin, self.options = name, builder, arguments, stdin, options

    def program(self, variant):
        try:
            return self.builder.build(self.name, variant)[0]
        except SystemExit as error:
            raise NotRun(f"{self.name} could not be built: {str(error).splitlines()[-1]}") from error

    def command(self, variant):
        return [self.program(variant), *self.arguments]

    def timed(self, command, environment, folder):
        """Wall and CPU seconds of one run of this command on the load's input."""
        with open(self.stdin or os.devnull, "rb") as stdin:
            return timed(command, environment, folder, stdin=stdin)


def corpus(sources, out):
    """C sources one after another, CORPUS_BYTES of them."""
    path = os.path.join(out, f"corpus-{CORPUS_BYTES}")
    if os.path.exists(path):
        return path
    data = b""
    for folder, names, files in os.walk(os.path.join(sources, "sqlite3")):
        names.sort()
        for name in sorted(files):
            if name.endswith((".c", ".h")) and len(data) < CORPUS_BYTES:
                with open(os.path.join(folder, name), "rb") as file:
                    data += file.read()
    with open(path, "wb") as file:
        file.write(data[:CORPUS_BYTES])
    return path


def loads(build, sources, out):
    """Lua, zstd, SQLite and jsonnet, and the programs of workloads/, each with a load of 0.3 to 1 s; the sources are fetched when
    they are not there."""
    run([os.path.join(HERE, "..", "scripts", "get-sources.sh"), sources, *PACKAGES])
    builder = Builder(sources, out, plugins=os.path.join(build, "instrument"))
    return [Load("lua", builder, [os.path.join(WORKLOADS, "lua.lua")]),
            # Without threads that only wait: their time would be in the sum of tottime.
            Load("zstd", builder, ["-q", "--single-thread", "--no-asyncio", "-12", "-c", corpus(sources, out)]),
            Load("sqlite3", builder, [":memory:"], os.path.join(WORKLOADS, "sqlite3.sql")),
            Load("jsonnet", builder, [os.path.join(sources, "jsonnet", "benchmarks", "bench.03.jsonnet")]),
            Load("tensor", builder, options=["--rules", os.path.join(WORKLOADS, "tensor.rules")]),
            *[Load(name, builder) for name in KNOWN]]


def write(name, description, collect, rounds, programs):
    """What a part that times the real programs does: reads its arguments, writes what `collect(build, loads, rounds, compilers, say)`
    gives, a dict. `programs` are those of the part, of which --programs chooses some."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("build")
    parser.add_argument("sources")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--programs", type=lambda text: text.split(","), default=programs)
    parser.add_argument("--compilers", type=lambda text: text.split(","), default=["gcc", "clang"])
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    chosen = [load for load in loads(build, os.path.abspath(options.sources), os.path.join(build, "bench", "real"))
              if load.name in options.programs]
    part = collect(build, chosen, options.rounds, options.compilers,
                   lambda line: print(f"{name}: {line}", file=sys.stderr, flush=True))
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"rounds": options.rounds, **part}, file, indent=1)
        file.write("\n")
