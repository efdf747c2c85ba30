#!/usr/bin/env python3
# ctest: name output.exports
# ctest: skips
# ctest: arguments --build @PROJECT_BINARY_DIR@ --print-calls $<TARGET_FILE:print_calls>
# ctest: case .callgrind quick callgrind
# ctest: case .dot quick dot
# ctest: case .flamegraph quick flamegraph
# ctest: case .folded quick folded
# ctest: case .json quick json
# ctest: case .pprof quick pprof
# ctest: case .pstats quick pstats
# ctest: case .speedscope quick speedscope
# ctest: case .gprof2dot full gprof2dot
# ctest: case .snakeviz full snakeviz
"""Every export, opened by its own reader, has the calls and times of the recording, to the last call and nanosecond.

    test_exports.py --build FOLDER --print-calls PROGRAM FORMAT [--seeds N]

Recordings are made of random calls with awkward names (model.py), by threads, stages and recursion; what each format has to say
of them follows from the calls themselves. A reader that the machine lacks is a skip that names it.
"""

import argparse
import json
import os
import pstats
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import model  # noqa: E402
import readers  # noqa: E402
import speedscope_package  # noqa: E402
from product import Product  # noqa: E402

SKIPPED = 77


class Recorded:
    """A recording of random calls, and what was exported of it."""

    def __init__(self, test, seed, **shape):
        self.product, self.folder, self.profile = test.product, test.folder, model.Profile(seed, **shape)
        self.recording = self.folder / "recording"
        self.profile.write(self.folder / "sequence")
        subprocess.run([test.print_calls, self.folder / "sequence", self.recording, "stats"], stdout=subprocess.DEVNULL, check=True)

    def export(self, format, *options, name="export"):
        path = self.folder / name
        self.product.call("export", "--to", format, "-o", path, *options, self.recording)
        return path

    def key(self, what, argument):
        return self.profile.name(what, argument)


def same(what, wanted, found):
    """Two dictionaries or values are equal; else one that differs is named."""
    if wanted == found:
        return
    if isinstance(wanted, dict):
        key = next(key for key in [*wanted, *found] if wanted.get(key) != found.get(key))
        raise SystemExit(f"{what}: {key!r}: the calls give {wanted.get(key)}, the reader {found.get(key)} "
                         f"({len(wanted)} and {len(found)} in all)")
    raise SystemExit(f"{what}: the calls give {wanted}, the reader {found}")


def triples(profile, signatures):
    """{(what, argument): (file, line, function)} as pstats has functions."""
    triple = {}
    for call in profile.calls:
        what, argument = call.what, call.argument if signatures else None
        if isinstance(what, str):
            triple[what, argument] = ("~", 0, f"{{{what}}}")
        else:
            file, line, name = model.KNOWN[what]
            name = model.printable(name) + (f"(n={argument})" if signatures else "")
            triple[what, argument] = (model.printable(file), line, name)
    return triple


def check_pstats(test, recorded, by):
    signatures = by == "signature"
    path = recorded.export("pstats", "--by", by)
    tick = 1 / recorded.profile.hz
    triple = triples(recorded.profile, signatures)
    wanted = {triple[key]: (primitive, calls, own * tick, cumulative * tick)
              for key, (calls, primitive, own, cumulative) in recorded.profile.rows(signatures).items()}
    stats = pstats.Stats(str(path), stream=open(os.devnull, "w")).stats
    same("pstats", wanted, {key: value[:4] for key, value in stats.items()})
    arcs = recorded.profile.arcs(signatures)
    same("pstats callers", {(triple[one], triple[other]): calls for (one, other), (calls, _) in arcs.items() if one},
         {(caller, key): edge[0] for key, value in stats.items() for caller, edge in value[4].items()})


def check_snakeviz(test, recorded, by):
    profile, signatures = recorded.profile, by == "signature"
    table, graph = readers.snakeviz(recorded.export("pstats", "--by", by))
    name = {key: "{}:{}({})".format(*triple) for key, triple in triples(profile, signatures).items()}
    tick, rows, arcs = 1 / profile.hz, profile.rows(signatures), profile.arcs(signatures)
    same("snakeviz table", {name[key]: (calls, primitive, float(f"{own * tick:.4g}"), float(f"{cumulative * tick:.4g}"))
                            for key, (calls, primitive, own, cumulative) in rows.items()}, {row[0]: row[1:] for row in table})
    # What calls nothing and is called by nothing is no part of its picture.
    drawn = {key for arc in arcs if None not in arc for key in arc}
    same("snakeviz functions", {name[key]: [primitive, calls, own * tick, cumulative * tick]
                                for key, (calls, primitive, own, cumulative) in rows.items() if key in drawn},
         {one: function["stats"] for one, function in graph.items()})
    wanted = {(name[caller], name[callee]): calls for (caller, callee), (calls, _) in arcs.items() if caller}
    same("snakeviz callers", wanted, {(caller, one): edge[0] for one, function in graph.items() for caller, edge in function["callers"].items()})
    same("snakeviz children", wanted, {(one, child): edge[0] for one, function in graph.items() for child, edge in function["children"].items()})


def check_gprof2dot(test, recorded, by):
    profile, signatures = recorded.profile, by == "signature"
    rows = profile.rows(signatures)
    triple = triples(profile, signatures)
    names = {key: f"{Path(file).stem}:{line}:{name}" for key, (file, line, name) in triple.items()}
    nodes, edges = readers.gprof2dot("pstats", recorded.export("pstats", "--by", by))
    same("gprof2dot of pstats", sorted((names[key], row[0]) for key, row in rows.items()), sorted((name, calls) for name, _, _, calls in nodes))
    same("gprof2dot's arrows of pstats", sorted((names[caller], names[callee], calls) for (caller, callee), calls in profile.primitive_arcs(signatures).items()),
         sorted(edges))
    check_shares(rows, names, nodes, max(row[3] for row in rows.values()))


def check_gprof2dot_callgrind(test, recorded, by):
    """Without recursion: gprof2dot's reader of callgrind has rules of its own for the time of circles."""
    profile, signatures = recorded.profile, by == "signature"
    rows = profile.rows(signatures)
    names = {key: recorded.key(*key) for key in rows}
    nodes, edges = readers.gprof2dot("callgrind", recorded.export("callgrind", "--by", by, name="callgrind.export"))
    same("gprof2dot of callgrind", sorted([("(root)", 0), *((names[key], row[0]) for key, row in rows.items())]),
         sorted((name, calls) for name, _, _, calls in nodes))
    same("gprof2dot's arrows of callgrind", sorted((names.get(caller, "(root)"), names[callee], calls)
                                                   for (caller, callee), (calls, _) in profile.arcs(signatures).items()), sorted(edges))
    check_shares(rows, names, nodes)


def check_shares(rows, names, nodes, most=0):
    """Percentages are those of the rows, which gprof2dot rounds to a hundredth."""
    own = sum(row[2] for row in rows.values())
    if not own:
        return
    wanted = sorted((names[key], row[0], 100 * row[2] / own, 100 * row[3] / max(own, most)) for key, row in rows.items())
    found = sorted((name, calls, self, total) for name, total, self, calls in nodes if name != "(root)")
    for one, other in zip(wanted, found):
        assert all(abs(a - b) <= 0.0051 for a, b in zip(one[2:], other[2:])), (one, other)


def check_callgrind(test, recorded, by):
    profile, signatures = recorded.profile, by == "signature"
    path = recorded.export("callgrind", "--by", by)

    def file_of(what):
        return "~" if isinstance(what, str) else model.printable(model.KNOWN[what][0])

    def name_of(key):
        return "???:(root)" if key is None else f"{file_of(key[0])}:{recorded.key(*key)}"

    rows = profile.rows(signatures)
    for inclusive in (False, True):
        total, found = readers.callgrind_totals(path, inclusive)
        same("callgrind total", profile.nanoseconds(sum(row[2] for row in rows.values())), total)
        wanted = {name_of(key): profile.nanoseconds(row[3 if inclusive else 2]) for key, row in rows.items()}
        if inclusive:
            wanted["???:(root)"] = total
        positive = {name: cost for name, cost in wanted.items() if cost}
        same(f"callgrind inclusive={inclusive}", positive, {name: cost for name, cost in found.items() if cost})
        same("callgrind functions without cost", set(), set(found) - set(wanted) - {"???:(root)"})
    wanted = {(name_of(one), name_of(other)): (calls, profile.nanoseconds(time))
              for (one, other), (calls, time) in profile.arcs(signatures).items()}
    found = readers.callgrind_calls(path)
    same("callgrind calls", {}, {key: value for key, value in found.items() if wanted.get(key) != value})
    same("callgrind calls of any cost", {}, {key: value for key, value in wanted.items() if value[1] and key not in found})


def check_pprof(test, recorded, by):
    profile, signatures = recorded.profile, by == "signature"
    path = recorded.export("pprof", "--by", by, name="export.pb.gz")
    wanted, found = {}, {}
    for call in profile.calls:
        frames = tuple(profile.name(stage if function is None else function) for stage, function in call.path)
        stage = next((stage for stage, _ in reversed(call.path) if stage), None)
        sample = wanted.setdefault((frames, call.argument if signatures else None, stage), [0, 0])
        sample[0] += 1
        sample[1] += profile.nanoseconds(call.own)
    for frames, calls, time, labels in readers.pprof_samples(path, test.folder):
        argument = labels.get("n")
        if argument is not None:
            assert argument.endswith(" count"), argument
            argument = int(argument.split()[0])
        key = (frames, argument, labels.get("stage"))
        assert key not in found, key
        found[key] = [calls, time]
    same("pprof samples", wanted, found)
    for index, column, unit in ((0, "calls", ()), (1, "time", ("-unit=ns",))):
        totals = {}
        for (frames, _, _), values in wanted.items():
            for frame in set(frames):
                flat, cumulative = totals.get(frame, (0, 0))
                totals[frame] = (flat + values[index] * (frame == frames[-1]), cumulative + values[index])
        totals = {name: value for name, value in totals.items() if value[1]}
        same(f"pprof -top {column}", totals, readers.pprof_top(path, test.folder, f"-sample_index={column}", "-functions", *unit))
    if signatures:
        check_pprof_labels(test, path, wanted)


def check_pprof_labels(test, path, wanted):
    """-tagfocus selects by an argument and by a stage; -tagroot puts a label's values above all."""
    for argument in (0, 2):
        focused = sum(values[0] for (_, n, _), values in wanted.items() if n == argument)
        samples = readers.pprof_samples(path, test.folder, f"-tagfocus=n={argument}:{argument}")
        same("pprof -tagfocus=n", focused, sum(calls for _, calls, _, _ in samples))
    stages = {stage for _, _, stage in wanted if stage}
    for stage in stages:
        focused = sum(values[0] for (_, _, one), values in wanted.items() if one == stage)
        top = readers.pprof_top(path, test.folder, "-sample_index=calls", "-tagroot=stage", f"-tagfocus=stage={stage}")
        same("pprof -tagroot=stage", focused, top.get(stage, (0, 0))[1])


def check_folded(test, recorded, by):
    profile = recorded.profile
    stacks = profile.stacks(by == "signature", by_thread="thread" in by)
    escaped = {tuple(frame.replace(";", "\\x3b") for frame in frames): values for frames, values in stacks.items()}
    for index, weight in ((0, "calls"), (1, "time")):
        text = recorded.export("folded", "--by", by, "--weight", weight).read_text()
        scale = profile.nanoseconds(1) if index else 1
        same(f"folded {weight}", {frames: values[index] * scale for frames, values in escaped.items()}, readers.folded(text))


def check_flamegraph(test, recorded, by):
    profile = recorded.profile
    stacks = {tuple(frame.replace("\uffff", "\\xef\\xbf\\xbf") for frame in stack): values  # XML has no such character
              for stack, values in profile.stacks(by == "signature").items()}
    for index, weight in ((0, "calls"), (1, "time")):
        path = recorded.export("flamegraph", "--by", by, "--weight", weight, "--cutoff", "0")
        scale = profile.nanoseconds(1) if index else 1
        frames, texts = readers.flamegraph(path)
        wanted = {}
        for stack, values in stacks.items():
            for depth in range(len(stack) + 1):
                wanted[stack[:depth]] = wanted.get(stack[:depth], 0) + values[index] * scale
        wanted = {stack: value for stack, value in wanted.items() if value or not stack}
        found, path_so_far = {}, []
        for name, start, value, depth, x, width in frames:
            del path_so_far[depth:]
            path_so_far.append((name, start, value))
            stack = tuple(one[0] for one in path_so_far[1:])
            assert stack not in found, stack
            found[stack] = value
            if depth:
                parent = path_so_far[-2]
                assert parent[1] <= start and start + value <= parent[1] + parent[2], ("outside of its caller", stack)
            total = path_so_far[0][2]
            if total:
                assert abs(x - 10 - 1180 * start / total) < 0.01 and abs(width - 1180 * value / total) < 0.01, (stack, x, width)
        same(f"flamegraph {weight}", wanted, found)
        hidden = sum(1 for stack in {stack[:d] for stack in stacks for d in range(1, len(stack) + 1)} if stack not in found)
        same("flamegraph left out", f"{hidden} frames are too narrow to be drawn" if hidden else None, texts.get("left-out"))


def check_speedscope(test, recorded, by):
    profile = recorded.profile
    stacks = profile.stacks(by == "signature")
    paths = [recorded.export("speedscope", "--by", by, name="export.speedscope.json"),
             recorded.export("folded", "--by", by, name="export.collapsedstack.txt"),
             recorded.export("callgrind", "--by", by, name="callgrind.export")]
    test.check_schema(json.loads((test.release / "file-format-schema.json").read_text()), json.loads(paths[0].read_text()))
    native, collapsed, callgrind = readers.speedscope(HERE / "speedscope_read.js", test.release, *paths)
    by_frame = [{}, {}]
    for stack, values in stacks.items():
        for index in (0, 1):
            for frame in set(stack):
                self_weight, total = by_frame[index].get(frame, (0, 0))
                value = profile.nanoseconds(values[index]) if index else values[index]
                by_frame[index][frame] = (self_weight + value * (frame == stack[-1]), total + value)
    for index, one, escape in ((1, native["profiles"][0], False), (0, native["profiles"][1], False), (1, collapsed["profiles"][0], True)):
        wanted = {name.replace(";", "\\x3b") if escape else name: value for name, value in by_frame[index].items()}
        found = {frame["name"]: (frame["self"], frame["total"]) for frame in one["frames"]}
        same(f"speedscope {one['name']}", {name: value for name, value in wanted.items() if value[1]},
             {name: value for name, value in found.items() if value[1]})
        same("speedscope total", sum(value[0] for value in wanted.values()), one["total"])
    same("speedscope units", ["nanoseconds", "none"], [one["unit"] for one in native["profiles"]])
    total = sum(value[0] for value in by_frame[1].values())
    if total:
        same("speedscope of callgrind", total, callgrind["profiles"][0]["total"])


def check_dot(test, recorded, by):
    profile, signatures = recorded.profile, by == "signature"
    path = recorded.export("dot", "--by", by, "--cutoff", "0")
    graph, nodes, edges = readers.dot(path)
    rows, arcs = profile.rows(signatures), profile.arcs(signatures)
    wanted = sorted((row[0], row[1], profile.nanoseconds(row[2]), profile.nanoseconds(row[3])) for row in rows.values())
    same("dot nodes", wanted, sorted(tuple(int(node[key]) for key in ("calls", "primitive", "ns", "inclusive_ns")) for node in nodes.values()))
    same("dot names", sorted(recorded.key(*key) for key in rows), sorted(readers.dot_name(node["label"]) for node in nodes.values()))
    same("dot arrows", sorted((calls, profile.nanoseconds(time)) for (caller, _), (calls, time) in arcs.items() if caller),
         sorted((int(edge["calls"]), int(edge["inclusive_ns"])) for edge in edges.values()))
    same("dot totals", (len(profile.calls), profile.nanoseconds(sum(row[2] for row in rows.values()))), (int(graph["calls"]), int(graph["ns"])))


def check_json(test, recorded, by):
    profile, signatures = recorded.profile, by == "signature"
    report = json.loads(recorded.export("json", "--by", by).read_text())
    test.check_schema(json.loads((HERE.parents[2] / "docs" / "report.schema.json").read_text()), report)
    tick = 1 / profile.hz
    wanted = sorted((calls, primitive, own * tick, cumulative * tick) for calls, primitive, own, cumulative in profile.rows(signatures).values())
    same("json", wanted, sorted((row["ncalls"], row["pcalls"], row["tottime"], row["cumtime"]) for row in report["rows"]))
    rows = readers.read_csv(recorded.export("csv", "--by", by).read_text())
    same("csv", wanted, sorted((int(row["ncalls"]), int(row["pcalls"]), float(row["tottime"]), float(row["cumtime"])) for row in rows))
    for text in (report["rows"], rows):
        same("names", sorted((model.printable(model.KNOWN[what][0]), model.KNOWN[what][1], model.printable(model.KNOWN[what][2]))
                             if not isinstance(what, str) else ("~", 0, f"{{{what}}}") for what, _ in profile.rows(signatures)),
             sorted((row["file"], int(row["line"]), row["function"]) for row in text))


CHECKS = {"pstats": check_pstats, "gprof2dot": check_gprof2dot, "snakeviz": check_snakeviz, "callgrind": check_callgrind, "pprof": check_pprof, "folded": check_folded,
          "flamegraph": check_flamegraph, "speedscope": check_speedscope, "dot": check_dot, "json": check_json}
NEEDS = {"callgrind": "callgrind_annotate", "pprof": "go", "speedscope": "node", "dot": "dot", "gprof2dot": "gprof2dot", "snakeviz": "snakeviz"}


class Test:
    def __init__(self, options, folder):
        self.product, self.print_calls, self.folder = Product(options.build, folder), options.print_calls, Path(folder)
        self.release = None

    def check_schema(self, schema, document):
        import jsonschema
        jsonschema.validate(document, schema)

    def missing(self, format, package_folder):
        """What the machine lacks for a format, None when nothing."""
        program = NEEDS.get(format)
        if program and not shutil.which(program):
            return f"{program} is not installed"
        if format in ("speedscope", "json"):
            try:
                import jsonschema  # noqa: F401
            except ImportError:
                return "python3-jsonschema is not installed"
        if format == "speedscope":
            self.release, why = speedscope_package.find(package_folder)
            return why
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--print-calls", required=True, help="the built print_calls")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("format", choices=sorted(CHECKS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        test = Test(options, folder)
        why = test.missing(options.format, Path(options.build) / "tests" / "speedscope")
        if why:
            print(f"skipped: {options.format}: {why}")
            return SKIPPED
        calls = 0
        for seed in range(options.seeds):
            recorded = Recorded(test, seed, threads=1 + seed % 3, stages=seed % 2 == 1, hz=(1000, 1000000000, 50000000)[seed % 3])
            for by in ("function", "signature"):
                CHECKS[options.format](test, recorded, by)
            if options.format == "gprof2dot":
                flat = Recorded(test, seed, stages=False, recursion=False)
                for by in ("function", "signature"):
                    check_gprof2dot_callgrind(test, flat, by)
            if options.format == "folded":
                check_folded(test, recorded, "function,thread")
            calls += len(recorded.profile.calls)
    print(f"{options.format}: {options.seeds} recordings, {calls} calls: all as the calls were")
    return 0


if __name__ == "__main__":
    sys.exit(main())
