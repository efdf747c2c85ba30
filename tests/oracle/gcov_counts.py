"""What gcov counted: for every function, how often it was entered."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path


@contextlib.contextmanager
def directed(objects, data):
    """While this lasts, the counters of programs that are built in the folder `objects` go to the folder `data`, so that runs
    do not add up and builds are not touched."""
    own = {"GCOV_PREFIX": str(data), "GCOV_PREFIX_STRIP": str(len(Path(objects).resolve().parts) - 1)}
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def collect(objects, data):
    """Reads the counters in `data`: a Counter of (file, line, mangled name)."""
    for notes in Path(objects).glob("*.gcno"):
        shutil.copy(notes, data)
    return read(data)


def run_counted(command, objects, stdin=None, cwd=None):
    """Runs `command`, built in the folder `objects`: (status, counts)."""
    with tempfile.TemporaryDirectory() as data:
        with directed(objects, data):
            done = subprocess.run(command, stdin=open(stdin) if stdin else subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, cwd=cwd or data)
        return done.returncode, collect(objects, data)


def read(folder):
    """Adds up the .gcda files in `folder`."""
    data = sorted(path.name for path in Path(folder).glob("*.gcda"))
    if not data:
        raise SystemExit(f"{folder}: the program left no counts for gcov (did it end through exit?)")
    done = subprocess.run(["gcov", "--json-format", "--stdout", *data], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"gcov: {done.stderr.strip()}")
    counts = Counter()
    for line in done.stdout.splitlines():
        for file in json.loads(line)["files"] if line.startswith("{") else []:
            for function in file["functions"]:
                counts[file["file"], function["start_line"], function["name"]] += function["execution_count"]
    return counts
