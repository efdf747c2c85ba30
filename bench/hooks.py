#!/usr/bin/env python3
"""hooks.py BUILD_DIR OUT.json [--rounds N] [--tools KEY,...] [--patterns NAME,...] [--compilers NAME,...]

Nanoseconds for a call of a function with sleds, beside sleds that call hooks which do nothing or only read the clock, on the call
patterns of pairs.py and some more; and the system calls that a steady run makes for calls."""

import os
import re

import pairs
from real import WORKLOADS, instrumentation
from runner import Folder, NotRun, need, run
from tools import Callsig, Plain, Preloaded, build_sled_hooks

PATTERNS = ["chain", "fib", "table", "two_args", "four_sigs", "random_16", "random_256", "frame", "leaf", "pointer", "string"]
RULES = os.path.join(WORKLOADS, "patterns.rules")
BASES = ("floor", "empty", "exact", "auto")
STEADY = {"off", "auto", "exact", "auto_rules", "exact_rules"}
STEADY_ROUNDS = (20_000, 200_000)


def sled_options(compiler, plugins):
    try:
        return instrumentation.options({compiler, "sleds"}, plugins)
    except SystemExit as error:
        raise NotRun(str(error)) from error


class Sleds(Plain):
    """The program built with sleds, which nobody turns on; with `hooks`, those of programs/sled_hooks.c do."""

    def __init__(self, key, label, what, plugins, library=None, hooks=None):
        super().__init__(key, label, what)
        self.plugins, self.library, self.hooks = plugins, library, hooks

    def instrumentation(self, compiler):
        return sled_options(compiler, self.plugins)

    def environment(self, _):
        return {"LD_PRELOAD": self.library, "BENCH_SLED_HOOKS": self.hooks} if self.hooks else {}

    def run(self, program, arguments, folder):
        return run([program, *arguments], self.environment(folder), folder), None


class Recorded(Preloaded):
    """callsig, in a program with sleds. `counted` is whether every call is to be found in the recording."""

    def __init__(self, key, label, what, callsig, plugins, settings, counted=True):
        super().__init__(key, label, what, callsig, settings)
        self.plugins, self.counted = plugins, counted

    def instrumentation(self, compiler):
        return sled_options(compiler, self.plugins)

    def check(self, calls, recording):
        if self.counted:
            super().check(calls, recording)


def all_tools(build):
    callsig, plugins = Callsig(build), os.path.join(os.path.abspath(build), "instrument")
    library = build_sled_hooks(build)

    def recorded(key, label, settings, counted=True):
        what = ", ".join(f"`{name}={os.path.basename(value)}`" for name, value in settings.items())
        return Recorded(key, label, f"preloaded, {what}", callsig, plugins, settings, counted)

    return [
        Plain("plain", "not instrumented", "the program as it is"),
        Sleds("off", "sleds off", "sleds that nobody turns on", plugins),
        Sleds("empty", "empty hooks", "each sled calls a hook that returns", plugins, library, "empty"),
        Sleds("floor", "**floor**", "each sled calls a hook that keeps its registers and reads `rdtsc`", plugins, library, "floor"),
        recorded("disabled", "callsig, disabled", {"CALLSIG_DISABLED": "1"}, False),
        recorded("filtered", "callsig, filtered", {"CALLSIG_EXCLUDE": "*"}, False),
        recorded("auto", "callsig, auto", {"CALLSIG_TIMES": "auto"}),
        recorded("auto_no_signatures", "callsig, auto, no signatures", {"CALLSIG_TIMES": "auto", "CALLSIG_NO_SIGNATURES": "1"}),
        recorded("auto_rules", "callsig, auto, with rules", {"CALLSIG_TIMES": "auto", "CALLSIG_RULES": RULES}),
        recorded("exact", "callsig, exact", {"CALLSIG_TIMES": "exact"}),
        recorded("exact_no_signatures", "callsig, exact, no signatures", {"CALLSIG_TIMES": "exact", "CALLSIG_NO_SIGNATURES": "1"}),
        recorded("exact_rules", "callsig, exact, with rules", {"CALLSIG_TIMES": "exact", "CALLSIG_RULES": RULES}),
    ]


def system_calls(program, pattern, rounds, environment):
    """How many system calls the program makes, its threads' included. A tracer would stop it at each, which the runtime takes for a wait
    and asks the kernel about: so the kernel counts."""
    with Folder() as folder:
        counts = os.path.join(folder, "counts")
        settings = [f"{name}={value}" for name, value in environment(os.path.join(folder, "callsig.out")).items()]
        run(["perf", "stat", "-x,", "-e", "raw_syscalls:sys_enter", "-o", counts, "env", *settings, program, pattern, "rounds", str(rounds)])
        with open(counts, encoding="utf-8") as file:
            total = re.search(r"^(\d+),,raw_syscalls:sys_enter", file.read(), re.MULTILINE)
    if total is None:
        raise NotRun("the kernel does not let perf count system calls")
    return int(total.group(1))


def steady(folder, chosen, compilers):
    """For every tool and pattern: the system calls of a long run beyond those of a short one."""
    rows = []
    for compiler in compilers:
        for tool in chosen:
            program = os.path.join(folder, compiler, tool.key)
            # Why a program could not be built stands in the rows of its times.
            for pattern in PATTERNS if tool.key in STEADY and os.path.exists(program) else ():
                row = {"compiler": compiler, "tool": tool.key, "pattern": pattern}
                try:
                    need("perf")
                    # What is read for the first time takes system calls of its own.
                    system_calls(program, pattern, rounds_of(pattern)[0], tool.environment)
                    short, long = (system_calls(program, pattern, rounds, tool.environment) for rounds in rounds_of(pattern))
                    row.update(short=short, more=long - short)
                except NotRun as reason:
                    row["not_run"] = str(reason)
                rows.append(row)
    return {"steady": rows}


def rounds_of(pattern):
    """A short and a long run; a round of fib and table is many calls."""
    return [rounds // 2000 if pattern == "fib" else rounds // 20 if pattern == "table" else rounds for rounds in STEADY_ROUNDS]


if __name__ == "__main__":
    pairs.write("hooks", __doc__.splitlines()[0], all_tools, PATTERNS, BASES, 7, "sleds", steady)
