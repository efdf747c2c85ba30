"""What callgrind counted: for every function, by its mangled name, how often it was called."""

import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path


def run(command, output, *options, stdin=None, cwd=None):
    """Runs `command` in callgrind, without address randomisation, which leaves its counts in the file `output`:
    subprocess.CompletedProcess with bytes."""
    with open(stdin or os.devnull, "rb") as source:
        done = subprocess.run(["setarch", "-R", "valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={output}", "--compress-strings=no",
                               "--compress-pos=no", "--demangle=no", *options, *map(str, command)], stdin=source, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=cwd, env=dict(os.environ, LC_ALL="C.UTF-8"))
    if not Path(output).exists() or not Path(output).stat().st_size:
        raise SystemExit(f"valgrind: {command[0]}: left no counts: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return done


def run_counted(command, stdin=None, cwd=None):
    """Runs `command` in callgrind: (status, calls of the program's own
    functions, its calls of libraries' functions), Counters of mangled names."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "callgrind.out"
        done = run(command, output, stdin=stdin, cwd=cwd or folder)
        return done.returncode, *read(output, os.path.realpath(command[0]))


def without_debug(program, folder):
    """A copy of the program without debug information, of which valgrind 3.19 cannot read clang's."""
    copy = Path(folder) / Path(program).name
    subprocess.run(["objcopy", "--strip-debug", program, copy], check=True)
    return copy


def total(path):
    """All instructions of the run."""
    return int(re.search(r"^(?:totals|summary): (\d+)", Path(path).read_text(errors="replace"), re.MULTILINE)[1])


def by_address(path, program):
    """Of a run with --dump-instr=yes: how often each instruction of the object `program` ran, and how often each was called. Addresses
    are those in the file."""
    ran, calls, current, called, inclusive = Counter(), Counter(), None, None, False
    with open(path, errors="replace") as lines:
        for line in lines:
            if line.startswith("ob="):
                current = line[3:].strip()
            elif line.startswith("cob="):
                called = line[4:].strip()
            elif line.startswith("calls="):
                count, target, _ = line[6:].split()
                if (called or current) == program:
                    calls[int(target, 16)] += int(count)
                called, inclusive = None, True
            elif line.startswith("0x"):
                if current == program and not inclusive:
                    address, _, count = line.split()
                    ran[int(address, 16)] += int(count)
                inclusive = False
    return ran, calls


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
