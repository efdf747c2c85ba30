#!/usr/bin/env python3
# ctest: real
# ctest: skips
# ctest: case .lua quick --quick lua
# ctest: case .zstd full --quick zstd
# ctest: case _full.lua full --full lua
# ctest: case _full.zstd full --full zstd
# ctest: case _full.sqlite3 full --full sqlite3
# ctest: case _full.jsonnet full --full jsonnet
"""For every function of a real program that is instrumented after inlining, callsig's ncalls equals what callgrind counted for the
same binary; no tolerance.

    test_sled_counts.py --sources FOLDER --out FOLDER --build FOLDER (--quick | --full | PROGRAM VARIANT...)

callgrind counts calls by the address that is called, and a symbol stands at each. Functions meet by their bare names: the counts of
all instances of a name, which the tools spell differently, are compared as a collection, clones of a function as one. What the compiler
made of the program's sources and callgrind saw called must be in the table: only what comes from assembler and the C runtime's own
start is left out. The program runs without address randomisation, and `fixed` takes the remaining chance out (programs.py). Exit
status 77: valgrind is not installed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

import callgrind_counts  # noqa: E402
from driver import Driver  # noqa: E402
from names import declared_name, demangle  # noqa: E402
from test_equality import same_name  # noqa: E402

BOTH = ["gcc-O2-sleds-fixed", "clang-O2-sleds-fixed"]
QUICK = {"lua": BOTH, "zstd": BOTH[:1], "sqlite3": BOTH[:1], "jsonnet": BOTH[:1]}
KINDS = [f"{kind}-{shape}-fixed" for shape in ("sleds", "calls") for kind in ("gcc-O0", "gcc-O2", "gcc-O3", "gcc-O2-lto", "clang-O2")]
FULL = {name: KINDS for name in QUICK}
# How often a thread waits is its own in each run.
THREADED = {("zstd", "threads")}
# Of the C runtime's start, and of assembler.
FOREIGN = re.compile(r"(_start|_init|_fini|frame_dummy|(de)?register_tm_clones|__do_global_dtors_aux|.*_asm_loop)$")
# What clang makes to initialise the objects of a file has sleds, and no calls of hooks.
UNCALLED = re.compile(r"_GLOBAL__sub_I_")
CLONE = re.compile(r"\.(constprop|isra|part|lto_priv|localalias)(\.\d+)?")


def functions(program):
    """{address: the symbols of functions there}, of the program's file; parts that are only jumped to are none."""
    text = subprocess.run(["nm", "--defined-only", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = defaultdict(set)
    for line in text.splitlines():
        address, kind, symbol = line.split(None, 2)
        if kind in "tTwWu" and not re.search(r"\.cold(\.\d+)?$", symbol):
            found[int(address, 16)].add(CLONE.sub("", symbol))
    return found


def instances(counted):
    """{(what tells an instance from others, its name): calls} -> {bare name: ascending counts of its instances, none of them 0}."""
    found = defaultdict(list)
    for (_, name), calls in counted.items():
        if calls:
            found[declared_name(name)].append(calls)
    return {name: sorted(several) for name, several in found.items()}


def count_with_callgrind(command, run, chosen):
    """(status, counts by instance, bare names of which one instance is at several addresses). Of several symbols of one address, as of functions
    whose code is the same, it is one of `chosen` where there is one."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        counts, program = Path(kept) / "counts", callgrind_counts.without_debug(command[0], kept)
        done = callgrind_counts.run([*same_name(folder, [program]), *run.args], counts, "--dump-instr=yes", stdin=run.stdin, cwd=folder)
        _, calls = callgrind_counts.by_address(counts, str(program))
        symbols = functions(program)
    named = demangle({symbol for several in symbols.values() for symbol in several})
    found, addresses = Counter(), Counter()
    for address, several in symbols.items():
        symbol = min({symbol for symbol in several if declared_name(named[symbol]) in chosen} or several)
        if not FOREIGN.match(symbol):
            # Clones, and constructors of which there are several, are one function.
            found[named[symbol], named[symbol]] += calls[address]
            addresses[named[symbol]] += 1
    return done.returncode, found, {declared_name(name) for name, number in addresses.items() if number > 1}


def count_with_callsig(product, command, run):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        recording = Path(kept) / "recording"
        done = product.run([*same_name(folder, command), *run.args], recording, ("--no-signatures",), run.stdin, folder, randomised=False)
        counts = Counter()
        for row in product.report(recording, "--by", "function")["rows"]:
            counts[(row["file"], row["line"], row["function"]), row["function"]] += row["ncalls"]
        return done.returncode, counts


def differences(found, expected, shared):
    """Names whose counts differ, and those whose counts have the same sum: functions of one name in several files are one to callgrind's symbols,
    which have it at several addresses."""
    unlike = sorted(key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key))
    split = [key for key in unlike if key in shared and sum(found.get(key, [])) == sum(expected.get(key, []))]
    return [key for key in unlike if key not in split], split


def compare(builder, product, name, variant, small):
    """Prints one line for each run; returns how many functions and calls were counted, and how many functions differ."""
    command = builder.build(name, variant)
    counted_functions = counted_calls = different = 0
    for run in builder.runs(name, small):
        if (name, run.name) in THREADED:
            continue
        found_status, rows = count_with_callsig(product, command, run)
        found = instances(rows)
        status, counted, shared = count_with_callgrind(command, run, found.keys())
        expected = instances(counted)
        if variant.startswith("clang-") and "-calls-" in variant:
            expected = {name: several for name, several in expected.items() if not UNCALLED.match(name)}
        if status != found_status:
            raise SystemExit(f"{name} {variant} {run.name}: status {found_status} under callsig, {status} in callgrind")
        wrong, split = differences(found, expected, shared)
        functions, calls = sum(map(len, found.values())), sum(map(sum, found.values()))
        print(f"{name:8} {variant:24} {run.name:11} functions {functions:5}  calls {calls:11}  "
              f"equal {len(found) - len(split) - len(set(wrong) & set(found)):5}  as a sum {len(split):4}  different {len(wrong)}", flush=True)
        for key in wrong[:20]:
            print(f"    {key}: callsig {found.get(key)}, callgrind {expected.get(key)}")
        counted_functions += functions
        counted_calls += calls
        different += len(wrong)
    return counted_functions, counted_calls, different


def main():
    if shutil.which("valgrind") is None:
        print("test_sled_counts: valgrind is not installed")
        return 77
    driver = Driver(__doc__, QUICK, FULL)
    different = sum(compare(driver.builder, driver.product, *pair, not driver.options.full)[-1] for pair in driver.chosen)
    print(f"{different} functions differ")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
