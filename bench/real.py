"""The real programs, as they are built and run to be timed.

tests/real/build.py compiles them; two words are added to its variants: `pg`, for gprof, and `inlined`, for clang's
-finstrument-functions-after-inlining."""

import argparse
import json
import os
import sys

from runner import NotRun, run, timed

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "real"))
import build as real_build  # noqa: E402: the path must be set first

real_build.WORDS |= {"pg", "inlined"}
PACKAGES = ["lua5.4", "libzstd", "sqlite3"]
CORPUS_BYTES = 6_000_000


class Builder(real_build.Builder):
    def _flags(self, program, words, generated):
        flags = super()._flags(program, words, generated)
        if "pg" in words:
            flags.append("-pg")
        if "inlined" in words:
            flags.append("-finstrument-functions-after-inlining")
        if {"pg", "inlined"} & set(words):
            flags.remove("-finstrument-functions")
        return flags

    def _links(self, program, words, folder, compiler, objects):
        commands, command = super()._links(program, words, folder, compiler, objects)
        if "pg" in words:
            commands = [[*link, "-pg"] for link in commands]
        return commands, command


class Load:
    """A program with its input. `command(variant)` is what to run and `stdin` what it reads, a path or None."""

    def __init__(self, name, builder, arguments, stdin=None):
        self.name, self.builder, self.arguments, self.stdin = name, builder, arguments, stdin

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


def loads(sources, out):
    """Lua, zstd and SQLite, each with a load of a fraction of a second; the sources are fetched when they are not there."""
    run([os.path.join(HERE, "..", "scripts", "get-sources.sh"), sources, *PACKAGES])
    builder = Builder(sources, out)
    workloads = os.path.join(HERE, "workloads")
    return [Load("lua", builder, [os.path.join(workloads, "lua.lua")]),
            # Without threads that only wait: their time would be in the sum of tottime.
            Load("zstd", builder, ["-q", "--single-thread", "--no-asyncio", "-5", "-c", corpus(sources, out)]),
            Load("sqlite3", builder, [":memory:"], os.path.join(workloads, "sqlite3.sql"))]


def write(name, description, collect, rounds):
    """What a program of this folder that times the real programs does: reads its arguments, writes what `collect` gives."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("build")
    parser.add_argument("sources")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--programs", type=lambda text: text.split(","))
    options = parser.parse_args()
    out = os.path.join(os.path.abspath(options.build), "bench", "real")
    chosen = [load for load in loads(os.path.abspath(options.sources), out)
              if not options.programs or load.name in options.programs]
    rows = collect(options.build, chosen, options.rounds, lambda line: print(f"{name}: {line}", file=sys.stderr, flush=True))
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"rounds": options.rounds, "rows": rows}, file, indent=1)
        file.write("\n")
