"""What callgrind counted: for every function, by its mangled name, how often it was called."""

import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path


def run_counted(command, stdin=None, cwd=None):
    """Runs `command` in callgrind, without address randomisation: (status, Counter of mangled names)."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "callgrind.out"
        done = subprocess.run(["setarch", "-R", "valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={output}", "--compress-strings=no",
                               "--compress-pos=no", "--demangle=no", *map(str, command)],
                              stdin=open(stdin) if stdin else subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              cwd=cwd or folder, env=dict(os.environ, LC_ALL="C.UTF-8"))
        if not output.exists():
            raise SystemExit(f"valgrind: {command[0]}: left no counts")
        return done.returncode, read(output)


def read(path):
    """Adds up the `calls=` lines by called function; entries that callgrind splits for recursion end in '2, '3 ..."""
    counts, called = Counter(), None
    with open(path, errors="replace") as lines:
        for line in lines:
            if line.startswith("cfn="):
                called = re.sub(r"'\d+$", "", line[4:].strip())
            elif line.startswith("calls=") and called:
                counts[called] += int(line[6:].split()[0])
    return counts
