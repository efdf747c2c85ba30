#!/usr/bin/env python3
# ctest: real
# ctest: skips
# ctest: case - full --print-calls $<TARGET_FILE:print_calls> lua
"""KCachegrind loads callgrind exports to their last line without a complaint.

    test_kcachegrind.py --sources FOLDER --out FOLDER --build FOLDER --print-calls PROGRAM PROGRAM

Exports are of random calls with awkward names (model.py) and of a real program. KCachegrind tells of each line that it does not
understand; a line behind the end of each export that no reader can understand says that it has read all before it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import build  # noqa: E402
import model  # noqa: E402
from product import Product  # noqa: E402

SKIPPED = 77
LAST = "this is no line of callgrind's"


def complaints(path, folder):
    """What KCachegrind says of a file's lines: [(line, text)]. It goes on running, so that it is ended once it has read LAST."""
    text = path.read_text()
    path.write_text(f"{text}{LAST}\n")
    environment = dict(os.environ, HOME=str(folder), XDG_RUNTIME_DIR=str(folder), XDG_CONFIG_HOME=str(folder), QT_QPA_PLATFORM="offscreen",
                       QT_LOGGING_RULES="default.debug=true", LC_ALL="C.UTF-8")
    viewer = subprocess.Popen(["dbus-run-session", "--", "timeout", "--foreground", "120", "kcachegrind", path], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    found = []
    try:
        for line in viewer.stderr:
            told = re.match(r'Loading ".*" : (\d+) : +"(.*)"', line)
            if told:
                found.append((int(told[1]), told[2]))
                if LAST in told[2]:
                    return found[:-1]
    finally:
        os.killpg(viewer.pid, 15)
        viewer.wait()
        viewer.stderr.close()
    return [*found, (0, "the end of the file was not read")]


def recordings(options, product, folder):
    """(name, recording) of random calls, and of the real program."""
    for seed in range(4):
        model.Profile(seed, threads=1 + seed % 3, stages=seed % 2 == 1).write(folder / "sequence")
        subprocess.run([options.print_calls, folder / "sequence", folder / "recording", "stats"], stdout=subprocess.DEVNULL, check=True)
        yield f"random calls {seed}", folder / "recording"
    builder = build.Builder(options.sources, options.out, options.callsig or product.libraries)
    command = builder.build(options.program, "gcc-O2")
    run = builder.runs(options.program, small=True)[0]
    product.run([*command, *run.args], folder / "real", ("--times", "exact"), run.stdin, folder)
    yield options.program, folder / "real"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build.add_arguments(parser)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--print-calls", required=True, help="the built print_calls")
    parser.add_argument("program")
    options = parser.parse_args()
    for program in ("kcachegrind", "dbus-run-session"):
        if not shutil.which(program):
            print(f"skipped: kcachegrind: {program} is not installed")
            return SKIPPED
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        product = Product(options.build, folder)
        for what, recording in recordings(options, product, folder):
            for by in ("function", "signature"):
                path = folder / "callgrind.export"
                product.call("export", "--to", "callgrind", "--by", by, "-o", path, recording)
                told = complaints(path, folder)
                failures += len(told)
                print(f"{what} by {by}: {len(path.read_text().splitlines()) - 1} lines", *(f"line {line}: {text}" for line, text in told), sep="\n    ")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
