#!/bin/sh
# Builds the command and the libraries with sanitizers, and runs their tests: everything but the runtime, which takes no
# instrumentation itself (it runs inside hooks).
#
#   scripts/sanitize.sh PRESET BUILD [CTEST-OPTION...]
#
# PRESET is asan or tsan of CMakePresets.json, which says how to build and which tests to run. BUILD is a build folder of its own,
# made when missing.
set -eu

[ $# -ge 2 ] || { echo "usage: scripts/sanitize.sh PRESET BUILD [CTEST-OPTION...]" >&2; exit 2; }
preset=$1
mkdir -p "$2"
build=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/.."

cmake --preset "$preset" -B "$build"
cmake --build "$build" -j "$(nproc)"
# `ctest --preset` runs in the preset's own folder alone: which tests it runs is read from it.
names=$(python3 -c 'import json, sys
for preset in json.load(open("CMakePresets.json"))["testPresets"]:
    if preset["name"] == sys.argv[1]:
        print(preset["filter"]["include"]["name"])' "$preset")
[ -n "$names" ] || { echo "sanitize.sh: CMakePresets.json names no tests for $preset" >&2; exit 1; }
[ $# -gt 0 ] || set -- -L quick -R "$names"
ctest --test-dir "$build" -j "$(nproc)" --no-tests=error --output-on-failure "$@"
