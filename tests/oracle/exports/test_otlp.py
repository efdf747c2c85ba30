#!/usr/bin/env python3
# ctest: name output.exports.otlp
# ctest: skips
# ctest: arguments --build @PROJECT_BINARY_DIR@ --print-calls $<TARGET_FILE:print_calls>
"""An OTLP profile is one by the published schema, read by protoc and Python's protobuf, and converts to what pprof's export says.

    test_otlp.py --build FOLDER --print-calls PROGRAM [--seeds N] [RECORDING...]

Recordings of random calls (model.py), those that are kept from earlier versions (tests/kept), or those that are named.
"""

import argparse
import gzip
import importlib.util
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import model  # noqa: E402
import otlp_reader  # noqa: E402
import readers  # noqa: E402
from product import Product  # noqa: E402

SKIPPED = 77
DEBIAN = "/usr/bin/python3"  # has Debian's packages where another python3 comes first


def missing():
    """What the machine lacks, None when nothing. Where Debian's Python has protobuf and this one does not, that one goes on."""
    if not shutil.which("protoc"):
        return "protoc (protobuf-compiler) is not installed"
    try:
        found = importlib.util.find_spec("google.protobuf")
    except ModuleNotFoundError:
        found = None
    if not found and os.access(DEBIAN, os.X_OK) and not os.environ.get("CALLSIG_TEST_PYTHON"):
        os.execve(DEBIAN, [DEBIAN, *sys.argv], dict(os.environ, CALLSIG_TEST_PYTHON=DEBIAN))
    return None if found else "python3-protobuf is not installed"


def export(product, kind, path, recording, *options):
    """A recording that is damaged is exported as far as it is read, with status 1."""
    done = subprocess.run([product.command, "export", "--to", kind, "-o", path, *options, recording], stderr=subprocess.PIPE, text=True,
                          env=product.environment())
    assert done.returncode == 0 or (done.returncode == 1 and "damaged at byte" in done.stderr), done


def compare(product, schemas, recording, folder, *options):
    """One recording by both exports. Returns the number of samples."""
    otlp, pprof = schemas
    export(product, "otlp", folder / "export.otlp", recording, *options)
    export(product, "pprof", folder / "export.pb.gz", recording, *options)
    printed = otlp_reader.decode(folder / "export.otlp")
    data = otlp.ProfilesData.FromString((folder / "export.otlp").read_bytes())
    otlp_reader.check(data)
    profiles = otlp_reader.profiles_of(data)
    printed_samples = len(re.findall(r"^      samples \{$", printed, re.M))
    assert printed_samples == sum(len(profile.samples) for profile in profiles), (printed_samples, "protoc")
    wanted = pprof.Profile.FromString(gzip.decompress((folder / "export.pb.gz").read_bytes()))
    made = otlp_reader.to_pprof(data, pprof)
    one, other = otlp_reader.canonical(wanted), otlp_reader.canonical(made)
    for key in one:
        assert one[key] == other[key], f"{recording}: {options}: {key}: pprof {str(one[key])[:300]}, OTLP {str(other[key])[:300]}"
    if shutil.which("go") and made.sample and recording.name.startswith("recording"):
        (folder / "made.pb.gz").write_bytes(gzip.compress(made.SerializeToString()))
        texts = [readers.pprof(folder / name, folder, "-raw") for name in ("export.pb.gz", "made.pb.gz")]
        assert texts[0] == texts[1], f"{recording}: go tool pprof -raw differs"
    return len(made.sample)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--print-calls", required=True, help="the built print_calls")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("recordings", nargs="*")
    options = parser.parse_args()
    why = missing()
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        product = Product(options.build, folder)
        schemas = otlp_reader.compile_schemas(folder)
        recordings = [Path(path).resolve() for path in options.recordings]
        if not recordings:
            for packed in sorted((HERE.parents[1] / "kept" / "recordings").glob("*.xz")):
                recordings.append(folder / packed.stem)
                recordings[-1].write_bytes(lzma.decompress(packed.read_bytes()))
            for seed in range(options.seeds):
                model.Profile(seed, threads=1 + seed % 3, stages=seed % 2 == 1, hz=(1000, 1000000000)[seed % 2]).write(folder / "sequence")
                subprocess.run([options.print_calls, folder / "sequence", folder / f"recording{seed}", "stats"], stdout=subprocess.DEVNULL, check=True)
                recordings.append(folder / f"recording{seed}")
        samples = 0
        for recording in recordings:
            for by in ("signature,thread",) if recording.parent == folder and not recording.name.startswith("recording") else ("signature", "function", "signature,thread"):
                samples += compare(product, schemas, recording, folder, "--by", by)
    assert samples, "no samples were compared"
    print(f"{len(recordings)} recordings, {samples} samples: as pprof's export has them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
