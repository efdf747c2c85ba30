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
# The preset makes leaks count: a command that forgets what it allocated would do so in a program that uses libcallsig-stats. It
# lets libraries be preloaded into the command, as one test does, which AddressSanitizer would refuse.
ctest --preset "$preset" --test-dir "$build" -j "$(nproc)" "$@"
