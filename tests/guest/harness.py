"""What every guest case uses: building, running plain and profiled, comparing, and holding counts against the recording."""

import copy
import glob
import json
import os
import shutil
import subprocess

import recording
from recording import HERE, INCLUDE, TOP

TIMEOUT = 600


class Failure(Exception):
    """What a case found wrong."""


def kernel_said(program):
    """What the kernel logged of this program's crashes, where it may be read: the instruction at which one died that does not die again."""
    done = subprocess.run(["dmesg"], capture_output=True, text=True, errors="replace", check=False) if shutil.which("dmesg") else None
    name = os.path.basename(program)[:15] + "["
    lines = [line for line in (done.stdout if done else "").splitlines() if name in line]
    return "".join("\nthe kernel: " + line for line in lines[-3:])


def first_existing(*paths):
    return next((path for path in paths if os.path.exists(path)), None)


def find_source(name):
    """A guest by its file's name, in whichever folder of hazards it lies."""
    found = glob.glob(os.path.join(glob.escape(HERE), "*", name))
    if len(found) != 1:
        raise Failure(f"one guest {name} expected below {HERE}, found {found}")
    return found[0]


def compile_program(compiler, options, sources, path, libraries=()):
    command = [compiler, *options, f"-I{INCLUDE}", f"-I{TOP}", *sources, "-o", path, *libraries, "-pthread", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(command)}: {done.stderr}")


def remove_recordings(path):
    """The recording at `path`, and those of the processes that its program started."""
    for name in [path, *glob.glob(glob.escape(path) + ".*")]:
        if os.path.exists(name):
            os.unlink(name)


class Result:
    """One finished run."""

    def __init__(self, command, done, recording_path):
        self.arguments = command
        self.status = done.returncode
        self.output = done.stdout
        self.errors = done.stderr
        self.recording = recording_path
        self.by_command = "run" in command[1:2]

    def told(self, word):
        """The counts that the program told: name -> calls."""
        counts = {}
        for line in self.output.splitlines():
            parts = line.split()
            if len(parts) == 3 and parts[0] == word:
                counts[parts[1]] = int(parts[2])
        return counts

    def fixed_output(self):
        return [line for line in self.output.splitlines() if not line.startswith("varies ")]

    def remove(self):
        remove_recordings(self.recording)


class Tools:
    """The built callsig, and a folder of this case's own with a cache of its own."""

    def __init__(self, build, scratch):
        self.build = os.path.abspath(build)
        self.scratch = os.path.abspath(scratch)
        os.makedirs(self.scratch, exist_ok=True)
        self.cache = os.path.join(self.scratch, "cache")
        self.preload = first_existing(os.path.join(self.build, "profiler", "libcallsig.so"),
                                      os.path.join(self.build, "libcallsig.so"))
        self.command = first_existing(os.path.join(self.build, "cli", "callsig"), os.path.join(self.build, "callsig"))
        if not self.preload:
            raise SystemExit(f"run_guest.py: no libcallsig.so under {build}: build it first")
        self.modes = ["preload"] + (["run"] if self.command else [])
        self.layout = recording.read_layout(self.scratch)
        self.runs = 0

    def within(self, name):
        """The same for a part of the case, in a folder of its own: an index that another part had made is not found."""
        part = copy.copy(self)
        part.scratch = os.path.join(self.scratch, name)
        part.cache = os.path.join(part.scratch, "cache")
        os.makedirs(part.scratch, exist_ok=True)
        return part

    def environment(self, **more):
        names = {name: value for name, value in os.environ.items() if not name.startswith(("CALLSIG_", "OMPI_", "PMI", "SLURM_"))}
        names["CALLSIG_CACHE_DIR"] = self.cache
        if self.command:
            names["CALLSIG_COMMAND"] = self.command
        names.update(more)
        return names

    def link_with(self, kind):
        """What links the runtime: "shared" or "static". Programs with sleds refer to nothing in it, and linkers leave out what is not
        referred to."""
        folder = os.path.dirname(self.preload)
        if kind == "static":
            return ["-Wl,-u,callsig_version", os.path.join(folder, "libcallsig.a")]
        return ["-Wl,--push-state,--no-as-needed", self.preload, "-Wl,--pop-state", f"-Wl,-rpath,{folder}"]

    def hooks_of(self, compiler):
        """The compiler's own name, and what puts hooks into a program: "gcc", or sleds: "gcc-sleds"."""
        name = compiler.removesuffix("-sleds")
        if name == compiler:
            return name, ["-finstrument-functions"]
        if name.startswith("clang"):
            return name, ["-Xclang", "-fxray-instrument", "-Xclang", "-fxray-instruction-threshold=1"]
        return name, [f"-fplugin={self.gcc_plugin(name)}"]

    def gcc_plugin(self, compiler):
        done = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True, timeout=TIMEOUT, check=True)
        return os.path.join(self.build, "instrument", f"gcc-{done.stdout.split('.')[0].strip()}", "callsig_sleds.so")

    def lacks(self, compiler):
        """What is missing to build with this compiler, or None."""
        name = compiler.removesuffix("-sleds")
        if not shutil.which(name):
            return f"no {name}"
        if name != compiler and not name.startswith("clang") and not os.path.exists(self.gcc_plugin(name)):
            return f"no plug-in for this {name}"
        return None

    def build_guest(self, *arguments):
        return Guest(self, *arguments)

    def new_recording(self):
        self.runs += 1
        path = os.path.join(self.scratch, f"recording-{self.runs}")
        remove_recordings(path)
        return path

    def read(self, path):
        try:
            return recording.Recording(path, self.layout)
        except (OSError, recording.Broken) as error:
            raise Failure(f"{path}: {error}") from error

    def other_recordings(self, result):
        return [path for path in sorted(glob.glob(glob.escape(result.recording) + ".*"))]

    def only_other_recording(self, result):
        others = self.other_recordings(result)
        if len(others) != 1:
            raise Failure(f"one recording of a child expected, found {others}")
        return others[0]

    def compare(self, plain, profiled):
        expected = plain.status
        if profiled.by_command and expected < 0:
            expected = 128 - expected  # what `callsig run` says of a signal
        if expected != profiled.status:
            raise Failure(f"exit status {profiled.status}, plain {plain.status}; it said: {profiled.errors}{kernel_said(plain.arguments[0])}")
        if plain.fixed_output() != profiled.fixed_output():
            raise Failure(f"output differs:\n{profiled.output}\nplain:\n{plain.output}")

    def expect_counts(self, path, expected, exact):
        """Every expected count is in the recording, and in the report. Inexact: calls that could not be recorded (by a hook
        that a signal interrupted in a slow section, by a thread past its end) are counted as such, so that nothing is missing
        from the sum."""
        if not expected:
            raise Failure(f"no counts to look for in {path}: the program told none")
        read = self.read(path)
        lost = read.loss["nested"] + read.loss["late"]
        missing = 0
        for name, calls in expected.items():
            found = read.calls.get(name, [0, 0])[0]
            if exact and found != calls or not exact and not calls - lost <= found <= calls:
                raise Failure(f"{name} was called {calls} times, the recording says {found} (losses: {read.loss})")
            missing += calls - found
        if not exact and missing > lost:
            raise Failure(f"{missing} calls missing, {lost} counted as lost")
        if self.command:
            self.expect_report(path, read)

    def report_rows(self, path, by="function", *options):
        """The rows of `callsig report`; nothing while there is no such command."""
        return self.report(path, by, *options)["rows"] if self.command else []

    def report(self, path, by="function", *options):
        """All that `callsig report` says."""
        done = subprocess.run([self.command, "report", path, "--by", by, "--format", "json", *options],
                              capture_output=True, text=True, timeout=TIMEOUT, env=self.environment(), check=False)
        if done.returncode:
            raise Failure(f"callsig report {path}: {done.stderr}")
        return json.loads(done.stdout)

    def merge(self, paths, into):
        done = subprocess.run([self.command, "merge", "-o", into, *paths], capture_output=True, text=True, timeout=TIMEOUT,
                              env=self.environment(), check=False)
        if done.returncode:
            raise Failure(f"callsig merge: {done.stderr}")

    def expect_report(self, path, read):
        found = {}
        for row in self.report_rows(path):
            found[row["function"]] = found.get(row["function"], 0) + row["ncalls"]
        for name, (calls, _primitive) in read.calls.items():
            if calls and found.get(name) != calls:
                raise Failure(f"report says {name} was called {found.get(name)} times, the recording {calls}")


class Guest:
    """A guest program, built one way."""

    def __init__(self, tools, source, compiler, level, flags=(), debug=True, libraries=None, name=""):
        self.tools = tools
        self.compiler, self.hooks = tools.hooks_of(compiler)
        self.options = (["-g"] if debug else []) + [level, *flags]
        stem = os.path.splitext(source)[0]
        self.tag = f"{stem}-{compiler}{level}{name}{'' if debug else '-nodebug'}"
        self.libraries = libraries or []
        self.plain = None if libraries else self.compile(source, self.tag + "-plain", [])
        self.path = self.compile(source, self.tag, self.hooks)

    def compile(self, source, name, extra):
        path = os.path.join(self.tools.scratch, name)
        compile_program(self.compiler, [*self.options, *extra], [find_source(source)], path, self.libraries)
        return path

    def build_plugin(self, name):
        return self.compile("plugin.c", f"{name}-{self.tag}.so", [f"-DPLUGIN={name}", "-shared", "-fPIC", *self.hooks])

    def run(self, command, environment, recording_path, timeout=TIMEOUT, **more):
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, check=False,
                              cwd=self.tools.scratch, **more)
        return Result(command, done, recording_path)

    def run_plain(self, arguments):
        return self.run([self.plain, *arguments], self.tools.environment(), None)

    def run_profiled(self, arguments, mode="preload", output=None, program=None, settings=None, **more):
        path = output or self.tools.new_recording()
        program = program or self.path
        if mode == "run":
            return self.run([self.tools.command, "run", "--apart", "-o", path, "--", program, *arguments], self.tools.environment(),
                            path, **more)
        environment = self.tools.environment(LD_PRELOAD=self.tools.preload, CALLSIG_OUTPUT=path)
        environment.update(settings or {})
        return self.run([program, *arguments], environment, path, **more)

    def run_linked(self, *arguments, timeout=TIMEOUT, **settings):
        """A program that links the runtime, which must say nothing and end well."""
        path = self.tools.new_recording()
        result = self.run([self.path, *arguments], self.tools.environment(CALLSIG_OUTPUT=path, **settings), path, timeout)
        if result.status or result.errors:
            raise Failure(f"{arguments}: exit status {result.status}: {result.errors}")
        return result
