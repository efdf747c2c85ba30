"""The compiler's options that instrument a program, by the words of a variant (build.py)."""

import subprocess
from pathlib import Path

SLEDS = ["-fxray-instrument", "-fxray-instruction-threshold=1"]
PLUGIN_NAME, PLUGIN_CALLS = "gcc-{}/callsig_sleds.so", "-fplugin-arg-callsig_sleds-calls"


def plugin(plugins, version=""):
    """callsig's plug-in for the gcc of this machine, or the one of a version ("-11"), in the folder `plugins`."""
    if not plugins:
        raise SystemExit("gcc's sleds and calls need --plugins")
    done = subprocess.run(["gcc" + version, "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True)
    path = Path(plugins) / PLUGIN_NAME.format(done.stdout.strip().split(".")[0])
    if not path.exists():
        raise SystemExit(f"{path} is missing: build callsig with the plug-in for this gcc")
    return path


def options(words, plugins, version=""):
    """A list; `words` names the compiler and what is wanted of it."""
    if {"plain", "gcov"} & set(words):
        return []
    if "sleds" in words:
        return SLEDS if "clang" in words else [f"-fplugin={plugin(plugins, version)}"]
    if "calls" in words:
        return ["-finstrument-functions-after-inlining"] if "clang" in words else [f"-fplugin={plugin(plugins, version)}", PLUGIN_CALLS]
    return ["-finstrument-functions"]
