"""Exports as their own readers read them: each function runs or is the reader, and returns plain numbers."""

import ast
import csv
import io
import json
import os
import re
import subprocess
import urllib.request
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode()


def callgrind_totals(path, inclusive):
    """{"file:function": nanoseconds} and the program's total, of callgrind_annotate. Its --threshold is never above 100 %, which it
    takes as "until so much was printed": functions of 0 at the end may be missing."""
    text = run("callgrind_annotate", f"--inclusive={'yes' if inclusive else 'no'}", "--auto=no", "--threshold=100", path, cwd="/")
    total = re.search(r"^([\d,]+) .*PROGRAM TOTALS", text, re.M)
    found = {}
    for cost, name in re.findall(r"^ *([\d,]+) \([ \d.]+%\)  (.*?)(?: \[[^\[\]]*\])?$", text.split("file:function")[1], re.M):
        assert name not in found, name
        found[name] = int(cost.replace(",", ""))
    return int(total[1].replace(",", "")), found


def callgrind_calls(path):
    """{(caller, callee): (calls, nanoseconds)} of callgrind_annotate's tree of callers."""
    text = run("callgrind_annotate", "--inclusive=yes", "--tree=both", "--auto=no", "--threshold=100", path, cwd="/")
    found = {}
    for block in text.split("file:function")[1].split("\n\n"):
        lines = [re.match(r" *([\d,]+) \([ \d.]+%\)  ([<*>]) +(.*?)(?: \[[^\[\]]*\])?$", line) for line in block.splitlines()]
        lines = [line for line in lines if line]
        this = [line[3] for line in lines if line[2] == "*"]
        for line in lines:
            if line[2] in "<>":
                name, calls = re.fullmatch(r"(.*) \((\d+)x\)", line[3]).groups()
                key = (name, this[0]) if line[2] == "<" else (this[0], name)
                value = (int(calls), int(line[1].replace(",", "")))
                assert found.get(key, value) == value, (key, value, found[key])
                found[key] = value
    return found


def pprof(path, folder, *options):
    """What Go's pprof prints, without a network or anything of the machine's user."""
    environment = dict(os.environ, HOME=str(folder), PPROF_TMPDIR=str(folder), GOPROXY="off", GOFLAGS="-mod=mod", GO111MODULE="off")
    return run("go", "tool", "pprof", "-symbolize=none", "-nodefraction=0", "-nodecount=1000000", *options, path, env=environment, cwd=folder)


def pprof_samples(path, folder, *options):
    """Every sample as `pprof -raw` has it: [(functions, outermost first), calls, nanoseconds, labels]."""
    text = pprof(path, folder, "-raw", *options)
    head, rest = text.split("Samples:\n", 1)
    body, rest = rest.split("Locations\n", 1)
    locations, mappings = rest.split("Mappings\n", 1)
    # "     1: 0x0 M=1 name /src/a.c:12 s=12()": behind the line that a function begins at is the system's name, which there is none of.
    functions = {number: name for number, name in re.findall(r"^ +(\d+): 0x0 (?:M=\d+ )?(.*) \S*:\d+ s=\d+(?:\(inl\))?\(\)$", locations, re.M)}
    samples = []
    lines = body.splitlines()
    assert lines[0].split() == ["calls/count", "time/nanoseconds[dflt]"], lines[0]
    for line in lines[1:]:
        sample = re.fullmatch(r" +(\d+) +(\d+): ([\d ]*)", line)
        if sample:
            stack = tuple(functions[number] for number in reversed(sample[3].split()))
            samples.append([stack, int(sample[1]), int(sample[2]), {}])
        else:
            for key, value in re.findall(r"(\S+):\[(.*?)\](?= \S+:\[|$| *$)", line):
                samples[-1][3][key] = value
    return samples


def pprof_top(path, folder, *options):
    """{function: (flat, cum)} in nanoseconds or calls of `pprof -top`."""
    text = pprof(path, folder, "-top", *options)
    found = {}
    for flat, cumulative, name in re.findall(r"^ *([\d.]+)(?:ns)? +[\d.]+% +[\d.]+% +([\d.]+)(?:ns)? +[\d.]+%  (.*?)(?: \(inline\))?$", text, re.M):
        found[name] = (int(flat), int(cumulative))
    return found


def folded(text):
    """{frames: weight}, as stackcollapse's readers have it: the weight is behind the last space, frames are parted by semicolons."""
    found = {}
    for line in text.splitlines():
        frames, weight = line.rsplit(" ", 1)
        frames = tuple(frames.split(";"))
        assert frames not in found, frames
        found[frames] = int(weight)
    return found


def flamegraph(path):
    """[(name, start, weight, depth, x, width)] of an SVG, and its other texts by id."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == SVG + "svg"
    frames = []
    for group in root.iter(SVG + "g"):
        if group.get("class") != "f":
            continue
        rect = group.find(SVG + "rect")
        frames.append((group.find(SVG + "title").text.split("\n")[0], int(group.get("data-x")), int(group.get("data-w")),
                       int(group.get("data-d")), float(rect.get("x")), float(rect.get("width"))))
    return frames, {text.get("id"): text.text for text in root.iter(SVG + "text") if text.get("id")}


def dot_name(label):
    """The first line of a label: up to the first \\n, where any other character after a backslash is itself."""
    return re.sub(r"\\(.)", r"\1", re.match(r"(?:[^\\]|\\[^n])*", label)[0])


def dot(path):
    """(total, {node: attributes}, {(tail, head): attributes}) as graphviz reads it: `dot` lays it out and writes JSON."""
    graph = json.loads(run("dot", "-Tjson", path))
    nodes = {node["_gvid"]: node for node in graph.get("objects", [])}
    edges = {(edge["tail"], edge["head"]): edge for edge in graph.get("edges", [])}
    return graph, nodes, edges


def gprof2dot(format, path):
    """What gprof2dot makes of a profile, nothing left out: [(name, total %, own %, calls)] and [(caller, callee, calls)]."""
    quoted = r'("(?:[^"\\]|\\.)*"|\w+)'
    nodes, names, edges = [], {}, []
    for line in run("gprof2dot", "-f", format, "-n", "0", "-e", "0", path).splitlines():
        statement = re.match(rf"\t{quoted}(?: -> {quoted})? \[(?:\w+={quoted},? ?)*\];$", line)
        if not statement or statement[1] in ("graph", "node", "edge"):
            continue
        # "module\nname\n12.50%\n(5.00%)\n3\u00d7", the module only where there is one; in an arrow "12.50%\n3\u00d7".
        label = re.search(rf"\blabel={quoted}", line)[1][1:-1]
        label = re.sub(r"\\(.)", lambda escaped: "\n" if escaped[1] == "n" else escaped[1], label).split("\n")
        calls = int(label[-1].removesuffix("\u00d7"))
        if statement[2]:
            edges.append((statement[1], statement[2], calls))
        else:
            names[statement[1]] = label[-4]
            nodes.append((label[-4], float(label[-3].rstrip("%")), float(label[-2].strip("(%)")), calls))
    return nodes, [(names[caller], names[callee], calls) for caller, callee, calls in edges]


def snakeviz(path):
    """What SnakeViz's page of a profile holds: its table, [(name, ncalls, primitive calls, own, cumulative)] with times as it rounds
    them, and {name: {"stats": [...], "callers": {...}, "children": {...}}}, which its picture is drawn from."""
    server = subprocess.Popen(["snakeviz", "--server", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=dict(os.environ, PYTHONUNBUFFERED="1"))
    try:
        address = next((line.strip() for line in server.stdout if line.startswith("http://")), None)
        if not address:
            raise SystemExit("snakeviz --server printed no address")
        with urllib.request.urlopen(address) as answer:
            page = answer.read().decode()
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
    # The page holds Python's text of them, which JavaScript reads as well.
    table, graph = (ast.literal_eval(re.search(rf"^ *var {name} = (.*);$", page, re.M)[1]) for name in ("table_data", "stats"))
    rows = []
    for (calls, number), own, _, cumulative, _, _, name in table:
        primitive = int(calls.split("/")[-1])
        rows.append((name, number, primitive, float(own), float(cumulative)))
    return rows, graph


def speedscope(node_script, release, *paths):
    """What speedscope's importers make of files: a list of {name, profiles: [{name, unit, total, frames}]}."""
    return json.loads(run("node", node_script, release, *paths))


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))
