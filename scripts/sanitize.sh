#!/bin/sh
# Builds the command and the libraries with sanitizers, and runs their tests: everything but the runtime, which takes no
# instrumentation itself (it runs inside hooks).
#
#   scripts/sanitize.sh SANITIZERS BUILD [CTEST-OPTION...]
#
# SANITIZERS is what -fsanitize= takes: address,undefined. BUILD is a build folder of its own, made when missing.
set -eu

[ $# -ge 2 ] || { echo "usage: scripts/sanitize.sh SANITIZERS BUILD [CTEST-OPTION...]" >&2; exit 2; }
sanitizers=$1
build=$2
shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- -L quick -R '^(unit|cli)\.'

cmake -S "$top" -B "$build" -G "Unix Makefiles" -DCALLSIG_SANITIZE="$sanitizers" -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=ON
cmake --build "$build" -j "$(nproc)"
# Leaks count: a command that forgets what it allocated would do so in a program that uses libcallsig-stats.
# One test preloads a library into the command, which AddressSanitizer would refuse.
export ASAN_OPTIONS=detect_leaks=1:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1
cd "$build"
ctest -j "$(nproc)" --output-on-failure "$@"
