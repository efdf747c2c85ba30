"""What callgrind counted: for every function, by its mangled name, how often it was called."""

import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path


def run_counted(command, stdin=None, cwd=None):
    """Runs `command` in callgrind, without address randomisation: (status, calls of the program's own
    functions, its calls of libraries' functions), Counters of mangled names."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "callgrind.out"
        done = subprocess.run(["setarch", "-R", "valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={output}", "--compress-strings=no",
                               "--compress-pos=no", "--demangle=no", *map(str, command)],
                              stdin=open(stdin) if stdin else subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              cwd=cwd or folder, env=dict(os.environ, LC_ALL="C.UTF-8"))
        if not output.exists():
            raise SystemExit(f"valgrind: {command[0]}: left no counts")
        return done.returncode, *read(output, os.path.realpath(command[0]))


def read(path, program):
    """Adds up the `calls=` lines by called function: of the object `program`, and of others called from it. Entries that callgrind splits for recursion end
    in '2, '3 ... An object is named where it changes: `ob=` for what follows, `cob=` for the next call only."""
    counts, outward, current, called, function = Counter(), Counter(), None, None, None
    with open(path, errors="replace") as lines:
        for line in lines:
            if line.startswith("ob="):
                current = line[3:].strip()
            elif line.startswith("cob="):
                called = line[4:].strip()
            elif line.startswith("cfn="):
                function = re.sub(r"'\d+$", "", line[4:].strip())
            elif line.startswith("calls="):
                if (called or current) == program:
                    counts[function] += int(line[6:].split()[0])
                elif current == program:
                    outward[function] += int(line[6:].split()[0])
                called = None
    return counts, outward
