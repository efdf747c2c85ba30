#!/usr/bin/env python3
"""Runs the guest programs without and under the profiler and compares: output, exit status, and every count.

    run_guest.py --build BUILD_DIR [--keep] [--sleds] [--quick | --rest] [CASE...]
    run_guest.py --list

A case is built with gcc and clang at -O0 and -O2 (guests that take long: one build), and once with sleds in place of the
compiler's own hooks: by gcc's plug-in in one case, by clang in the next, without optimisation, since sleds are placed after
inlining and a guest counts its functions as they are written. Each build runs plain and with libcallsig preloaded, and passes when both runs print and end the same, and every count that the program tells of itself is the count in the
recording and in `callsig report --format json`. --quick takes of the four builds one of each compiler and each level; --rest the others,
of all cases that are not long. Exit status 77: no compiler of these builds is there.
"""

import argparse
import collections
import os
import shutil
import subprocess
import sys
import tempfile

import environment
import library_calls
import loading
import sampled_times
import switched
import unread
from harness import Failure, Tools

EVERY = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O2")]
ONE = [("gcc", "-O2")]
CXX = [(compiler, level) for compiler in ("g++", "clang++") for level in ("-O0", "-O2")]

Case = collections.namedtuple("Case", "source builds runs check flags plugins sleds")


def case(source, builds=None, runs=((),), check=None, flags=(), plugins=(), sleds=None):
    """`runs`: arguments of each run; "@alpha", "@beta" stand for the built plugins, "@scratch" for a file of its own. `sleds`: the
    compilers of the builds with sleds, where not one of the two; a text says why the guest cannot have any."""
    return Case(source, builds or EVERY, runs, check, tuple(flags), tuple(plugins), sleds)


def sled_builds(name):
    """The builds of a case that have sleds: with the one compiler or the other, by turns."""
    one = CASES[name]
    if isinstance(one.sleds, str):
        return []
    compilers = one.sleds or (("gcc", "clang")[list(CASES).index(name) % 2],)
    names = {"gcc": "g++", "clang": "clang++"} if one.builds is CXX else {"gcc": "gcc", "clang": "clang"}
    return [(names[compiler] + "-sleds", "-O0") for compiler in compilers]


def left_to_rest(builds):
    """What --quick leaves to --rest: of all four builds, two."""
    return [(compiler, level) for four in (EVERY, CXX) if set(four) <= set(builds) for compiler, level in four
            if (level == "-O0") == compiler.startswith("g")]


def check_nothing_lost(tools, result):
    """Where control never leaves a frame without its exit hook, nothing is lost, unwound or ignored either."""
    losses = {name: count for name, count in tools.read(result.recording).loss.items()
              if count and name != "signatures_merged"}
    if losses:
        raise Failure(f"losses: {losses}")


def check_full(tools, result):
    """The guest was of use only when its recording did get full."""
    if not tools.read(result.recording).loss["no_space"]:
        raise Failure("the recording did not get full")


def check_names(tools, result):
    """Without optimisation every argument can be read: function pointers print as names, also of modules without hooks."""
    if not tools.command or "-O0" not in " ".join(result.arguments):
        return
    rows = tools.report_rows(result.recording, by="signature")
    values = {argument["value"] for row in rows for argument in row["args"] if argument["name"] == "function"}
    if values != {"own", "toupper", "plugin_entry", "0x1234567", None}:
        raise Failure(f"function pointers show as {values}")


def check_child(tools, result):
    """The counts of the forked child are in a recording of its own."""
    tools.expect_counts(tools.only_other_recording(result), result.told("child"), exact=True)


def check_sum(tools, result):
    """All processes together made each call once, by their recordings, by the report of all and by what they are merged into."""
    paths = [result.recording, *tools.other_recordings(result)]
    told, found = result.told("sum"), {}
    for path in paths:
        for name, (calls, _primitive) in tools.read(path).calls.items():
            found[name] = found.get(name, 0) + calls
    merged = result.recording + ".merged"
    if tools.command:
        tools.merge(paths, merged)
    for what, rows in [("recordings", None), ("report", paths), ("merged", [merged])]:
        if rows and tools.command:
            found = {}
            for row in tools.report_rows(rows[0], "function", *rows[1:]):
                found[row["function"]] = found.get(row["function"], 0) + row["ncalls"]
        wrong = {name: (calls, found.get(name, 0)) for name, calls in told.items() if found.get(name, 0) != calls}
        if wrong or not told:
            raise Failure(f"{result.arguments}, {what}: calls that were made, and those that were found: {wrong}")


def check_taken_up(tools, result):
    """A module that comes back to its place, which something else may have taken, has what it had: nothing grows with how often it is
    loaded there."""
    recording = tools.read(result.recording)
    edges, modules = max(thread["edges"] for thread in recording.threads), recording.modules
    if edges > 8 * len(modules) or len(set(modules)) != len(modules):
        raise Failure(f"{edges} edges in one thread, {len(set(modules))} places of modules, {len(modules)} modules")


def check_children(count):
    """So many forked children each called left() once from the top, and at depth 5 leaf() once."""
    def check(tools, result):
        others = tools.other_recordings(result)
        if len(others) != count:
            raise Failure(f"{len(others)} recordings of children, {count} expected")
        for other in others:
            calls = tools.read(other).calls
            walked = calls.get("left", [0])[0] + calls.get("right", [0])[0]
            if walked != 6 or calls["leaf"][0] != 1 or calls["main"][0] != 0:
                raise Failure(f"{other}: {calls}")
    return check


def check_images(count):
    def check(tools, result):
        others = tools.other_recordings(result)
        if len(others) != count:
            raise Failure(f"{len(others)} recordings beside the first, {count} expected: {others}")
        for other in others:
            calls = tools.read(other).calls
            if calls.get("work", [0])[0] not in (0, 20):
                raise Failure(f"{other}: work was called {calls['work'][0]} times, not 20")
    return check


def check_finished(tools, result):
    """The recording says whether the process ended through exit()."""
    by_exit = result.arguments[-1] in ("exit", "thread", "return")
    if tools.read(result.recording).finished != by_exit:
        raise Failure(f"{result.arguments}: finished is {not by_exit}")


def check_threads(tools, result):
    recording = tools.read(result.recording)
    if len(recording.threads) > 64 + 16:
        raise Failure(f"{len(recording.threads)} threads kept")
    ended, begun = sum(thread["threads"] for thread in recording.threads), int(result.arguments[-1])
    if ended < begun * 5 // 6:
        raise Failure(f"only {ended} threads counted")
    size = os.path.getsize(result.recording)
    if size > 64 << 20:
        raise Failure(f"the recording took {size} bytes")


def named(tools, result):
    """Calls of open_thing() by what the report shows of its name."""
    calls = {}
    for row in tools.report_rows(result.recording, "signature"):
        if row["function"] == "open_thing":
            name = next(arg for arg in row["args"] if arg["name"] == "name")
            shown = str(name["value"]) if name["state"] == "read" else name["state"]
            calls[shown] = calls.get(shown, 0) + row["ncalls"]
    return calls


def check_followed(tools, result):
    """A page that vanished is told, each time, and nothing is taken for it."""
    found = named(tools, result)
    total = result.told("count")["open_thing"]
    if result.arguments[-1] != "thread" and found and found.get("unreadable", 0) * 3 < total - 2:
        raise Failure(f"{result.arguments}: of {total} calls a third dangles, the report has {found}")


def check_steady(tools, result):
    found = named(tools, result)
    if found and (len(found) != 4 or set(found.values()) != {5000}):
        raise Failure(f"{result.arguments}: each name was passed 5000 times, the report has {found}")


def expect_told(tools, result, check):
    """What the program told of its calls is in the recording, and what `check` looks for. Where it tells no counts, that has to look
    for calls of its own."""
    counts = {word: result.told(word) for word in ("count", "varies")}
    if not sum(sum(calls.values()) for calls in counts.values()) and check in (None, check_nothing_lost):
        raise Failure(f"{result.arguments} told of no calls")
    for word, expected in counts.items():
        if expected:
            tools.expect_counts(result.recording, expected, exact=word == "count")
    if check:
        check(tools, result)


CASES = {
    "longjmp": case("longjmp.c"),
    "exceptions": case("exceptions.cpp", CXX),
    "fork": case("fork.c", runs=((), ("raw",), ("twice",)), check=check_child),
    "inherited": case("inherited.c", runs=tuple((mode,) for mode in ("twice", "handler", "daemon")), check=check_sum,
                      sleds=("gcc", "clang")),
    "exec": case("exec.c", runs=(("fork",),), check=check_images(2)),
    "vfork": case("exec.c", runs=(("vfork",),), check=check_images(1)),
    "spawn": case("exec.c", runs=(("spawn",),), check=check_images(1)),
    "exec_all": case("exec.c", runs=(("all",),), check=check_images(5)),
    "thread_ends": case("thread_ends.c"),
    "ends": case("ends.c", runs=tuple((mode,) for mode in
                                      ("exit", "_exit", "quick_exit", "abort", "signal", "thread", "return")),
                 check=check_finished),
    "signals": case("signals.c", runs=((), ("stack",))),
    "segv": case("segv.c"),
    "faults": case("faults.c", runs=tuple((mode,) for mode in ("early", "late", "raw", "raw-late", "given-back", "blocked", "handlers", "stack",
                                                               "truncated", "thread", "ignored", "dies", "killed")),
                   check=check_followed),
    "no_system_calls": case("no_system_calls.c", runs=((), ("forbidden",), ("forbidden", "apart")), check=check_steady),
    "malloc": case("malloc.c", flags=("-fno-builtin",)),
    "coroutines": case("coroutines.c", check=check_nothing_lost),
    "callbacks": case("callbacks.c", runs=(("@alpha",),), check=check_names, plugins=("alpha",)),
    "mapped_stack": case("mapped_stack.c", check=check_nothing_lost),
    "plugins": case("plugins.c", runs=(("@alpha", "@beta"), ("@alpha", "@beta", "threads")), check=check_taken_up, plugins=("alpha", "beta")),
    "unload_threads": case("unload_threads.c", ONE, runs=(("@alpha", "@beta"), ("@alpha", "@beta", "@gamma")),
                           check=check_nothing_lost, plugins=("alpha", "beta", "gamma")),
    "real_time": case("real_time.c", ONE, runs=tuple((delay,) for delay in ("0", "50", "150", "300", "600", "1200", "2500")) +
                                                tuple((delay, "plain") for delay in ("150", "600", "1200")),
                      check=check_nothing_lost),
    "storm": case("storm.c", ONE + [("clang", "-O0")], runs=(("@alpha", "@beta"),), check=check_children(60),
                  plugins=("alpha", "beta")),
    "many_threads": case("many_threads.c", ONE, runs=(("4000",),), check=check_threads),
    "alive": case("alive.c", ONE, runs=(("4000",),), check=check_nothing_lost),
    "deep": case("deep.c", ONE + [("clang", "-O0")], check=check_nothing_lost),
    "grow": case("grow.c", ONE, runs=((), ("readable",)), check=check_nothing_lost),
    "close_fds": case("close_fds.c", check=check_nothing_lost),
    "own_stderr": case("own_stderr.c", runs=(("@scratch",),), check=check_full),
    "small_stack": case("small_stack.c", check=check_nothing_lost),
    "shared_site": case("shared_site.c", check=check_nothing_lost, sleds="calls the hooks of -finstrument-functions by hand"),
    "errno": case("errno.c", flags=("-frounding-math",), check=check_nothing_lost),
    "children": case("children.c", runs=(("@alpha",),), check=check_nothing_lost, plugins=("alpha",)),
    "vectors": case("vectors.c", check=check_nothing_lost),
    "before_libc": case("before_libc.c", flags=("-fno-builtin",), check=check_nothing_lost,
                        sleds="which are off until the loader is done"),
    "constructors": case("constructors.c", check=check_nothing_lost),
    "many_threads_full": case("many_threads.c", ONE, runs=(("100000",),), check=check_threads),
    "unload_threads_full": case("unload_threads.c", runs=(("@alpha", "@beta"), ("@alpha", "@beta", "@gamma")) * 3,
                                check=check_nothing_lost, plugins=("alpha", "beta", "gamma")),
    "inherited_full": case("inherited.c", runs=tuple((mode,) for mode in ("deep", "thread", "many", "tree", "vfork")), check=check_sum,
                           sleds=("gcc", "clang")),
    "grow_full": case("grow.c", runs=((), ("readable",)), check=check_nothing_lost),
}


def run_build(tools, name, one, compiler, level):
    guest = tools.build_guest(one.source, compiler, level, one.flags)
    words_of = {f"@{plugin}": guest.build_plugin(plugin) for plugin in one.plugins}
    words_of["@scratch"] = os.path.join(tools.scratch, "scratch-file")
    for arguments in one.runs:
        words = [words_of.get(word, word) for word in arguments]
        plain = guest.run_plain(words)
        for mode in tools.modes:
            result = guest.run_profiled(words, mode)
            tools.compare(plain, result)
            expect_told(tools, result, one.check)
            result.remove()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", help="the build folder of callsig")
    parser.add_argument("--scratch", help="where guests are built (default: a temporary folder)")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--sleds", action="store_true", help="only the builds with sleds")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rest", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    others = {**environment.CASES, **library_calls.CASES, **loading.CASES, **sampled_times.CASES, **switched.CASES,
              **unread.CASES}
    builds_of_others = {**environment.BUILDS, **library_calls.BUILDS, **loading.BUILDS, **sampled_times.BUILDS, **switched.BUILDS,
                        **unread.BUILDS}
    everything = {**{name: None for name in CASES}, **others}
    if options.list:
        print("\n".join(everything))
        return 0
    if not options.build:
        parser.error("--build is missing")
    scratch = options.scratch or tempfile.mkdtemp(prefix="callsig-guest-")
    os.makedirs(scratch, exist_ok=True)
    failed = run = 0
    try:
        for name in options.cases or [name for name in everything if not options.rest or not name.endswith("_full")]:
            if name not in everything:
                sys.exit(f"run_guest.py: no case {name}: --list shows them")
            tools = Tools(options.build, os.path.join(scratch, name))
            builds = CASES[name].builds + sled_builds(name) if name in CASES else builds_of_others.get(name, ONE)
            for compiler, level in builds:
                if options.sleds and not compiler.endswith("-sleds"):
                    continue
                is_left = (compiler, level) in left_to_rest(builds)
                if options.quick and is_left or options.rest and not is_left:
                    continue
                if tools.lacks(compiler):
                    print(f"     {name} {compiler} {level}: not built, {tools.lacks(compiler)}", flush=True)
                    continue
                run += 1
                try:
                    if name in CASES:
                        run_build(tools, name, CASES[name], compiler, level)
                    else:
                        others[name](tools, compiler, level)
                    print(f"ok   {name} {compiler} {level}", flush=True)
                except (Failure, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"FAIL {name} {compiler} {level}: {error}", flush=True)
    finally:
        if not options.keep and not options.scratch:
            shutil.rmtree(scratch, ignore_errors=True)
    return 1 if failed else 0 if run else 77


if __name__ == "__main__":
    sys.exit(main())
