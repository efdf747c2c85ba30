"""One row of the matrix: builds a hazard in each way, runs it plain and profiled, and says what became of it.

exact     output and exit status are those of the plain program, nothing is said, and every call is recorded
counted   output and exit status are the same, and the calls that are missing are counted in the recording, and the report tells them
refused   output and exit status are the same, and one line says that the program is not profiled
falls     anything else
"""

import os
import signal
import struct
import subprocess

from harness import Failure, Result, compile_program, find_source, remove_recordings
from matrix_rows import VERDICTS
from run_guest import expect_told


LIMIT = 120  # seconds of a run
COUNT = struct.Struct("<QQ48s")
PAGE = 4096
LOST = ("no_space", "nested", "late", "no_sled")  # calls that were made and are not recorded
COMPILERS = {"after": "gcc-sleds", "before": "gcc", "clang": "clang-sleds"}


class Program:
    """A row as one compiler builds it: compiled with hooks and without, linked in every way."""

    def __init__(self, tools, row, build):
        self.tools, self.row = tools, row
        self.build = COMPILERS[build].replace("gcc", "g++" if row.cxx else "gcc").replace("clang", "clang++" if row.cxx else "clang")
        self.compiler, self.hooks = tools.hooks_of(self.build)
        # Guests of run_guest.py count functions that sleds do not see once they are inlined.
        self.level = "-O0" if row.counts_itself and build != "before" else "-O2"
        self.made = {}

    def make(self, name, source, options, libraries=()):
        """Builds a file once."""
        if name not in self.made:
            path = os.path.join(self.tools.scratch, f"{self.build}-{name}")
            compile_program(self.compiler, ["-g", self.level, *self.row.flags, *options], [source], path, libraries)
            self.made[name] = path
        return self.made[name]

    def program(self, way, hooks):
        """The program, linked as `way` has it, with the runtime where it has hooks."""
        kind = "hooked" if hooks else "plain"
        options = self.hooks if hooks else []
        code = self.make(f"{kind}.o", self.row.path, ["-c", *options])
        libraries = ["-static"] if way == "static" and "-static-pie" not in self.row.flags else []
        if hooks and way != "preloaded":
            libraries = self.tools.link_with("static" if way == "static" else "shared") + libraries
        if not hooks:
            way = "static" if way == "static" else "dynamic"
        return self.make(f"{way}-{kind}", code, options, libraries)

    def words(self, arguments):
        """The arguments of a run, with what is built for it."""
        known = {"@scratch": os.path.join(self.tools.scratch, "scratch-file")}
        if "@library" in arguments:
            known["@library"] = self.make("library.so", self.row.path, ["-DLIBRARY", "-shared", "-fPIC", *self.hooks])
        for plugin in self.row.plugins:
            known["@" + plugin] = self.make(f"{plugin}.so", find_source("plugin.c"), [f"-DPLUGIN={plugin}", "-shared", "-fPIC", *self.hooks])
        return [known.get(word, word) for word in arguments]


def run(tools, command, environment, recording=None):
    """Runs a hazard, and ends all of its group when it hangs."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                          cwd=tools.scratch, process_group=0) as process:
        try:
            output, errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            raise Failure(f"does not end in {LIMIT} s") from error
    done = subprocess.CompletedProcess(command, process.returncode, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"))
    return Result(command, done, recording)


def own_counts(path):
    """What a hazard counted itself: name -> calls."""
    with open(path, "rb") as file:
        return {name.rstrip(b"\0").decode(): calls for key, calls, name in COUNT.iter_unpack(file.read()) if key}


def said(result):
    """The profiler's lines on stderr, and all others."""
    lines = result.errors.splitlines()
    mine = [line for line in lines if line.startswith("callsig: ")]
    return mine, [line for line in lines if line not in mine]


def recorded(tools, result):
    """The calls in all recordings of a run, and those that each counts as lost."""
    calls, lost = {}, {}
    for path in [result.recording, *tools.other_recordings(result)]:
        if not os.path.exists(path):
            continue
        read = tools.read(path)
        for name, (count, _primitive) in read.calls.items():
            calls[name] = calls.get(name, 0) + count
        lost[path] = sum(read.loss[name] for name in LOST)
        tools.expect_report(path, read)
    return calls, lost


def expect_loss_told(tools, lost):
    """The report tells of the calls that a recording counts as lost."""
    for path, number in lost.items():
        if number and not any("not recorded" in note for note in tools.report(path)["notes"]):
            raise Failure(f"{number} lost calls are in no note of the report")


def judge(tools, result, counts):
    if not sum(counts.values()):
        raise Failure("it counted no call of its own")
    lines, _others = said(result)
    calls, lost = recorded(tools, result)
    if len(lines) == 1 and "not profiled" in lines[0] and not any(calls.get(name) for name in counts):
        return "refused"
    if lines:
        raise Failure(f"says {lines}")
    wrong = {name: (count, calls.get(name, 0)) for name, count in counts.items() if calls.get(name, 0) != count}
    if not wrong:
        return "exact"
    missing = sum(count - found for count, found in wrong.values())
    if any(found > count for count, found in wrong.values()) or missing > sum(lost.values()):
        raise Failure(f"called, recorded: {wrong}, and {sum(lost.values())} counted as lost")
    expect_loss_told(tools, lost)
    return "counted"


def judge_guest(tools, row, result):
    """The same of a guest of run_guest.py, which tells its counts on stdout."""
    lines, _others = said(result)
    expect_told(tools, result, row.check)
    found = tools.read(result.recording).calls
    return "counted" if any(found[name][0] != calls for name, calls in result.told("varies").items()) or lines else "exact"


def run_cell(tools, row, program, way, plain):
    """The worst of a cell's runs: (verdict, what was found)."""
    worst = "exact"
    for number, arguments in enumerate(row.runs):
        words = program.words(arguments)
        counts, recording = os.path.join(tools.scratch, "counts"), tools.new_recording()
        with open(counts, "wb") as file:
            file.truncate(PAGE)
        settings = {"CALLSIG_OUTPUT": recording, "HAZARD_COUNTS": counts}
        if way == "preloaded":
            settings["LD_PRELOAD"] = tools.preload
        result = run(tools, [program.program(way, True), *words], tools.environment(**settings), recording)
        tools.compare(plain[number], result)
        if not row.counts_itself and said(result)[1] != said(plain[number])[1]:
            raise Failure(f"stderr differs:\n{result.errors}\nplain:\n{plain[number].errors}")
        verdict = judge_guest(tools, row, result) if row.counts_itself else judge(tools, result, own_counts(counts))
        worst = max(worst, verdict, key=VERDICTS.index)
        remove_recordings(recording)
    return worst


def run_row(tools, row, cells):
    """What became of each of these cells: cell -> (verdict, what was found)."""
    results, programs, plains = {}, {}, {}
    for way, build in cells:
        if build not in programs:
            programs[build] = Program(tools, row, build)
        program = programs[build]
        try:
            how = program.compiler, way == "static"
            if how not in plains:
                plains[how] = [run(tools, [program.program(way, False), *program.words(arguments)], tools.environment())
                               for arguments in row.runs]
            results[way, build] = run_cell(tools, row, program, way, plains[how]), ""
        except Failure as failure:
            results[way, build] = "falls", str(failure)
    return results


def agrees(row, cell, verdict):
    """Is this what the row says of the cell? A cell that loses calls at worst may lose none."""
    expected = row.expected[cell]
    return verdict == expected or (expected, verdict) == ("counted", "exact")


def shown(row, cell, verdict):
    """What the table says: the worst that the row expects, where that was not seen."""
    return row.expected[cell] if agrees(row, cell, verdict) else verdict


