"""Cases of sampled times: what callsig tells of them, held against a program whose times are known."""

from harness import Failure, Guest

RUNS = 20  # of a hundred rows: with 95 % within, fewer than 93 % come once in ten thousand times
MIDDLE = 0.2  # of the errors: with so few timed calls of such lengths about 0.14
SPLIT = 0.05  # of each argument's part of the time


def sampled_rows(tools, guest, start):
    """Of one run: each row's distance from the truth and its error, as parts of the truth."""
    path = tools.new_recording()
    result = guest.run([guest.path, str(start)], tools.environment(CALLSIG_OUTPUT=path, CALLSIG_TIMES="auto"), path)
    if result.status or result.errors:
        raise Failure(f"exit status {result.status}: {result.errors}")
    tools.expect_counts(path, result.told("count"), exact=True)
    truth = result.told("truth")
    rows = {row["function"]: row for row in tools.report_rows(path) if row["function"] in truth}
    result.remove()
    if len(rows) != 100:
        raise Failure(f"{len(rows)} of the hundred functions are reported")
    return [(abs(row["tottime"] * 1e9 / truth[name] - 1), (row["tottime_error"] or 0) * 1e9 / truth[name])
            for name, row in rows.items()]


def sampled(tools, compiler, level):
    """Of a hundred times at least 93 lie within the error that is told with 95 %; and few calls were timed."""
    guest = Guest(tools, "sampled.c", compiler, level, libraries=tools.link_with("shared"))
    rows = [row for start in range(RUNS) for row in sampled_rows(tools, guest, start)]
    if any(not error for _, error in rows):
        raise Failure(f"{sum(not error for _, error in rows)} of {len(rows)} rows have no error: they were not sampled")
    within = sum(distance <= error for distance, error in rows)
    middle = sorted(error for _, error in rows)[len(rows) // 2]
    print(f"     {within} of {len(rows)} times within their errors, half of which are below {middle:.1%}")
    if middle > MIDDLE:
        raise Failure(f"half of the errors are above {middle:.1%}")
    if within < 0.93 * len(rows):
        raise Failure(f"{within} of {len(rows)} times are within their errors")


def split(tools, compiler, level):
    """The time of one function is split among its arguments, 10 ns to 10 ms a call, as they took it."""
    guest = Guest(tools, "split.c", compiler, level, libraries=tools.link_with("shared"))
    path = tools.new_recording()
    result = guest.run([guest.path], tools.environment(CALLSIG_OUTPUT=path, CALLSIG_TIMES="auto"), path)
    if result.status or result.errors:
        raise Failure(f"exit status {result.status}: {result.errors}")
    truth = result.told("truth")
    rows = tools.report_rows(path, by="signature")
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


CASES = {"sampled": sampled, "split": split}
BUILDS = {"sampled": [("gcc-sleds", "-O0")], "split": [("gcc-sleds", "-O2"), ("clang-sleds", "-O2")]}
