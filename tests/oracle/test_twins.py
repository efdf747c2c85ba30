#!/usr/bin/env python3
# ctest: real
# ctest: case - quick --quick
# ctest: case _full.lua full --full lua
# ctest: case _full.zstd full --full zstd
# ctest: case _full.sqlite3 full --full sqlite3
"""Arguments read from an optimised build are those that the same calls have in the build at -O0.

    test_twins.py --sources FOLDER --out FOLDER --build FOLDER (--quick | --full | PROGRAM COMPILER...)

A debugger believes what the compiler wrote into the debug information, and so cannot tell where that is wrong. At -O0 every
parameter lies in memory and is plainly described. Both builds make the same calls for the same input (where a function's count
differs, nothing is said of it), so each value that the optimised build is reported to have been called with must have been
passed at least as often at -O0, and exactly as often where no call of the optimised build lost it. Parameters whose values were
widened in either build have too many to be compared and are counted.

A parameter that differs between two runs of one build (an address, the time of day) is left out: the build at -O0 runs before and
after the other, the second time at random addresses.

WRONG lists where the compiler itself is wrong: its debug information names a register that holds something else, in a way that
nothing but this comparison shows.
"""

import json
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

from test_counts import called_alike  # noqa: E402
from driver import Driver  # noqa: E402

FIXED = {"lua": "-fixed", "zstd": "", "sqlite3": "-fixed"}
QUICK = {"lua": ["clang"]}
FULL = {name: ["gcc", "clang"] for name in FIXED}
THREADS = "threads"  # the order of calls is the threads' own, and so is how often they wait
WRONG = {
    # The function uses the low byte alone, so clang loads no more of the parameter; the register is described as the whole.
    ("zstd", "clang", "HUF_getNbBits", "elt"),
    # Both are shifted into place before they are put into an instruction: the register holds what was shifted.
    ("lua", "clang", "luaK_codeABCk", "b"),
    ("lua", "clang", "luaK_codeABCk", "k"),
    # Described as the constant 0 where a check of the pointer was folded, and with it the argument beside it.
    ("sqlite3", "clang", "sqlite3VdbeUsesBtree", "p"),
    ("sqlite3", "clang", "sqlite3VdbeUsesBtree", "i"),
    ("sqlite3", "clang", "sqlite3VdbeChangeP5", "p"),
    # Changed by the function at once: what is described is what it was changed to.
    ("sqlite3", "clang", "sqlite3VarintLen", "v"),
    ("sqlite3", "clang", "allocSpace", "pBuf"),
    ("sqlite3", "clang", "sqlite3BitvecTestNotNull", "i"),
}


def arguments(report):
    """({function: ncalls}, {(function, parameter): Counter of (state, value)}); a function is (file, line, name)."""
    calls, values = Counter(), defaultdict(Counter)
    for row in report["rows"]:
        function = Path(row["file"]).name, row["line"], row["function"]
        calls[function] += row["ncalls"]
        for place, argument in enumerate(row["args"] or []):
            value = json.dumps(argument.get("value"))
            seen = "lost" if "[?" in value else argument["state"], value
            values[function, (place, argument["name"])][seen] += row["ncalls"]
    return calls, values


def recorded(product, command, run, randomised=False):
    with tempfile.TemporaryDirectory() as cwd:
        recording = Path(cwd) / "recording"
        done = product.run([*called_alike(command, cwd), *run.args], recording, (), run.stdin, cwd, randomised)
        return done.returncode, arguments(product.report(recording))


class Tally:
    def __init__(self):
        self.values = self.calls = self.widened = self.lost = self.known = self.unsteady = 0
        self.wrong = []

    def add(self, parameter, optimised, plain, is_known):
        """Compares how often a parameter had each value."""
        states = {state for state, _ in optimised} | {state for state, _ in plain if state != "lost"}
        if "widened" in states or any(state == "lost" for state, _ in plain):
            self.widened += sum(optimised.values())
            return
        is_whole = states == {"read"}
        for (state, value), calls in optimised.items():
            if state != "read":
                self.lost += calls
            elif calls > plain[state, value] or (is_whole and calls != plain[state, value]):
                self.known += is_known
                self.wrong += [] if is_known else [(parameter, value, calls, plain[state, value])]
            else:
                self.values += 1
                self.calls += calls


def compare(builder, product, name, compiler, run):
    """Prints what one run shows; returns how many values were passed at -O0 less often than reported."""
    plain_command, command = (builder.build(name, f"{compiler}-{level}{FIXED[name]}") for level in ("O0", "O2"))
    plain_status, (plain_calls, plain_values) = recorded(product, plain_command, run)
    status, (calls, values) = recorded(product, command, run)
    _, (_, again) = recorded(product, plain_command, run, randomised=True)
    if status != plain_status:
        raise SystemExit(f"{name} {compiler} {run.name}: status {status} at -O2, {plain_status} at -O0")
    tally = Tally()
    for key, optimised in values.items():
        (function, parameter), plain = key, plain_values[key]
        if calls[function] != plain_calls[function]:
            continue
        if plain != again[key]:
            tally.unsteady += 1
        else:
            tally.add(key, optimised, plain, (name, compiler, function[2], parameter[1]) in WRONG)
    other = sum(count != plain_calls[function] for function, count in calls.items())
    print(f"{name:8} {compiler:6} {run.name:11} arguments equal {tally.calls:10} ({tally.values} values)  lost {tally.lost:10}  "
          f"too many values {tally.widened:10}  functions with other counts {other:3}  parameters left out {tally.unsteady}  "
          f"values that the compiler gets wrong {tally.known}  different {len(tally.wrong)}")
    for ((file, line, function), (_, parameter)), value, count, plain in tally.wrong:
        print(f"    {file}:{line}({function}): {parameter}={value} {count} times at -O2, {plain} at -O0")
    if not tally.values:
        raise SystemExit(f"{name} {compiler} {run.name}: nothing was compared")
    return len(tally.wrong)


def main():
    driver = Driver(__doc__, QUICK, FULL)
    different = sum(compare(driver.builder, driver.product, name, compiler, run) for name, compiler in driver.chosen
                    for run in driver.builder.runs(name, small=True) if run.name != THREADS)
    print(f"{different} values differ")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
