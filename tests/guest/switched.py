"""Cases in which the program switches recording off and on while its threads run."""

from harness import Failure, Guest, TIMEOUT


def toggle(tools, compiler, level):
    """Profiling goes off and on under running threads: nothing is counted that should not be, and no time is negative."""
    guest = Guest(tools, "toggle.c", compiler, level, libraries=tools.link_with("shared"))
    result = guest.run_linked()
    tools.expect_counts(result.recording, result.told("count"), exact=True)
    expect_most(tools, result)


def expect_most(tools, result):
    """What was called while hooks went on and off is there, no call more than once, and no time is negative."""
    read = tools.read(result.recording)
    for name, most in result.told("most").items():
        if not 0 < read.calls.get(name, [0])[0] <= most:
            raise Failure(f"{name} was called {most} times, the recording says {read.calls.get(name)}")
    lost = read.loss["nested"] + read.loss["late"]
    for name, least in result.told("least").items():
        if read.calls.get(name, [0])[0] + lost < least:
            raise Failure(f"{name} was called {least} times at least, the recording says {read.calls.get(name)}, {read.loss}")
    for row in tools.report_rows(result.recording):
        if row["tottime"] < 0 or row["cumtime"] < row["tottime"]:
            raise Failure(f"impossible times: {row}")


def left_over(tools, compiler, level):
    """What signals that interrupted hooks have left on the stack keeps no thread from beginning anew."""
    guest = Guest(tools, "left_over.c", compiler, level, libraries=tools.link_with("shared"))
    for arguments in ([], ["blocks"]):
        result = guest.run_linked(*arguments)
        tools.expect_counts(result.recording, result.told("count"), exact=True)


def switching(tools, compiler, level, times=1000):
    """Hooks go on and off under threads that run through them, with signals, whose handler has hooks, and plugins that come and go."""
    guest = Guest(tools, "switching.c", compiler, level, libraries=tools.link_with("shared"))
    plugins = [guest.build_plugin(name) for name in ("alpha", "beta")]
    for where in ([], ["stack"]):
        result = guest.run_linked(str(times), *plugins, *where, timeout=max(TIMEOUT, times / 10))
        tools.expect_counts(result.recording, result.told("count"), exact=True)
        expect_most(tools, result)


def switching_full(tools, compiler, level):
    """The same, a hundred thousand times."""
    switching(tools, compiler, level, 100000)


CASES = {"toggle": toggle, "left_over": left_over, "switching": switching, "switching_full": switching_full}
BUILDS = {
    "left_over": [("gcc", "-O2"), ("clang", "-O0"), ("clang-sleds", "-O0")],
    "toggle": [("gcc", "-O2"), ("clang-sleds", "-O0")],
    "switching": [("gcc", "-O2"), ("clang", "-O0"), ("gcc-sleds", "-O0"), ("clang-sleds", "-O0")],
    "switching_full": [("gcc", "-O2"), ("gcc-sleds", "-O0"), ("clang-sleds", "-O0")],
}
