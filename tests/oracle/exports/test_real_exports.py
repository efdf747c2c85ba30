#!/usr/bin/env python3
# ctest: name output.exports
# ctest: real
# ctest: case .lua quick lua
# ctest: case .zstd full zstd
# ctest: case .sqlite3 full sqlite3
"""Exports of a real program's recording, opened by their own readers: totals are those of the report, to the last call and nanosecond.

    test_real_exports.py --sources FOLDER --out FOLDER --build FOLDER PROGRAM
"""

import argparse
import json
import pstats
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import build  # noqa: E402
import readers  # noqa: E402
import speedscope_package  # noqa: E402
from product import Product  # noqa: E402


class Compared:
    """A recording, what the report says of it, and what did not agree."""

    def __init__(self, product, folder, recording, by):
        self.product, self.folder, self.recording, self.by = product, Path(folder), recording, by
        self.report = product.report(recording, "--by", by)
        self.rows = self.report["rows"]
        self.calls = sum(row["ncalls"] for row in self.rows)
        self.nanoseconds = round(self.report["total_time"] * 1e9)
        self.problems = []

    def export(self, format, *options, name="export"):
        path = self.folder / name
        self.product.call("export", "--to", format, "-o", path, "--by", self.by, *options, self.recording)
        return path

    def equal(self, what, wanted, found, tolerance=0):
        if wanted != found and not (tolerance and abs(wanted - found) <= tolerance):
            self.problems.append(f"{what}: the report has {wanted}, the reader {found}")

    def check_pstats(self):
        stats = pstats.Stats(str(self.export("pstats"))).stats
        self.equal("pstats calls", self.calls, sum(value[1] for value in stats.values()))
        wanted = sorted((row["ncalls"], row["pcalls"], row["tottime"], row["cumtime"]) for row in self.rows)
        self.equal("pstats rows", True, wanted == sorted((nc, cc, tt, ct) for cc, nc, tt, ct, _ in stats.values()))

    def check_gprof2dot(self):
        nodes, _ = readers.gprof2dot("pstats", self.export("pstats"))
        self.equal("gprof2dot boxes", len(self.rows), len(nodes))
        self.equal("gprof2dot calls", sorted(row["ncalls"] for row in self.rows), sorted(calls for _, _, _, calls in nodes))
        own = sorted(100 * row["tottime"] / self.report["total_time"] for row in self.rows)
        self.equal("gprof2dot shares", True, all(abs(a - b) <= 0.0051 for a, b in zip(own, sorted(share for _, _, share, _ in nodes))))

    def check_snakeviz(self):
        table, graph = readers.snakeviz(self.export("pstats"))
        self.equal("snakeviz rows", sorted((row["ncalls"], row["pcalls"], float(f"{row['tottime']:.4g}"), float(f"{row['cumtime']:.4g}"))
                                           for row in self.rows), sorted(row[1:] for row in table))
        times = {(row["ncalls"], row["pcalls"], row["tottime"], row["cumtime"]) for row in self.rows}
        self.equal("snakeviz functions", set(), {(nc, cc, tt, ct) for cc, nc, tt, ct in (one["stats"] for one in graph.values())} - times)

    def check_callgrind(self):
        path = self.export("callgrind", name="callgrind.export")
        total, own = readers.callgrind_totals(path, False)
        self.equal("callgrind total", self.nanoseconds, total, 1)
        self.equal("callgrind sum", total, sum(own.values()))
        text = path.read_text()
        self.equal("callgrind calls", self.calls, sum(int(line[6:].split()[0]) for line in text.splitlines() if line.startswith("calls=")))
        _, inclusive = readers.callgrind_totals(path, True)
        if self.by == "function":
            cumulative, bare = Counter(), Counter(row["function"] for row in self.rows)
            for row in self.rows:
                if bare[row["function"]] == 1:
                    cumulative[f"{row['file']}:{row['function']}"] += row["cumtime"] * 1e9
            for name, wanted in cumulative.items():
                self.equal(f"callgrind inclusive of {name}", round(wanted), inclusive.get(name, 0), 1 + len(self.rows))

    def check_pprof(self):
        samples = readers.pprof_samples(self.export("pprof", name="export.pb.gz"), self.folder)
        self.equal("pprof calls", self.calls, sum(calls for _, calls, _, _ in samples))
        self.equal("pprof time", self.nanoseconds, sum(time for _, _, time, _ in samples), 1)
        found, wanted = Counter(), Counter()
        for frames, calls, _, _ in samples:
            found[frames[-1].split(" (")[0]] += calls
        for row in self.rows:
            wanted[row["function"]] += row["ncalls"]
        self.equal("pprof calls by function", True, wanted == found)

    def check_stacks(self, release):
        stacks = readers.folded(self.export("folded", name="export.collapsedstack.txt").read_text())
        self.equal("folded time", self.nanoseconds, sum(stacks.values()), 1)
        calls = readers.folded(self.export("folded", "--weight", "calls").read_text())
        self.equal("folded calls", self.calls, sum(calls.values()))
        frames, _ = readers.flamegraph(self.export("flamegraph"))
        self.equal("flamegraph time", self.nanoseconds, frames[0][2], 1)
        if not release:
            return
        native, collapsed = readers.speedscope(HERE / "speedscope_read.js", release, self.export("speedscope", name="export.speedscope.json"),
                                               self.folder / "export.collapsedstack.txt")
        self.equal("speedscope time", self.nanoseconds, native["profiles"][0]["total"], 1)
        self.equal("speedscope calls", self.calls, native["profiles"][1]["total"])
        self.equal("speedscope of folded", sum(stacks.values()), collapsed["profiles"][0]["total"])

    def check_dot(self):
        graph, nodes, _ = readers.dot(self.export("dot", "--cutoff", "0.02"))
        self.equal("dot calls", self.calls, int(graph["calls"]))
        self.equal("dot time", self.nanoseconds, int(graph["ns"]), 1)
        self.equal("dot boxes", sum(row["cumtime"] >= 0.02 * self.report["total_time"] for row in self.rows), len(nodes))

    def check_tables(self):
        report = json.loads(self.export("json").read_text())
        self.equal("json", True, report == self.report)
        rows = readers.read_csv(self.export("csv").read_text())
        self.equal("csv calls", self.calls, sum(int(row["ncalls"]) for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build.add_arguments(parser)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("program")
    options = parser.parse_args()
    product = Product(options.build, options.out)
    builder = build.Builder(options.sources, options.out, options.callsig or product.libraries)
    command = builder.build(options.program, "gcc-O2-fixed")
    release, why = speedscope_package.find(Path(options.build) / "tests" / "speedscope")
    lacking = [f"speedscope: {why}"] if why or not shutil.which("node") else []
    release = None if lacking else release
    failures = 0
    for run in builder.runs(options.program, small=True)[:1]:
        with tempfile.TemporaryDirectory() as folder:
            recording = Path(folder) / "recording"
            product.run([*command, *run.args], recording, ("--times", "exact"), run.stdin, folder)
            for by in ("function", "signature"):
                compared = Compared(product, folder, recording, by)
                compared.check_pstats()
                compared.check_tables()
                compared.check_stacks(release)
                for program, check in (("callgrind_annotate", compared.check_callgrind), ("go", compared.check_pprof), ("dot", compared.check_dot),
                                       ("gprof2dot", compared.check_gprof2dot), ("snakeviz", compared.check_snakeviz)):
                    if shutil.which(program):
                        check()
                    elif program not in lacking:
                        lacking.append(program)
                failures += len(compared.problems)
                print(f"{options.program} {run.name} by {by}: {compared.calls} calls, {len(compared.rows)} rows, {compared.nanoseconds} ns",
                      *compared.problems, sep="\n    ")
    for what in lacking:
        print(f"not read, as the machine lacks it: {what}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
