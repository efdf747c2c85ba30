#!/usr/bin/env python3
"""Builds the real programs in the variants that the tests ask for, each once.

    build.py --sources FOLDER --out FOLDER PROGRAM VARIANT...

A variant is words joined by dashes, e.g. `gcc-O2`, `clang-O0-plain`, `gcc-O2-lto`, `gcc-O0-gcov-fixed`:

    gcc | clang            the compiler; required. With a version behind it (gcc11, clang19), that one
    O0 | O1 | O2 | O3      required
    plain                  not instrumented
    sleds                  with sleds in place of calls of hooks
    calls                  with calls of hooks that are put in after inlining
    gcov                   counts for gcov, not instrumented
    both                   instrumented, and counts for gcov from the same run
    fixed                  with the program's `fixed` definitions
    lto, nopie             -flto; -fno-pie -no-pie
    static, shared         linked with libcallsig.a, libcallsig.so (--callsig names their folder)
    dlopen                 the program as a shared object that a small host loads
    noeinline              without the early inliner, which runs before gcov's counters are placed
    noinline               without inlining
"""

import argparse
import fcntl
import hashlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import instrumentation
import programs

WORDS = {"gcc", "clang", "O0", "O1", "O2", "O3", "plain", "gcov", "both", "fixed", "lto", "nopie", "static", "shared", "dlopen",
         "noeinline", "noinline", "sleds", "calls"}
# What the link alone is told: builds that differ in nothing else have their objects in common.
LINKED = {"static", "shared"}
COMPILER = re.compile(r"(gcc|clang)([0-9]*)")
HERE = Path(__file__).resolve().parent


def split_version(words):
    """The words with the compiler's bare name, and its version as programs' names have it: "-11", or nothing."""
    versions = [found[2] for found in map(COMPILER.fullmatch, words) if found and found[2]]
    return [found[1] if found else word for word, found in zip(words, map(COMPILER.fullmatch, words))], f"-{versions[0]}" if versions else ""


class Builder:
    """Builds below `out`; finished variants stay there and are used again while their commands and sources are the same."""

    def __init__(self, sources, out, callsig=None, plugins=None, jobs=2):
        self.sources = Path(sources).resolve()
        self.out = Path(out).resolve()
        self.callsig = Path(callsig).resolve() if callsig else None
        self.plugins = Path(plugins).resolve() if plugins else None
        self.jobs = jobs
        self.out.mkdir(parents=True, exist_ok=True)

    def program(self, name):
        return programs.program(name, self.sources)

    def package(self, name):
        return self.sources / programs.MAKERS[name][0]

    def generated(self, program):
        """The folder of the program's generated sources, which are made once."""
        folder = self.out / program.name / "generated"
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if program.prepare and not (folder / ".done").exists():
                program.prepare(self.sources / program.package, folder)
                (folder / ".done").touch()
        return folder

    def _words(self, name, variant):
        """What makes a build of `name` another one than the next: `fixed` does not where there is nothing to fix."""
        words = variant.split("-")
        unknown = set(split_version(words)[0]) - WORDS
        if unknown:
            raise SystemExit(f"build.py: variant {variant}: unknown {', '.join(sorted(unknown))}")
        program = self.program(name)
        return [word for word in words if word != "fixed" or program.fixed or program.clang]

    def folder(self, name, variant):
        """Where `name` is built as `variant`."""
        return self.out / name / "-".join(self._words(name, variant))

    def build(self, name, variant):
        """Returns the command, a list, that runs `name` built as `variant`."""
        words, folder = self._words(name, variant), self.folder(name, variant)
        program = self.program(name)
        generated = self.generated(program)
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return self._build(program, words, folder, generated)

    def _build(self, program, words, folder, generated):
        compiled = [word for word in words if word not in LINKED]
        objects_folder = self.out / program.name / "-".join(compiled)
        if objects_folder == folder:
            objects, stamp = self._compile(program, compiled, folder, generated)
        else:
            objects_folder.mkdir(parents=True, exist_ok=True)
            with open(objects_folder / ".lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                objects, stamp = self._compile(program, compiled, objects_folder, generated)
        words, version = split_version(words)
        links, run = self._links(program, words, version, folder, self._compiler(program, words, version), objects)
        stamp = hashlib.sha256(repr((stamp, links)).encode()).hexdigest()
        done = folder / ".stamp"
        # What is in libcallsig.a may have changed.
        if done.exists() and done.read_text() == stamp and "static" not in words:
            return run
        for command in links:
            self._call(command, folder)
        done.write_text(stamp)
        return run

    def _compile(self, program, words, folder, generated):
        """The objects, in `folder`, and what stands for how they were made."""
        words, version = split_version(words)
        compiler = self._compiler(program, words, version)
        flags = self._flags(program, words, version, generated)
        objects, commands, changed = [], [], []
        for source in program.sources:
            path = generated / source[1:] if isinstance(source, str) else source
            changed.append(path.stat().st_mtime_ns)
            target = folder / ("".join(c if c.isalnum() else "_" for c in str(path.relative_to(path.parents[1]))) + ".o")
            objects.append(target)
            commands.append([*compiler, *flags, "-c", str(path), "-o", str(target)])
        plugins = b"".join(Path(option.removeprefix("-fplugin=")).read_bytes() for option in flags if option.startswith("-fplugin="))
        stamp = hashlib.sha256(repr((commands, changed)).encode() + plugins).hexdigest()
        done = folder / ".compiled"
        if not done.exists() or done.read_text() != stamp:
            with ThreadPoolExecutor(self.jobs) as pool:
                list(pool.map(lambda command: self._call(command, folder), commands))
            done.write_text(stamp)
        return objects, stamp

    @staticmethod
    def _compiler(program, words, version):
        if "clang" in words:
            return [("clang++" if program.language == "c++" else "clang") + version]
        return [("g++" if program.language == "c++" else "gcc") + version]

    def _flags(self, program, words, version, generated):
        package = self.sources / program.package
        opt = next((w for w in words if w in ("O0", "O1", "O2", "O3")), None)
        if opt is None or not {"gcc", "clang"} & set(words):
            raise SystemExit(f"build.py: variant {'-'.join(words)}: name a compiler and O0, O1, O2 or O3")
        flags = ["-g", f"-{opt}", "-w", *program.flags, *program.defines]
        flags += [f"-I{generated if include == '@' else package / include}" for include in program.includes]
        if "fixed" in words:
            flags += program.fixed
        elif "clang" in words:
            flags += program.clang
        flags += self._instrumentation(words, version)
        if "gcov" in words or "both" in words:
            flags += ["--coverage", "-fprofile-update=atomic", "-fprofile-abs-path"]
            flags += program.gcov if program.language == "c" or opt == "O0" else []
        if "noeinline" in words:
            flags.append("-fno-early-inlining")
        if "noinline" in words:
            flags += ["-fno-inline", *(program.gcov if program.language == "c" else [])]
        if "lto" in words:
            flags.append("-flto")
        if "dlopen" in words:
            flags += ["-fPIC", "-Dmain=lua_main"]
        else:
            flags += ["-fno-pie"] if "nopie" in words else ["-fPIE"]
        return flags

    def _instrumentation(self, words, version):
        return instrumentation.options(words, self.plugins, version)

    def _links(self, program, words, version, folder, compiler, objects):
        opt = next(f"-{w}" for w in words if w in ("O0", "O1", "O2", "O3"))
        base = [*compiler, "-g", opt, *program.flags]
        if "lto" in words:
            # gcc's plug-in works where the code is made; clang's sleds are attributes of the functions by then.
            base += [] if "clang" in words else self._instrumentation(words, version)
            base += ["-flto", "-fuse-ld=lld"] if "clang" in words else ["-flto=2"]
        if "gcov" in words or "both" in words:
            base.append("--coverage")
        libs = list(program.libs)
        if "static" in words:
            libs += [str(self.callsig / "libcallsig.a"), "-pthread"]
        if "shared" in words:
            libs += [f"-L{self.callsig}", "-lcallsig", f"-Wl,-rpath,{self.callsig}"]
        target = folder / program.name
        if "dlopen" in words:
            library = folder / f"lib{program.name}.so"
            return ([[*base, "-shared", *map(str, objects), "-o", str(library), *libs],
                     ["gcc", "-g", str(HERE / "inputs/dlopen_host.c"), "-o", str(target), "-ldl"]], [str(target), str(library)])
        base.append("-no-pie" if "nopie" in words else "-pie")
        return [[*base, *map(str, objects), "-o", str(target), *libs]], [str(target)]

    @staticmethod
    def _call(command, folder):
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"build.py: {' '.join(command)}\n{done.stdout}")

    @staticmethod
    def plain(small):
        """The variant that is not instrumented: for the quick tests one that is compiled in a moment."""
        return "gcc-O0-plain-fixed" if small else "gcc-O2-plain"

    def runs(self, name, small=False):
        """The program's runs, with their input files made."""
        program = self.program(name)
        inputs = self.out / name / "inputs"
        inputs.mkdir(parents=True, exist_ok=True)
        if name == "zstd":
            plain = self.build(name, self.plain(small))[0]
            if not (inputs / "zstd-plain").exists():
                (inputs / "zstd-plain").symlink_to(plain)
        return program.runs(self.sources / program.package, inputs, small)


def add_arguments(parser):
    """The options that every driver of real programs takes."""
    parser.add_argument("--sources", required=True, help="folder of unpacked packages (scripts/get-sources.sh)")
    parser.add_argument("--out", required=True, help="folder for builds and inputs")
    parser.add_argument("--callsig", help="folder of libcallsig.a and libcallsig.so")
    parser.add_argument("--plugins", help="folder of callsig's plug-ins of gcc")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("program")
    parser.add_argument("variant", nargs="+")
    options = parser.parse_args()
    builder = Builder(options.sources, options.out, options.callsig, options.plugins)
    for variant in options.variant:
        print(" ".join(builder.build(options.program, variant)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
