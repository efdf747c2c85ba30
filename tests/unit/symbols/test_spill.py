#!/usr/bin/env python3
# ctest: arguments --program $<TARGET_FILE:symbols_spill_program> --callsig $<TARGET_FILE:callsig_cli>
"""Numbers that clang 14 tells as a place of the frame: read where the code shows that the place is a spill, else lost.

    test_spill.py --program FILE --callsig COMMAND
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

# By parameter of probe(), in spill_program.S: what was stored in its place plus 1; None: it must not be told.
EXPECTED = {"narrow": 42, "wide": 0x12345678A, "formed": None, "mixed": None, "indexed": None, "home": None, "short": None, "untouched": None,
            "top": None, "pushed": 8}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--callsig", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, CALLSIG_CACHE_DIR=folder)
        recording = os.path.join(folder, "recording")
        subprocess.run([options.callsig, "run", "-o", recording, "--", options.program], check=True, env=environment)
        report = subprocess.run([options.callsig, "report", "--format", "json", recording], check=True, env=environment, stdout=subprocess.PIPE)
        verified = subprocess.run([options.callsig, "index", "--verify", options.program], env=environment, stdout=subprocess.PIPE, text=True)
    row, = [row for row in json.loads(report.stdout)["rows"] if row["function"] == "probe"]
    seen = {argument["name"]: argument.get("value") if argument["state"] == "read" else None for argument in row["args"]}
    for name in EXPECTED.keys() | seen.keys():
        if seen.get(name) != EXPECTED.get(name):
            print(f"{name}: {seen.get(name)}, not {EXPECTED.get(name)}")
    if verified.returncode:
        print(verified.stdout)
    return seen != EXPECTED or verified.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
