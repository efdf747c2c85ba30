#!/usr/bin/env python3
"""No cumtime of a kept recording is longer than the time that was recorded, with the hooks' cost or without it (docs/reports.md)."""

import json
import lzma
import pathlib
import subprocess
import sys
import tempfile

RECORDINGS = pathlib.Path(__file__).resolve().parent / "recordings"
ROUNDED = 1e-12


def excess(command, file, by, times):
    """The longest cumtime beyond the total, as a part of it."""
    done = subprocess.run([command, "report", file, "--by", by, times, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        return 0
    told = json.loads(done.stdout)
    longest = max((row["cumtime"] for row in told["rows"]), default=0)
    return longest / told["total_time"] - 1 if told["total_time"] > 0 else 0


def main(command):
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for packed in sorted(RECORDINGS.glob("*.xz")):
            file = pathlib.Path(scratch, packed.stem)
            file.write_bytes(lzma.decompress(packed.read_bytes()))
            for by in ("stage", "function"):
                # What the clock of a damaged recording read may be anything.
                if excess(command, file, by, "--raw") <= ROUNDED and (more := excess(command, file, by, "--compensate")) > ROUNDED:
                    print(f"{packed.stem} by {by}: a cumtime is {more:g} of the total more than that")
                    failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
