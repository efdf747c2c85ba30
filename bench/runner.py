"""Running commands in turn, and what a set of measurements says."""

import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time


class NotRun(Exception):
    """Why something cannot be measured on this machine, in one line."""


def need(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            raise NotRun(f"{tool} is not installed")


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def run(command, env=None, cwd=None, timeout=600, stdin=None):
    """What the command printed. `env` is added to the environment. A failure raises NotRun with the command's last line."""
    environment = dict(os.environ, **(env or {}))
    shown = os.path.basename(command[0])
    try:
        done = subprocess.run(command, env=environment, cwd=cwd, timeout=timeout, stdin=stdin or subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    except OSError as error:
        raise NotRun(f"{shown}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise NotRun(f"{shown} did not end within {timeout} s") from error
    if done.returncode != 0:
        raise NotRun(f"{shown} ended with {done.returncode}: {last_line(done.stderr) or last_line(done.stdout)}")
    return done.stdout


def compile_with(compiler, *arguments):
    need(compiler)
    return run([compiler, *arguments])


def child_seconds():
    """CPU seconds of every child that has been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command, env=None, cwd=None, timeout=600, stdin=None):
    """Wall seconds, and the seconds of CPU of the command and everything that it waited for."""
    before = child_seconds()
    start = time.perf_counter()
    run(command, env, cwd, timeout, stdin)
    wall = time.perf_counter() - start
    return wall, child_seconds() - before


def disk_bytes(path):
    """Bytes allocated on disk by a file or by everything under a directory."""
    if os.path.isfile(path):
        return os.stat(path).st_blocks * 512
    total = 0
    for folder, _, names in os.walk(path):
        total += sum(os.lstat(os.path.join(folder, name)).st_blocks * 512 for name in names)
    return total


class Folder:
    """A directory for one run, removed after it."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="callsig-bench-")
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def median(values):
    return statistics.median(values)


def spread(values):
    """Half the distance between the quartiles: how far apart the runs were."""
    if len(values) < 4:
        return (max(values) - min(values)) / 2
    quartiles = statistics.quantiles(values, n=4)
    return (quartiles[2] - quartiles[0]) / 2


def median_ratio(values, base):
    """The median of the ratios of runs that were made one after the other."""
    return median([value / other for value, other in zip(values, base)])


def interleave(rounds, subjects, measure, say=None):
    """Measures every subject once, then every subject again, `rounds` times. `measure(subject)` returns a value or raises NotRun,
    after which that subject is left out. Returns {subject: values} and {subject: reason}."""
    values = {subject: [] for subject in subjects}
    reasons = {}
    for number in range(rounds):
        for subject in subjects:
            if subject in reasons:
                continue
            try:
                values[subject].append(measure(subject))
            except NotRun as reason:
                reasons[subject] = str(reason)
                values[subject] = []
        if say:
            say(f"round {number + 1} of {rounds}")
    return values, reasons
