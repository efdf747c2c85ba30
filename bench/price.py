#!/usr/bin/env python3
"""price.py BUILD_DIR SOURCES OUT.json [--rounds N] [--programs NAME,...] [--compilers NAME,...]

How much slower whole programs run under callsig, by each way of instrumenting them, and under other tools, and how much each
writes: every way once, then all again."""

import os

import real
from runner import Folder, NotRun, disk_bytes, interleave, median, median_ratio, need, spread
from tools import Callsig, build_hooks, build_sled_hooks

PROGRAMS = ["lua", "zstd", "sqlite3", "jsonnet", "tensor"]
# How a program is instrumented: what that is called, and the words that tests/real/build.py knows it by.
SHAPES = {"sleds": ("sleds", "-sleds"), "calls": ("after inlining", "-calls"), "hooks": ("before inlining", "")}
MODES = {"auto": ("callsig, auto", "auto", []), "auto_no_signatures": ("callsig, auto, no signatures", "auto", ["--no-signatures"]),
         "exact": ("callsig, exact", "exact", []), "exact_no_signatures": ("callsig, exact, no signatures", "exact", ["--no-signatures"])}
# Calls through a slot cost the same however the program is instrumented: measured with sleds alone.
SLED_MODES = {"library": ("callsig, auto, library calls", "auto", ["--library-calls"])}


class Way:
    """A way of running a program: `wrap(program and arguments, folder)` gives the command and its environment. `shape` is how it is
    instrumented, None for other tools, and `data` the name of what it leaves in the folder."""

    def __init__(self, shape, tool, label, variant, wrap, data=None):
        self.shape, self.tool, self.label, self.variant, self.wrap, self.data = shape, tool, label, variant, wrap, data


def as_it_is(command, folder):
    return command, {}


def preload(library, **more):
    return lambda command, folder: (command, {"LD_PRELOAD": library, **more})


def callsig_run(callsig, times, options):
    def wrap(command, folder):
        recording = os.path.join(folder, "callsig.out")
        return [callsig.command, "run", "-o", recording, "--times", times, *options, "--", *command], {"CALLSIG_CACHE_DIR": callsig.cache}
    return wrap


def uftrace(command, folder):
    need("uftrace")
    data = os.path.join(folder, "uftrace.data")
    return ["uftrace", "record", "--no-libcall", "--no-event", "-d", data, *command], {}


def base_hooks(build, shape, variant):
    """The program with hooks that do nothing, and with hooks that only read the clock."""
    folder = os.path.join(build, "bench")
    for tool, label in (("empty", "empty hooks"), ("floor", "**floor**")):
        library = "libsled_hooks.so" if shape == "sleds" else f"lib{tool}.so"
        environment = {"BENCH_SLED_HOOKS": tool} if shape == "sleds" else {}
        yield Way(shape, tool, label, variant, preload(os.path.join(folder, library), **environment))


def shaped_ways(build, compiler, shape, load):
    callsig = Callsig(build)
    variant = f"{compiler}-O2{SHAPES[shape][1]}"
    found = [Way(shape, "off", "sleds off", variant, as_it_is)] if shape == "sleds" else []
    found += base_hooks(build, shape, variant)
    return found + [Way(shape, tool, label, variant, callsig_run(callsig, times, [*options, *load.options]), "callsig.out")
                    for tool, (label, times, options) in {**MODES, **(SLED_MODES if shape == "sleds" else {})}.items()]


def ways(build, compiler, load):
    found = [Way(None, "plain", "not instrumented", f"{compiler}-O2-plain", as_it_is)]
    if compiler == "gcc":
        found += [Way(None, "gprof", "gprof", "gcc-O2-pg", as_it_is, "gmon.out"),
                  Way(None, "uftrace", "uftrace (`-pg`)", "gcc-O2-pg", uftrace, "uftrace.data")]
    for shape in SHAPES:
        found += shaped_ways(build, compiler, shape, load)
    return {(way.shape, way.tool): way for way in found}


def measure(load, way):
    with Folder() as folder:
        command, environment = way.wrap(load.command(way.variant), folder)
        wall, cpu = load.timed(command, environment, folder)
        stored = disk_bytes(os.path.join(folder, way.data)) if way.data else None
        if stored == 0:
            raise NotRun(f"{way.tool} left no data")
        return {"wall": wall, "cpu": cpu, "bytes": stored}


def cpu_ratio(runs, base):
    return median_ratio([run["cpu"] for run in runs], [run["cpu"] for run in base])


def summarise(runs, plain, floor, without_signatures):
    walls = [run["wall"] for run in runs]
    row = {"seconds": median(walls), "spread": spread(walls), "cpu_seconds": median([run["cpu"] for run in runs]),
           "runs": len(runs)}
    if plain:
        row["slowdown"] = median_ratio(walls, [run["wall"] for run in plain])
        row["cpu_slowdown"] = cpu_ratio(runs, plain)
    if floor:
        row["cpu_to_floor"] = cpu_ratio(runs, floor)
    if without_signatures:
        row["cpu_to_no_signatures"] = cpu_ratio(runs, without_signatures)
    if runs[0]["bytes"] is not None:
        row["bytes"] = median([run["bytes"] for run in runs])
    return row


def collect(build, loads, rounds, compilers, say):
    build_hooks(build)
    build_sled_hooks(build)
    rows = []
    for compiler in compilers:
        for load in loads:
            chosen = ways(build, compiler, load)
            runs, reasons = interleave(rounds, list(chosen), lambda key: measure(load, chosen[key]),
                                       lambda line: say(f"{load.name}, {compiler}: {line}"))
            for (shape, tool), way in chosen.items():
                row = {"program": load.name, "build": f"{compiler} -O2", "shape": shape, "tool": tool, "label": way.label}
                bases = [(None, "plain"), (shape, "floor"), (shape, f"{tool}_no_signatures")]
                row.update(summarise(runs[shape, tool], *(runs.get(base) for base in bases)) if runs[shape, tool]
                           else {"not_run": reasons[shape, tool]})
                rows.append(row)
    return {"rows": rows}


if __name__ == "__main__":
    real.write("price", __doc__.splitlines()[0], collect, 3, PROGRAMS)
