"""The tools whose cost per call is measured: how each builds the call patterns, and how it runs them.

All build the same two files, programs/calls.c with the tool's instrumentation and programs/measure.c without it.
"""

import json
import os
import re
import subprocess

from runner import NotRun, compile_with, disk_bytes, need, run

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
FLAGS = ["-O2", "-g", "-pthread", f"-I{PROGRAMS}"]


def source(name):
    return os.path.join(PROGRAMS, name)


class Callsig:
    """Where a build tree keeps what the benchmarks run."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.library = os.path.join(self.build, "profiler", "libcallsig.so")
        self.archive = os.path.join(self.build, "profiler", "libcallsig.a")
        self.command = os.path.join(self.build, "cli", "callsig")
        self.cache = os.path.join(self.build, "bench", "cache")

    def require(self):
        for path in (self.library, self.archive, self.command):
            if not os.path.exists(path):
                raise NotRun(f"{os.path.relpath(path, self.build)} has not been built")

    def environment(self, recording):
        return {"CALLSIG_OUTPUT": recording, "CALLSIG_COMMAND": self.command, "CALLSIG_CACHE_DIR": self.cache}

    def index(self, program, settings=None):
        """Has the program's index made, so that no run with these settings pays for it."""
        run([self.command, "index", "--cache", program], {"CALLSIG_CACHE_DIR": self.cache, **(settings or {})})

    def report(self, recording, *options):
        return json.loads(run([self.command, "report", recording, "--format", "json", *options]))

    def check_calls(self, calls, recording, what):
        """The calls of the pattern, and those of the few functions that repeat it, are all there."""
        rows = self.report(recording, "--by", "function")["rows"]
        counted = sum(row["ncalls"] for row in rows if not row["function"].startswith("run_"))
        if counted != calls:
            raise NotRun(f"{what} counted {counted} calls of {calls}")


class Tool:
    """`key` names the tool in results.json, `label` in the tables, `what` says there what was done. `stores` is whether it
    leaves data on disk for each call."""

    def __init__(self, key, label, what, compilers=("gcc", "clang"), stores=False):
        self.key, self.label, self.what, self.compilers, self.stores = key, label, what, compilers, stores

    def build(self, compiler, folder):
        """Builds the program in `folder` and returns its path, or raises NotRun."""
        calls, measure = os.path.join(folder, f"calls-{self.key}.o"), os.path.join(folder, f"measure-{self.key}.o")
        program = os.path.join(folder, self.key)
        compile_with(compiler, *FLAGS, *self.instrumentation(compiler), "-c", source("calls.c"), "-o", calls)
        compile_with(compiler, *FLAGS, "-c", source("measure.c"), "-o", measure)
        compile_with(compiler, "-pthread", measure, calls, *self.link(compiler, folder), "-o", program)
        return program

    def instrumentation(self, compiler):
        return ["-finstrument-functions"]

    def link(self, compiler, folder):
        return []

    def run(self, program, arguments, folder):
        """Runs the program with its data in `folder`; returns what it printed and a note or None."""
        return run([program, *arguments], cwd=folder), None


class Plain(Tool):
    def instrumentation(self, compiler):
        return []


class Hooks(Tool):
    """Hooks in a shared library of their own."""

    def __init__(self, key, label, what, hooks):
        super().__init__(key, label, what)
        self.hooks = hooks

    def link(self, compiler, folder):
        library = f"lib{self.key}.so"
        compile_with(compiler, *FLAGS, "-shared", "-fPIC", source(self.hooks), "-o", os.path.join(folder, library))
        return [f"-L{folder}", f"-l:{library}", f"-Wl,-rpath,{folder}"]


class Preloaded(Tool):
    """callsig, in a program that knows nothing of it."""

    def __init__(self, key, label, what, callsig, settings):
        super().__init__(key, label, what)
        self.callsig, self.settings = callsig, settings

    def build(self, compiler, folder):
        self.callsig.require()
        program = super().build(compiler, folder)
        self.callsig.index(program, self.settings)
        return program

    def environment(self, recording):
        return {**self.callsig.environment(recording), "LD_PRELOAD": self.callsig.library, **self.settings}

    def run(self, program, arguments, folder):
        recording = os.path.join(folder, "callsig.out")
        printed = run([program, *arguments], self.environment(recording), folder)
        self.check(json.loads(printed)["calls"], recording)
        return printed, None

    def check(self, calls, recording):
        if "CALLSIG_DISABLED" not in self.settings:
            self.callsig.check_calls(calls, recording, self.key)


class Linked(Preloaded):
    """callsig as a static library."""

    def link(self, compiler, folder):
        return [self.callsig.archive]

    def environment(self, recording):
        return {**self.callsig.environment(recording), **self.settings}


class Gprof(Tool):
    def instrumentation(self, compiler):
        return ["-pg"]

    def link(self, compiler, folder):
        need("gprof")
        return ["-pg"]


class Uftrace(Tool):
    def __init__(self, key, label, what, instrumentation, options):
        super().__init__(key, label, what, stores=True)
        self.flags, self.options = instrumentation, options

    def instrumentation(self, compiler):
        need("uftrace")
        return [self.flags]

    def link(self, compiler, folder):
        return [flag for flag in [self.flags] if flag == "-pg"]

    def run(self, program, arguments, folder):
        data = os.path.join(folder, "uftrace.data")
        printed = run(["uftrace", "record", "--no-libcall", "--no-event", "-d", data, *self.options, program, *arguments],
                      cwd=folder)
        return printed[printed.index("{"):], None


class XRay(Tool):
    def __init__(self, key, label, what, mode, options=""):
        super().__init__(key, label, what, compilers=("clang",), stores=mode in ("xray-basic",))
        self.mode, self.options = mode, options

    def instrumentation(self, compiler):
        return ["-fxray-instrument", "-fxray-instruction-threshold=1"]

    def link(self, compiler, folder):
        start = os.path.join(folder, f"start-{self.key}.o")
        compile_with(compiler, *FLAGS, "-c", source("xray_start.c"), "-o", start)
        return ["-fxray-instrument", "-fxray-modes=xray-profiling,xray-basic,xray-fdr", start]

    def run(self, program, arguments, folder):
        settings = {"BENCH_XRAY_MODE": self.mode, "BENCH_XRAY_MODE_OPTIONS": self.options} if self.mode else {}
        return run([program, *arguments], settings, folder), None


class Lttng(Tool):
    """The function tracer of LTTng-UST, with a session of its own for each run."""

    SESSION = "callsig-bench"
    LIBRARY = "liblttng-ust-cyg-profile-fast.so"

    def build(self, compiler, folder):
        need("lttng", "lttng-sessiond")
        program = super().build(compiler, folder)
        loaded = subprocess.run([program, "chain", "rounds", "1"], env={**os.environ, "LD_PRELOAD": self.LIBRARY},
                                stderr=subprocess.PIPE, text=True, check=False)
        if "cannot be preloaded" in loaded.stderr:
            raise NotRun(f"{self.LIBRARY} is not installed")
        return program

    def run(self, program, arguments, folder):
        run(["lttng", "create", self.SESSION, "-o", os.path.join(folder, "trace")])
        try:
            run(["lttng", "enable-channel", "-u", "calls", "--subbuf-size", "4M", "--num-subbuf", "8"])
            run(["lttng", "enable-event", "-u", "lttng_ust_cyg_profile_fast:*", "-c", "calls"])
            run(["lttng", "start"])
            printed = run([program, *arguments], {"LD_PRELOAD": self.LIBRARY}, folder)
            stopped = subprocess.run(["lttng", "stop"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                     check=False).stdout
        finally:
            subprocess.run(["lttng", "destroy", self.SESSION], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           check=False)
        lost = re.search(r"(\d+) events? (?:were |was )?discarded", stopped)
        return printed, f"{lost.group(1)} events were discarded" if lost else None


def build_hooks(build):
    """Hooks of -finstrument-functions for programs that are built without them: BUILD/bench/libempty.so and libfloor.so."""
    folder = os.path.join(os.path.abspath(build), "bench")
    os.makedirs(folder, exist_ok=True)
    for key in ("empty", "floor"):
        Hooks(key, key, "", f"hooks_{key}.c").link("gcc", folder)


def build_sled_hooks(build):
    """Hooks of sleds: BUILD/bench/libsled_hooks.so, which is returned."""
    library = os.path.join(os.path.abspath(build), "bench", "libsled_hooks.so")
    os.makedirs(os.path.dirname(library), exist_ok=True)
    compile_with("gcc", *FLAGS, f"-I{os.path.join(HERE, '..')}", "-shared", "-fPIC", source("sled_hooks.c"), "-o", library)
    return library


def data_bytes(folder):
    return disk_bytes(folder)


def all_tools(build):
    callsig = Callsig(build)
    return [
        Plain("plain", "not instrumented", "the program as it is"),
        Hooks("empty", "empty hooks", "hooks that return, in a shared library", "hooks_empty.c"),
        Hooks("floor", "**floor**", "hooks that read `rdtsc` and nothing else, in a shared library", "hooks_floor.c"),
        Preloaded("disabled", "callsig, disabled", "preloaded, `CALLSIG_DISABLED=1`", callsig, {"CALLSIG_DISABLED": "1"}),
        Preloaded("no_signatures", "callsig, no signatures", "preloaded, `--no-signatures`", callsig,
                  {"CALLSIG_NO_SIGNATURES": "1"}),
        Preloaded("signatures", "callsig", "preloaded, with signatures", callsig, {}),
        Preloaded("percentiles", "callsig, percentiles", "preloaded, with signatures, `CALLSIG_PERCENTILES=1`", callsig,
                  {"CALLSIG_PERCENTILES": "1"}),
        Preloaded("percentiles_only", "callsig, percentiles, no signatures",
                  "preloaded, `--no-signatures`, `CALLSIG_PERCENTILES=1`", callsig,
                  {"CALLSIG_PERCENTILES": "1", "CALLSIG_NO_SIGNATURES": "1"}),
        Preloaded("timeline", "callsig, timeline of longer calls", "preloaded, with signatures, `--timeline`: none is so long",
                  callsig, {"CALLSIG_TIMELINE": "1s"}),
        Preloaded("timeline_all", "callsig, timeline of all calls", "preloaded, with signatures, `--timeline=0`", callsig,
                  {"CALLSIG_TIMELINE": "0"}),
        Linked("static", "callsig, static", "linked statically, with signatures", callsig, {}),
        Gprof("gprof", "gprof", "`-pg`; counts calls and samples, no time for each call"),
        Uftrace("uftrace", "uftrace", "`-finstrument-functions`, `uftrace record --no-libcall --no-event`",
                "-finstrument-functions", []),
        Uftrace("uftrace_args", "uftrace with arguments", "`-pg`, `uftrace record -a --no-libcall --no-event`", "-pg", ["-a"]),
        XRay("xray_unpatched", "XRay, not patched", "`-fxray-instrument`, sleds left as they are", None),
        XRay("xray_profiling", "XRay profiling", "every function patched, mode `xray-profiling`", "xray-profiling"),
        XRay("xray_basic", "XRay basic", "every function patched, mode `xray-basic`, no call dropped for being short",
             "xray-basic", "func_duration_threshold_us=0"),
        Lttng("lttng", "LTTng-UST", "preloaded `liblttng-ust-cyg-profile-fast.so`, eight buffers of 4 MiB", stores=True),
    ]
