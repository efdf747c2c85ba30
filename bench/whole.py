#!/usr/bin/env python3
"""whole.py BUILD_DIR SOURCES OUT.json [--rounds N] [--programs NAME,...]

How much slower whole programs run under each tool, and how much each writes: every tool once, then all again."""

import os

import real
from runner import Folder, NotRun, disk_bytes, interleave, median, median_ratio, need, spread
from tools import Callsig, Hooks

# The builds: what they are called, the variant for most tools, and the one for gprof.
BUILDS = {
    "gcc": ("gcc -O2", "gcc-O2", "gcc-O2-pg"),
    "clang_inlined": ("clang -O2, after inlining", "clang-O2-inlined", "clang-O2-pg"),
}


class Way:
    """A way of running a program: `wrap(program and arguments, folder)` gives the command and its environment."""

    def __init__(self, key, label, variant, wrap, data=None):
        self.key, self.label, self.variant, self.wrap, self.data = key, label, variant, wrap, data


def preload(library):
    return lambda command, folder: (command, {"LD_PRELOAD": library})


def callsig_run(callsig, *options):
    def wrap(command, folder):
        recording = os.path.join(folder, "callsig.out")
        return [callsig.command, "run", "-o", recording, *options, "--", *command], {"CALLSIG_CACHE_DIR": callsig.cache}
    return wrap


def uftrace(command, folder):
    need("uftrace")
    data = os.path.join(folder, "uftrace.data")
    return ["uftrace", "record", "--no-libcall", "--no-event", "-d", data, *command], {}


def ways(build, plain, variant, profiled):
    callsig = Callsig(build)
    hooks = os.path.join(callsig.build, "bench")
    as_it_is = lambda command, folder: (command, {})
    return [
        Way("plain", "not instrumented", plain, as_it_is),
        Way("empty", "empty hooks", variant, preload(os.path.join(hooks, "libempty.so"))),
        Way("floor", "**floor**", variant, preload(os.path.join(hooks, "libfloor.so"))),
        Way("no_signatures", "callsig, no signatures", variant, callsig_run(callsig, "--no-signatures"), "callsig.out"),
        Way("signatures", "callsig", variant, callsig_run(callsig), "callsig.out"),
        Way("gprof", "gprof", profiled, as_it_is, "gmon.out"),
        Way("uftrace", "uftrace", variant, uftrace, "uftrace.data"),
    ]


def build_hooks(build):
    folder = os.path.join(os.path.abspath(build), "bench")
    os.makedirs(folder, exist_ok=True)
    for key in ("empty", "floor"):
        Hooks(key, key, "", f"hooks_{key}.c").link("gcc", folder)


def measure(load, way):
    with Folder() as folder:
        command, environment = way.wrap(load.command(way.variant), folder)
        wall, cpu = load.timed(command, environment, folder)
        stored = disk_bytes(os.path.join(folder, way.data)) if way.data else None
        if stored == 0:
            raise NotRun(f"{way.key} left no data")
        return {"wall": wall, "cpu": cpu, "bytes": stored}


def summarise(runs, plain):
    walls = [run["wall"] for run in runs]
    row = {"seconds": median(walls), "spread": spread(walls), "cpu_seconds": median([run["cpu"] for run in runs]),
           "runs": len(runs)}
    if plain:
        row["slowdown"] = median_ratio(walls, [run["wall"] for run in plain])
        row["cpu_slowdown"] = median_ratio([run["cpu"] for run in runs], [run["cpu"] for run in plain])
    if runs[0]["bytes"] is not None:
        row["bytes"] = median([run["bytes"] for run in runs])
    return row


def collect(build, loads, rounds, say):
    build_hooks(build)
    rows = []
    for key, (label, variant, profiled) in BUILDS.items():
        chosen = {way.key: way for way in ways(build, f"{key.split('_')[0]}-O2-plain", variant, profiled)}
        for load in loads:
            runs, reasons = interleave(rounds, list(chosen), lambda name: measure(load, chosen[name]),
                                       lambda line: say(f"{load.name}, {label}: {line}"))
            for name, way in chosen.items():
                row = {"program": load.name, "build": label, "tool": name, "label": way.label}
                row.update(summarise(runs[name], runs["plain"]) if runs[name] else {"not_run": reasons[name]})
                rows.append(row)
    return rows


if __name__ == "__main__":
    real.write("whole", __doc__.splitlines()[0], collect, 3)
