#!/usr/bin/env python3
# ctest: arguments --build @PROJECT_BINARY_DIR@
"""Exports by process and by rank, opened by their own readers: each process has the calls that it made, and its part of the time.

    test_groups.py --build FOLDER

A program forks a tree of processes, and runs as the ranks of a parallel job; it prints what each process called. Times are those of
the report.
"""

import argparse
import json
import os
import pstats
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import readers  # noqa: E402
import speedscope_package  # noqa: E402
from product import Product  # noqa: E402

# Process `number` calls work() number + 1 times, each of which calls leaf() number + 2 times.
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int __attribute__((noinline)) leaf(int n) { for (volatile int i = 0; i < 1000; i++) n += i; return n; }
static int __attribute__((noinline)) work(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += leaf(i); return sum; }
static void __attribute__((noinline, no_instrument_function)) process(int number) {
  printf("%d %d\\n", getpid(), number);
  fflush(stdout);
  for (int i = 0; i <= number; i++) work(number + 2);
}
static void __attribute__((no_instrument_function)) children(int first, int last) {
  for (int number = first; number <= last; number++) {
    if (fork() == 0) {
      process(number);
      if (number == 1) children(4, 5);
      _exit(0);
    }
  }
  while (wait(NULL) > 0);
}
int __attribute__((no_instrument_function)) main(int argc, char **argv) {
  process(argc > 1 ? atoi(argv[1]) : 0);
  if (argc == 1) children(1, 3);
  return 0;
}
"""


class Recorded:
    """Recordings, and {(group, function): calls} of the program's own account of them."""

    def __init__(self, product, folder, by):
        self.product, self.folder, self.by, self.calls, self.recordings = product, folder, by, {}, []
        self.options = ["--by", f"function,{by}"]

    def add(self, program, *arguments, rank=None):
        """Runs the program; processes of a parallel job have a rank."""
        name = self.folder / f"recording{len(self.recordings)}"
        job = {} if rank is None else {"OMPI_COMM_WORLD_RANK": str(rank)}
        # Not the program's own times by samples: callgrind_annotate leaves out what costs nothing.
        command = [self.product.command, "run", "--apart", "--times", "exact", "-o", name, "--", program, *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True, env=self.product.environment(**job))
        self.recordings += sorted(self.folder.glob(f"{name.name}*"))
        for line in done.stdout.splitlines():
            pid, number = map(int, line.split())
            group = f"{' '.join([program.name, *arguments])} ({pid})" if self.by == "process" else "-" if rank is None else str(rank)
            calls = Counter(work=number + 1, leaf=(number + 1) * (number + 2))
            for function, count in calls.items():
                self.calls[group, function] = self.calls.get((group, function), 0) + count

    def export(self, format, *options, name="export"):
        path = self.folder / name
        self.product.call("export", "--to", format, "-o", path, *self.options, *options, *self.recordings)
        return path

    def key(self, text):
        """(group, function) of "work [process PROGRAM (PID)]"."""
        found = re.fullmatch(rf"(\w+) \[{self.by} (.*)\]", text)
        return found[2], found[1]

    def times(self):
        """{(group, function): own seconds} of the report."""
        report = json.loads(self.product.call("report", "--format", "json", *self.options, *self.recordings))
        return {(self.group(row), row["function"]): row["tottime"] for row in report["rows"]}

    def group(self, row):
        """How a row of JSON or CSV names its group."""
        return "-" if row[self.by] in (None, "") else str(row[self.by])


def near(what, wanted, found, tolerance=1):
    """{(group, function): nanoseconds} agree but for rounding."""
    assert wanted.keys() == found.keys(), (what, wanted, found)
    for key, value in wanted.items():
        assert abs(value - found[key]) <= tolerance, (what, key, value, found[key])


def same(what, wanted, found):
    assert wanted == found, f"{what}: the program says {wanted}, the reader {found}"


def by_group(calls):
    groups = Counter()
    for (group, _), value in calls.items():
        groups[group] += value
    return dict(groups)


def check_rows(recorded, times):
    rows = json.loads(recorded.export("json").read_text())["rows"]
    same("json", recorded.calls, {(recorded.group(row), row["function"]): row["ncalls"] for row in rows})
    rows = readers.read_csv(recorded.export("csv").read_text())
    same("csv", recorded.calls, {(recorded.group(row), row["function"]): int(row["ncalls"]) for row in rows})


def check_pstats(recorded, times):
    stats = pstats.Stats(str(recorded.export("pstats"))).stats
    same("pstats", recorded.calls, {recorded.key(name): value[1] for (_, _, name), value in stats.items()})
    near("pstats", times, {recorded.key(name): value[2] * 1e9 for (_, _, name), value in stats.items()})
    for (_, _, name), (_, _, _, _, callers) in stats.items():
        assert all(recorded.key(caller[2])[0] == recorded.key(name)[0] for caller in callers), (name, callers)


def check_callgrind(recorded, times):
    path = recorded.export("callgrind", name="callgrind.export")
    _, own = readers.callgrind_totals(path, False)
    listed = {recorded.key(name.rsplit(":", 1)[1]): cost for name, cost in own.items() if "(root)" not in name}
    near("callgrind", times, dict.fromkeys(times, 0) | listed)  # callgrind_annotate leaves out what costs nothing
    calls = Counter()
    for (_, callee), (count, _) in readers.callgrind_calls(path).items():
        calls[recorded.key(callee.rsplit(":", 1)[1])] += count
    same("callgrind", recorded.calls, dict(calls))


def check_dot(recorded, times):
    _, nodes, edges = readers.dot(recorded.export("dot", "--cutoff", "0"))
    keys = {number: recorded.key(readers.dot_name(node["label"])) for number, node in nodes.items()}
    same("dot", recorded.calls, {keys[number]: int(node["calls"]) for number, node in nodes.items()})
    near("dot", times, {keys[number]: int(node["ns"]) for number, node in nodes.items()})
    assert all(keys[tail][0] == keys[head][0] for tail, head in edges), edges


def check_stacks(recorded, times):
    for weight, wanted, equal in (("calls", recorded.calls, same), ("time", times, near)):
        found = Counter()
        for frames, value in readers.folded(recorded.export("folded", "--weight", weight).read_text()).items():
            found[re.fullmatch(rf"\[{recorded.by} (.*)\]", frames[0])[1], frames[-1]] += value
        equal(f"folded {weight}", wanted, dict(found))
    frames, _ = readers.flamegraph(recorded.export("flamegraph", "--weight", "calls", "--cutoff", "0"))
    same("flamegraph", by_group(recorded.calls), {re.fullmatch(rf"\[{recorded.by} (.*)\]", name)[1]: value
                                                  for name, _, value, depth, _, _ in frames if depth == 1})


def check_pprof(recorded, times):
    calls, own = Counter(), Counter()
    for frames, count, time, labels in readers.pprof_samples(recorded.export("pprof", name="export.pb.gz"), recorded.folder):
        calls[labels[recorded.by], frames[-1]] += count
        own[labels[recorded.by], frames[-1]] += time
    same("pprof", recorded.calls, dict(calls))
    near("pprof", times, dict(own))


def check_speedscope(recorded, times, release):
    native = readers.speedscope(HERE / "speedscope_read.js", release, recorded.export("speedscope", name="export.speedscope.json"))[0]
    found = {frame["name"]: frame["total"] for frame in native["profiles"][1]["frames"]}
    same("speedscope", by_group(recorded.calls), {group: found[f"[{recorded.by} {group}]"] for group in by_group(recorded.calls)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    options = parser.parse_args()
    lacking = {program for program in ("callgrind_annotate", "dot", "go", "node") if not shutil.which(program)}
    release, why = (None, None) if "node" in lacking else speedscope_package.find(Path(options.build) / "tests" / "speedscope")
    with tempfile.TemporaryDirectory() as name:
        product = Product(options.build, name)
        program = Path(name) / "tree"
        subprocess.run(["cc", "-g", "-O1", "-finstrument-functions", "-x", "c", "-", "-o", program], input=SOURCE, text=True, check=True)
        for by in ("process", "rank"):
            folder = Path(name) / by
            folder.mkdir()
            recorded = Recorded(product, folder, by)
            recorded.add(program)
            for rank in range(3):
                recorded.add(program, str(2 * rank + 1), rank=rank)
            times = {key: seconds * 1e9 for key, seconds in recorded.times().items()}
            check_rows(recorded, times)
            check_pstats(recorded, times)
            check_stacks(recorded, times)
            for reader, check in (("callgrind_annotate", check_callgrind), ("dot", check_dot), ("go", check_pprof)):
                if reader not in lacking:
                    check(recorded, times)
            if release:
                check_speedscope(recorded, times, release)
            groups = by_group(recorded.calls)
            print(f"by {by}: {len(recorded.recordings)} recordings, {len(groups)} groups, {sum(groups.values())} calls: all as the program says")
    for what in sorted(lacking) + ([f"speedscope: {why}"] if why else []):
        print(f"not read, as the machine lacks it: {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
