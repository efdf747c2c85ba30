"""Cases of sampled times: what callsig tells of them, held against a program whose times are known."""

import contextlib
import os
import subprocess
import sys

from harness import Failure, Guest

RUNS = 20  # of a hundred rows: with 95 % within, fewer than 93 % come once in ten thousand times
MIDDLE = 0.2  # of the errors: with so few timed calls of such lengths about 0.14
SPLIT = 0.05  # of each argument's part of the time

REENTERED = 24  # runs: few functions have times that miss at all, two at once where nothing is called; with eight, one try in some hundred failed
OUTERMOST = 0.001  # of what the outermost calls took: each was timed
TICK = 2e-9  # what rounding leaves
EXACT = 1e-6  # of a time of which each call was timed

APART = 0.25  # how far the times of a busy run may be from its processor time: a wait now and then that no reading shows
MISSED = 0.02  # of what a call computed: nothing of it is to be missing, and the clocks differ by little
SLEPT = 0.3  # of what it computed, that the calls before it slept, three times what they ask for: what may be a wait or such sleep stays in
SHARE = 0.85  # of the time, that the short calls have at least which do all of the work


def sampled_rows(tools, guest, start):
    """Of one run: each row's distance from the truth and its error, as parts of the truth."""
    result = guest.run_linked(str(start), CALLSIG_TIMES="auto")
    tools.expect_counts(result.recording, result.told("count"), exact=True)
    truth = result.told("truth")
    rows = {row["function"]: row for row in tools.report_rows(result.recording) if row["function"] in truth}
    result.remove()
    if len(rows) != 100:
        raise Failure(f"{len(rows)} of the hundred functions are reported")
    return [(abs(row["tottime"] * 1e9 / truth[name] - 1), (row["tottime_error"] or 0) * 1e9 / truth[name])
            for name, row in rows.items()]


def sampled(tools, compiler, level):
    """Of a hundred times at least 93 lie within the error that is told with 95 %; and few calls were timed."""
    guest = Guest(tools, "sampled.c", compiler, level, libraries=tools.link_with("shared"))
    rows = [row for start in range(RUNS) for row in sampled_rows(tools, guest, start)]
    # An error of 0 beside a time that is off is a miss: of calls of two lengths only the usual ones were timed.
    exact = sum(not error and distance <= EXACT for distance, error in rows)
    if exact:
        raise Failure(f"{exact} of {len(rows)} rows are exact: they were not sampled")
    within = sum(distance <= error for distance, error in rows)
    middle = sorted(error for _, error in rows)[len(rows) // 2]
    print(f"     {within} of {len(rows)} times within their errors, half of which are below {middle:.1%}")
    if middle > MIDDLE:
        raise Failure(f"half of the errors are above {middle:.1%}")
    if within < 0.93 * len(rows):
        raise Failure(f"{within} of {len(rows)} times are within their errors")


def recorded(tools, guest, arguments, **settings):
    """The report of a run, and what the guest tells in seconds: the processor time that it used, and how long it took."""
    result = guest.run_linked(*arguments, **settings)
    report = tools.report(result.recording)
    told = {clock: nanoseconds / 1e9 for clock, nanoseconds in result.told("time").items()}
    result.remove()
    return report, told["cpu"], told["wall"]


def busy_runs(tools, compiler, level):
    """Runs beside a program that never rests: how each goes, its report, and what it used and took, where waits can be told."""
    guest = Guest(tools, "busy_processor.c", compiler, level, libraries=tools.link_with("shared"))
    for way in ("plain", "threads", "signals", "stacks"):
        report, used, took = recorded(tools, guest, [way], CALLSIG_TIMES="auto")
        if report["waited"] is None:
            if not any("could not be told" in note for note in report["notes"]):
                raise Failure(f"{way}: waits were not taken out, and no note says so: {report['notes']}")
            print(f"     {way}: (no way to tell waits here)")
            continue
        leaf = sum(row["tottime"] for row in report["rows"] if row["function"] == "leaf")
        print(f"     {way}: {used:.3f} s used of {took:.3f} s, {report['waited']:.3f} s waited, {report['total_time']:.3f} s in rows, {leaf:.3f} s in leaf()")
        if report["waited"] > used / 4 and not any("are in no row" in note for note in report["notes"]):
            raise Failure(f"{way}: no note tells of {report['waited']} s: {report['notes']}")
        yield way, report, leaf, used, took


def busy(tools, compiler, level):
    """Beside a program that never rests: waits are told, and are not in the rows, however many there are."""
    for way, report, _, _, took in busy_runs(tools, compiler, level):
        threads = 2 if way == "threads" else 1
        if not 0 < report["waited"] < took * threads:
            raise Failure(f"{way}: {report['waited']} s are told as waits, of {took} s")
        if report["total_time"] > took * threads - report["waited"] / 2:
            raise Failure(f"{way}: of {took} s {report['waited']} s were waits, and {report['total_time']} s are in rows")


def busy_times(tools, compiler, level):
    """Beside a program that never rests: times are the processor time that was used, and lie with the calls that used it. What was used
    holds what hooks and asking for waits cost, the more the busier the machine is; so it is held against a run without hooks too."""
    plain = Guest(tools, "busy_processor.c", compiler, level, name="-without-hooks")
    for way, report, leaf, used, _ in busy_runs(tools, compiler, level):
        alone, total = plain.run_plain([way]).told("time")["cpu"] / 1e9, report["total_time"]
        least, most = (1 - APART) * min(alone, used), (1 + APART) * max(alone, used)
        if not least <= total <= most or leaf < SHARE * total:
            raise Failure(f"{way}: {used} s were used, {alone} without hooks; {leaf} s of {total} s are in leaf(), {report['waited']} s were waits")


def not_told(tools, compiler, level):
    """Where nobody tells of waits they stay in the times, and a note says so."""
    guest = Guest(tools, "busy_processor.c", compiler, level, libraries=tools.link_with("shared"))
    report, used, _ = recorded(tools, guest, ["plain"], CALLSIG_TIMES="auto", GLIBC_TUNABLES="glibc.pthread.rseq=0")
    if report["waited"] is not None or not any("could not be told" in note for note in report["notes"]):
        raise Failure(f"{report['waited']} s of waits are told, with the notes {report['notes']}")
    if report["total_time"] < used:
        raise Failure(f"{report['total_time']} s are in rows, {used} s were used")
    report, _, _ = recorded(tools, guest, ["plain"], CALLSIG_TIMES="exact")
    if report["waited"] is not None or any("waiting for a processor" in note for note in report["notes"]):
        raise Failure(f"exact times tell of waits: {report['waited']} s, {report['notes']}")


def split(tools, compiler, level):
    """The time of one function is split among its arguments, 10 ns to 10 ms a call, as they took it."""
    guest = Guest(tools, "split.c", compiler, level, libraries=tools.link_with("shared"))
    result = guest.run_linked(CALLSIG_TIMES="auto")
    truth = result.told("truth")
    rows = tools.report_rows(result.recording, by="signature")
    found = {str(row["args"][0]["value"]): row for row in rows if row["function"] == "work"}
    result.remove()
    if found.keys() != truth.keys():
        raise Failure(f"work() is told of for {sorted(found)}, not {sorted(truth)}")
    whole = {"found": sum(row["tottime"] for row in found.values()), "truth": sum(truth.values())}
    for n, ticks in truth.items():
        share, true_share = found[n]["tottime"] / whole["found"], ticks / whole["truth"]
        print(f"     {n} ns a call: {share:.2%} of the time, in truth {true_share:.2%}, {found[n]['timed_calls']} of {found[n]['ncalls']} timed")
        if abs(share / true_share - 1) > SPLIT:
            raise Failure(f"work({n}) has {share:.2%} of the time, not {true_share:.2%}")
    if found["10"]["timed_calls"] * 10 > found["10"]["ncalls"]:
        raise Failure("the shortest calls were not sampled")


def times_of(tools, guest, start, times):
    """The rows of a run, by function."""
    result = guest.run_linked(str(start), CALLSIG_TIMES=times)
    tools.expect_counts(result.recording, result.told("count"), exact=True)
    rows = {row["function"]: row for row in tools.report_rows(result.recording)}
    result.remove()
    return rows


def reentered(tools, compiler, level):
    """Recursion, callbacks and longjmps: what is timed at random fits together, and is what it is when every call is timed."""
    guest = Guest(tools, "reentered.c", compiler, level, libraries=tools.link_with("shared"))
    within = figures = 0
    for start in range(REENTERED):
        exact, sampled_ = times_of(tools, guest, start, "exact"), times_of(tools, guest, start, "auto")
        for name, row in sampled_.items():
            if row["cumtime"] < row["tottime"] - (row["tottime_error"] or 0):
                raise Failure(f"{start}: {name} took {row['cumtime']} s, of which {row['tottime']} its own")
            for time in ("tottime", "cumtime"):
                distance = abs(row[time] - exact[name][time])
                within += distance <= (row[time + "_error"] or 0) + TICK
                figures += 1
        for name in ("scripts", "execute", "inner"):
            if abs(sampled_[name]["cumtime"] / exact[name]["cumtime"] - 1) > OUTERMOST:
                raise Failure(f"{start}: {name} took {sampled_[name]['cumtime']} s, in truth {exact[name]['cumtime']}")
        if sampled_["step"]["timed_calls"] * 10 > sampled_["step"]["ncalls"]:
            raise Failure("the shortest calls were not sampled")
    print(f"     {within} of {figures} times within their errors")
    if within < 0.93 * figures:
        raise Failure(f"{within} of {figures} times are within their errors")


@contextlib.contextmanager
def wanted_processor(count):
    """What is started meanwhile has one processor, which so many others want too."""
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(processors)])
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
        os.sched_setaffinity(0, processors)


def unread_account(tools, compiler, level):
    """What a thread waited while the kernel's account could not be read is taken out of no later call, and what it surely waited in one is."""
    guest = Guest(tools, "unread_account.c", compiler, level, libraries=tools.link_with("shared"))
    for _ in range(4):
        with wanted_processor(1):
            result = guest.run_linked(CALLSIG_TIMES="auto")
        report, used = tools.report(result.recording), result.told("time")["long_call"] / 1e9
        result.remove()
        if report["waited"] is None:
            print("     (no way to tell waits here)")
            return
        took = sum(row["tottime"] for row in report["rows"] if row["function"] == "long_call")
        print(f"     {used:.3f} s computed, {took:.3f} s in its row")
        if not used * (1 - MISSED) <= took <= used * (1 + SLEPT):
            raise Failure(f"a call that computed {used} s has {took} s")


def deep_busy(tools, compiler, level):
    """A million frames deep, on a processor that others want too: no thread does nothing but take its waits out of its open frames."""
    guest = Guest(tools, "deep.c", compiler, level, libraries=tools.link_with("shared"))
    with wanted_processor(3):
        result = guest.run_linked(CALLSIG_TIMES="auto")
    tools.expect_counts(result.recording, result.told("count"), exact=True)
    result.remove()


CASES = {"deep_busy": deep_busy, "reentered": reentered, "sampled": sampled, "split": split, "busy": busy, "busy_full": busy_times, "not_told": not_told,
         "unread_account": unread_account}
BUILDS = {"deep_busy": [("gcc", "-O2")], "reentered": [("gcc-sleds", "-O0"), ("clang-sleds", "-O0")], "sampled": [("gcc-sleds", "-O0")],
          "split": [("gcc-sleds", "-O2"), ("clang-sleds", "-O2")],
          "busy": [("gcc-sleds", "-O2")], "busy_full": [("gcc-sleds", "-O0"), ("gcc", "-O2")],
          "not_told": [("gcc-sleds", "-O0")], "unread_account": [("gcc", "-O2")]}
