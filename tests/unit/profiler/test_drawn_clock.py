#!/usr/bin/env python3
# ctest: arguments $<TARGET_FILE:callsig>
"""How the hooks of sleds read the clock: a call that stands for many is timed from when what came before has ended to when it has
ended itself, whatever a processor does at once; one where each is timed is not held up.

    test_drawn_clock.py LIBRARY

Told by the instructions themselves: what they take depends on the machine and on what else it does."""

import re
import subprocess
import sys


def instructions(library, symbol):
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--disassemble={symbol}", library], check=True,
                             capture_output=True, text=True).stdout
    return re.findall(r"^\s+[0-9a-f]+:\s+(\S+)", listing, re.MULTILINE)


def readings(names):
    """Of each reading of the clock: whether the instructions before and after it wait."""
    return [(before == "lfence", after == "lfence") for before, name, after in zip(names, names[1:], names[2:]) if name == "rdtsc"]


def main(library):
    expected = {
        "prof_sled_sample": [(True, True)],
        "prof_sled_timed": [(False, False)],
        # Of each call that is timed, of one that is drawn, and of what the generic path ends.
        "prof_sled_exit": [(False, False), (True, True), (True, False)],
    }
    found = {symbol: readings(instructions(library, symbol)) for symbol in expected}
    if not any(found.values()):
        print(f"{library}: has no hooks of sleds")
        return 0
    for symbol, wanted in expected.items():
        if found[symbol] != wanted:
            print(f"{symbol}: {found[symbol]}, not {wanted}")
    return 0 if found == expected else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
