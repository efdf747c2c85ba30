"""Which calls to stop at, and what gdb read there."""

import json
import os
import random
import re
import shlex
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import callgrind_counts
import hook_counts
from names import declared_name

HERE = Path(__file__).resolve().parent


def hook_calls(program):
    """{return address: address of the call instruction} of every call of the entry hook, by objdump's disassembly."""
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, check=True)
    calls, pending = {}, None
    for line in done.stdout.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s*(.*)", line)
        if not match:
            continue
        address = int(match[1], 16)
        if pending is not None:
            calls[address] = pending
        pending = address if "call" in match[2] and "__cyg_profile_func_enter" in match[2] else None
    return calls


def choose(counted, named, budget, most, seed=1):
    """Function names, each called at most `most` times together, with `budget` calls in all."""
    calls = Counter()
    for _, function, count in counted:
        calls[named.get(function)] += count
    few = sorted(name for name, count in calls.items() if name and count <= most)
    random.Random(seed).shuffle(few)
    chosen, total = set(), 0
    for name in few:
        if total >= budget:
            break
        chosen.add(name)
        total += calls[name]
    return chosen


def entry_sleds(program):
    """{address of a function that begins with a sled: address of the instruction behind it}, by objdump's disassembly."""
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, check=True)
    found, first, entry = {}, None, None
    for line in done.stdout.splitlines():
        if re.match(r"[0-9a-f]+ <", line):
            first = entry = int(line.split()[0], 16)
            continue
        match = re.match(r"\s*([0-9a-f]+):\s*(.*)", line)
        if not match or entry is None:
            continue
        address, text = int(match[1], 16), match[2]
        nop = re.match(r"((?:cs )*)nopl +0x0\(%rax,%rax,1\)$", text)
        if nop:
            found[first] = address + 5 + nop[1].count("cs")
        elif re.match(rf"jmp +{address + 11:x}\b", text):
            found[first] = address + 11
        elif text.startswith(("endbr64", "nop", "xchg   %ax,%ax", "data16", "cs nop")):
            continue
        entry = None
    return found


def read_in_gdb(plan, named, chosen, stdin, cwd):
    """Runs the `command` of a plan (gdb_reader.py) in gdb: what read_calls() returns."""
    with tempfile.TemporaryDirectory() as folder:
        command = plan["command"]
        plan = dict(plan, arguments=shlex.join(map(str, command[1:])), bias=hook_counts.load_bias(command[0]), output=str(Path(folder) / "read"))
        (Path(folder) / "plan").write_text(json.dumps(plan))
        done = subprocess.run(["gdb", "-nx", "-nh", "-batch", "-x", str(HERE / "gdb_reader.py")], cwd=cwd or folder, errors="replace",
                              env=dict(os.environ, ARGUMENTS_PLAN=str(Path(folder) / "plan"), LC_ALL="C.UTF-8"),
                              stdin=open(stdin) if stdin else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not (Path(folder) / "read").exists():
            raise SystemExit(f"gdb: {done.stdout.strip()[-2000:]}")
        with open(Path(folder) / "read") as lines:
            records = [json.loads(line) for line in lines]
        if not records or not records.pop().get("ended"):
            raise SystemExit(f"gdb: ended before the program: {done.stdout.strip()[-2000:]}")
        for record in records:
            record["called"] = named.get(record["function"], record["name"])
        return [record for record in records if record["called"] in chosen], done.stdout


def read_sled_calls(command, budget=3000, most=60, stdin=None, cwd=None, stored=False):
    """Runs `command`, which has sleds and nothing preloaded, in callgrind to count its calls and then in gdb: what read_calls()
    returns, without gdb's output. `stored`: it is not optimised, and stores its parameters at first."""
    with tempfile.TemporaryDirectory() as folder:
        counts, program = Path(folder) / "counts", callgrind_counts.without_debug(command[0], folder)
        callgrind_counts.run([program, *command[1:]], counts, "--dump-instr=yes", stdin=stdin, cwd=cwd or folder)
        ran, _ = callgrind_counts.by_address(counts, os.path.realpath(program))
    named = {address: declared_name(name) for address, name in hook_counts.names(command[0]).items()}
    entries = entry_sleds(command[0])
    chosen = choose([(behind, entry, ran[entry]) for entry, behind in entries.items() if ran[entry]], named, budget, most)
    calls = {entry: behind for entry, behind in entries.items() if named.get(entry) in chosen and ran[entry]}
    return read_in_gdb({"command": command, "environment": {}, "calls": calls, "sleds": True, "stored": stored}, named, chosen, stdin, cwd)[0]


def read_calls(command, library, environment, budget=3000, most=60, stdin=None, cwd=None):
    """Runs `command` (whose standard input gdb shares with it) twice, the first time to count its calls and then in gdb.

    Returns (records, gdb's output). A record is what gdb_reader.py writes, with `called`, the function's name: all functions
    of a name are watched or none.
    """
    _, counted = hook_counts.run_counted(command, library, stdin, cwd)
    named = {address: declared_name(name) for address, name in hook_counts.names(command[0]).items()}
    chosen = choose(counted, named, budget, most)
    returns = hook_calls(command[0])
    calls = {returns[site]: site for site, function, _ in counted if named.get(function) in chosen and site in returns}
    return read_in_gdb({"command": command, "environment": environment, "calls": calls}, named, chosen, stdin, cwd)
