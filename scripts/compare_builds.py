#!/usr/bin/env python3
"""Holds what two builds of the command make of the same recordings against each other, byte for byte.

    scripts/compare_builds.py OLD-CALLSIG NEW-CALLSIG RECORDING...

For a step that moves code and changes nothing that a user sees: reports, exports, merges, databases, pipelines, differences and laws of
growth of each recording are made by both commands, which must print the same, write the same files and end with the same status.
Formats of exports are those that either command lists. A recording may be damaged or of an older version: then both must say the same
of it. The exit status is 1 when anything differs.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

REPORTS = [
    [], ["--format", "json"], ["--format", "csv"], ["--by", "function"], ["--by", "function", "--format", "json"],
    ["--by", "signature,stage"], ["--by", "thread"], ["--by", "module"], ["--by", "function,process", "--format", "json"],
    ["--by", "rank"], ["-s", "tottime", "20"], ["-s", "name,ncalls", "0.5"], ["--callers", "20"], ["--callees", "20"], ["--strip-dirs"],
    ["--compensate", "20"], ["--view", "averages"], ["--view", "averages", "--stack", "2"], ["--percentiles"],
    ["--signature", "n >= 2", "20"], ["--function", "lua|main|decode", "20"], ["--stage", "*"], ["--no-such-option"],
]
# Formats of exports that are compared as reports, which print the same: see REPORTS. A page holds them beside the scripts of its build,
# as zlib packs them; tests/cli/test_page.py reads it.
COMPARED_AS_REPORTS = {"csv", "html", "json"}

# A folder, which another library writes, with a number of its own in each: tests/oracle/exports/test_otf2.py reads it.
NOT_COMPARED = {"otf2"}


def export_formats(command):
    """The formats that a command exports to, without those that are compared as reports or not at all: its error line for an unknown one lists them."""
    done = subprocess.run([command, "export", "--to", ""], capture_output=True, stdin=subprocess.DEVNULL, text=True, check=False, timeout=60)
    listed = re.search(r" is none of ([\w, -]+);", done.stderr)
    if listed is None:
        raise SystemExit(f"{command} export --to '' does not list its formats: {done.stderr.strip()}")
    return sorted(set(listed[1].split(", ")) - COMPARED_AS_REPORTS - NOT_COMPARED)


def commands(recording, all_recordings, formats):
    """(name, arguments; OUT is a file to write) of everything that is compared for a recording, with exports to these formats."""
    for options in REPORTS:
        yield "report " + " ".join(options), ["report", recording, *options]
    for form in formats:
        yield "export " + form, ["export", "--to", form, recording, "-o", "OUT"]
    yield "export by function", ["export", "--to", "folded", "--by", "function", recording, "-o", "OUT"]
    yield "stages", ["stages", recording]
    yield "stages json", ["stages", "--format", "json", recording]
    yield "stages db", ["stages", "--db", "OUT", recording]
    yield "merge", ["merge", "-o", "OUT", recording, recording]
    yield "scaling", ["scaling", recording]
    yield "scaling json", ["scaling", "--format", "json", recording]
    for form in ("table", "json", "csv"):
        yield "diff " + form, ["diff", "--format", form, all_recordings[0], recording]


def run(command, arguments, folder, at=None):
    """Status, output, messages and the file that was written; the folder's name is taken out of each. It runs in the folder `at`."""
    out = folder / "out"
    done = subprocess.run([command, *(str(out) if word == "OUT" else word for word in arguments)], capture_output=True,
                          stdin=subprocess.DEVNULL, check=False, timeout=600, cwd=at)
    written = out.read_bytes() if out.exists() else None
    if written is not None and written.startswith(b"SQLite format 3"):
        written = subprocess.run(["sqlite3", out, ".dump"], capture_output=True, check=True).stdout
    place, name = str(folder).encode(), str(command).encode()
    texts = [text.replace(place, b"FOLDER").replace(name, b"callsig") for text in (done.stdout, done.stderr, written or b"")]
    if out.exists():
        out.unlink()
    return done.returncode, *texts


def compare(old, new, recordings):
    """How many outputs were compared, and a line for each that differs."""
    count, different = 0, []
    formats = sorted({*export_formats(old), *export_formats(new)})
    with tempfile.TemporaryDirectory() as scratch:
        places = [pathlib.Path(scratch) / name for name in ("old", "new")]
        for place in places:
            place.mkdir()
        for recording in recordings:
            for name, arguments in commands(recording, recordings, formats):
                before, after = (run(command, arguments, place) for command, place in zip((old, new), places))
                count += 1
                if before != after:
                    parts = [part for part, one, other in zip(("status", "output", "messages", "file"), before, after) if one != other]
                    different.append(f"{recording}: {name}: {', '.join(parts)}")
    return count, different


def main(arguments):
    if len(arguments) < 3:
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    old, new, *recordings = arguments
    count, different = compare(old, new, recordings)
    for line in different:
        print(line)
    print(f"{len(recordings)} recordings, {count} outputs compared, {len(different)} differ")
    return 1 if different or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
