"""What the tests of verdicts share: a pipeline of cases.py is run and recorded, and its verdict held against what is true."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from harness import CALLSIG, INCLUDE, RUNTIME, Case  # noqa: E402

TRIES = 6  # until others leave enough of the machine
SAME = 0.04  # of a time, and ...
SLACK = 0.0005  # ... seconds: by so much the tasks of a stage may differ where the machine was the same
LITTLE = 0.05  # of the time of a stage's threads, in which they waited for a processor: others left enough of the machine
LACKING = 0.25  # of the time of a stage's threads, in which they waited for a processor: that may be what bounds it, ...
LACKING_MOSTLY = 0.45  # ... and that may be, whatever the stages do

def fits(value, expected):
    return expected is None or value in (expected if isinstance(expected, set) else {expected})


def stage_of(verdict):
    return verdict["stage"].split(":")[2].split("[")[0] if verdict["stage"] else None


def own_waits(output):
    """Of what a program printed: the share of their time that the threads of each stage were ready and waited for a processor, as the
    kernel told them (own_waits.h)."""
    lines = [line.split() for line in output.splitlines() if line.startswith("waits ")]
    return {stage: float(ready) / float(lived) for _, stage, ready, lived in lines if float(lived) > 0}


def cores_are_lacking(verdict, whole, truth):
    """Where others use the processors, it is right that these bound even what sleeps most of its time; and only there: if the kernel told
    the stage's own threads that they waited for one, or those of some stage, where none is busy."""
    if verdict["bound"] != "processor" or fits("processor", truth["bound"]):
        return False
    waited = whole["own_waits"]
    return waited.get(stage_of(verdict), 0) >= LACKING or max(waited.values(), default=0) >= LACKING_MOSTLY


def failure(verdict, whole, truth):
    """What of the verdict is not true; None: all is. Where no gain is predicted, none is promised."""
    if cores_are_lacking(verdict, whole, truth):
        return None
    if not fits(verdict["bound"], truth["bound"]) or not fits(stage_of(verdict), truth["stage"]):
        return f"it is {truth['bound']} {truth['stage'] or ''}"
    gain = verdict["doubling_gain"]
    if gain is not None and gain > truth.get("gain", 2.0) + 1e-9:
        return f"gain {gain}, at most {truth.get('gain', 2.0)}"
    return next((text for text, is_true in truth.get("all", ()) if not is_true(verdict, whole)), None)


def is_disturbed(verdict):
    """Others kept the machine so busy that the simulation of the pipeline as it was does not give its throughput."""
    return "kept the machine busy" in (verdict["what_would_help"]["not_predicted"] or "")


def is_same(one, other):
    """By the means of tasks' times; of stages with a slow thread, which may have another part of the tasks, by the medians."""
    slow = {straggler["stage"] for straggler in one["verdicts"][0]["stragglers"]}
    for mine, its in zip(one["stages"], other["stages"]):
        key = "p50_time" if mine["label"] in slow else "ave_time"
        if abs(mine[key] - its[key]) > SAME * mine[key] + SLACK:
            return False
    return True


class PipelineCase(Case):
    def setUp(self):
        super().setUp()
        self.waited = {}
        source = (HERE / "run_pipeline.c").read_text()
        libs = ("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread")
        self.compile("instrumented", source, "-I" + INCLUDE, "-I" + str(HERE), libs=libs)
        self.compile("plain", source, "-I" + INCLUDE, "-I" + str(HERE), instrument=False, libs=libs)

    def record(self, name, truth, *options):
        """The recording of a case, which uses as many processors as it states, and its items a second."""
        cores = truth.get("cores")
        allowed = sorted(os.sched_getaffinity(0))[:cores]
        program = "./plain" if truth.get("plain") else "./instrumented"
        done = subprocess.run([CALLSIG, "run", *options, "-o", name + ".out", program, *truth["run"]], cwd=self.folder,
                              env=self.environment, text=True, capture_output=True, timeout=300, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, allowed) if cores else None)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.waited[name + ".out"] = own_waits(done.stdout)
        seconds, items = done.stdout.split()[:2]
        return name + ".out", float(items) / float(seconds)

    def answer(self, path):
        done = self.callsig("stages", "--format", "json", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(json.loads(done.stdout), own_waits=self.waited.get(path, {}))

    def recorded(self, name, *run):
        """The recording of a run and its verdict, on a machine that others leave enough of."""
        for _ in range(TRIES):
            path, _ = self.record(name, dict(run=list(run), plain=True))
            verdict = self.answer(path)["verdicts"][0]
            if not is_disturbed(verdict) and max(self.waited[path].values(), default=0) < LITTLE:
                break
        return path, verdict
