#!/usr/bin/env python3
"""Recordings that earlier versions made are read as they were then: every report, export, merge and database of each is what it was.

    test_kept.py CALLSIG            compares with expected.txt
    test_kept.py CALLSIG --update   writes expected.txt anew, after a change of some output that is meant, or a new format of exports

expected.txt has a line for each output: the recording, the output, and the first 16 digits of the SHA-256 of status, output, messages and file. To see what
differs, build the commit that expected.txt is of and give both commands to scripts/compare_builds.py.
"""

import collections
import hashlib
import lzma
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))
import compare_builds  # noqa: E402

EXPECTED = HERE / "expected.txt"


def digests(command, scratch):
    """{(recording, output): digest} of all that the command makes of the recordings. They are named as they lie in the folder where it
    runs: a merged recording holds the paths that it was told, and its seal is of these too."""
    place = scratch / "out"
    place.mkdir()
    packed = sorted((HERE / "recordings").glob("*.xz"))
    recordings = [path.stem for path in packed]
    for path in packed:
        (scratch / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
    formats, found = compare_builds.export_formats(command), {}
    for recording in recordings:
        for name, arguments in compare_builds.commands(recording, recordings, formats):
            status, *texts = compare_builds.run(command, arguments, place, scratch)
            digest = hashlib.sha256(b"%d" % status)
            for text in texts:
                text = text.replace(str(scratch).encode(), b"SCRATCH")
                digest.update(b"%d:" % len(text) + text)
            found[recording, name.strip()] = digest.hexdigest()[:16]
    return found


def read_expected():
    lines = EXPECTED.read_text().splitlines()
    return {(recording, name): digest for recording, name, digest in (line.split("\t") for line in lines)}


def main(arguments):
    if not arguments or arguments[1:] not in ([], ["--update"]):
        print("usage: test_kept.py CALLSIG [--update]", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        found = digests(pathlib.Path(arguments[0]).resolve(), pathlib.Path(scratch))
    if arguments[1:]:
        EXPECTED.write_text("".join(f"{recording}\t{name}\t{digest}\n" for (recording, name), digest in sorted(found.items())))
        return 0
    expected = read_expected()
    different = collections.defaultdict(list)
    for recording, name in sorted(found.keys() | expected.keys()):
        if found.get((recording, name)) != expected.get((recording, name)):
            different[name].append(recording)
    known = {name for _, name in expected}
    for name, recordings in different.items():
        what = f"differs for {', '.join(recordings)}" if name in known else "expected.txt has nothing of it: --update adds it"
        print(f"{name}: {what}")
    print(f"{len({key[0] for key in found})} recordings, {len(found)} outputs, {sum(map(len, different.values()))} differ")
    return 1 if different or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
