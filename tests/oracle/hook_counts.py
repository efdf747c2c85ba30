"""What count_hooks.c counted: calls by probe site, and by the function that the hook was told."""

import os
import re
import struct
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from names import demangle

PIE_BASE = 0x555555554000  # where Linux loads a position-independent program without address randomisation


def preloaded(library, output, *others):
    """The environment in which a program's hooks are counted in the file `output`, and go on to those of the libraries `others`."""
    return {"LD_PRELOAD": ":".join(map(str, [library, *others])), "COUNT_HOOKS_OUTPUT": str(output)}


def read(output, program):
    """[(site, function, calls)], addresses as in the program's file, of a run without address randomisation."""
    if not Path(output).exists():
        raise SystemExit(f"{program}: reached no hook (is it instrumented?)")
    bias = load_bias(program)
    return [(site - bias, function - bias, calls)
            for site, function, calls in struct.iter_unpack("<QQQ", Path(output).read_bytes()) if site]


def run_counted(command, library, stdin=None, cwd=None):
    """Runs `command` with the counting hooks, without address randomisation: (status, what read() returns)."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "counts"
        done = subprocess.run(["setarch", "-R", *command], stdin=open(stdin) if stdin else subprocess.DEVNULL,
                              env=dict(os.environ, **preloaded(library, output)),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd or folder)
        return done.returncode, read(output, command[0])


def load_bias(program):
    """Run-time address less link-time address of the program's own code."""
    header = subprocess.run(["readelf", "-hW", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return PIE_BASE if re.search(r"Type:\s+DYN", header) else 0


def symbols(program, *options):
    """{link-time address: names of its function symbols, without the suffixes of clones and versions}."""
    done = subprocess.run(["nm", "--defined-only", *options, program], stdout=subprocess.PIPE, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        address, kind, name = line.split(None, 2)
        if kind in "tTwWu":
            name = re.split(r"@|\.(?:constprop|isra|part|cold|lto_priv|localalias)", name)[0]
            found.setdefault(int(address, 16), set()).add(name)
    return found


def library_symbols(output, program):
    """What symbols() returns, of the shared libraries of a counted run, with addresses as read() gives them: the address of a
    function that a library exports is the library's own, wherever it is inlined."""
    starts = {}
    for line in Path(f"{output}.maps").read_text().splitlines():
        fields = line.split(None, 5)
        if len(fields) == 6 and fields[5].startswith("/") and os.path.realpath(fields[5]) != os.path.realpath(program):
            starts.setdefault(fields[5], int(fields[0].split("-")[0], 16))
    bias = load_bias(program)
    return {start - bias + address: several for library, start in starts.items() if library.endswith(".so") or ".so." in library
            for address, several in symbols(library, "--dynamic").items()}


def names(program, output=None):
    """{link-time address: the qualified name of its function}; of aliases, the first in order. With the output of a counted run,
    also of its libraries' functions."""
    found = {**(library_symbols(output, program) if output else {}), **symbols(program)}
    first = {address: min(several) for address, several in found.items()}
    named = demangle(set(first.values()))
    return {address: named[symbol] for address, symbol in first.items()}
