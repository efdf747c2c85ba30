#!/bin/sh
# Builds the tests of the command and the libraries with sanitizers, and runs them: everything but the runtime, which takes no
# instrumentation itself (it runs inside hooks).
#
#   scripts/sanitize.sh PRESET BUILD [CTEST-OPTION...]
#
# PRESET is asan, readers or tsan of the build presets in CMakePresets.json, which say how to build, which targets, and which tests to run: all
# of these that are quick, unless CTEST-OPTIONs say which. BUILD is a build folder of its own, made when missing.
set -eu

[ $# -ge 2 ] || { echo "usage: scripts/sanitize.sh PRESET BUILD [CTEST-OPTION...]" >&2; exit 2; }
preset=$1
mkdir -p "$2"
build=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/.."

# The presets build and run in their own folder alone: what is built and run is read from them.
described=$(python3 -c 'import json, sys
presets = json.load(open("CMakePresets.json"))
build, test = (next(preset for preset in presets[kind] if preset["name"] == sys.argv[1]) for kind in ("buildPresets", "testPresets"))
print(build["configurePreset"])
print(*build["targets"])
print(test["filter"]["include"]["name"])' "$preset")
configured=$(echo "$described" | head -n 1)
targets=$(echo "$described" | sed -n 2p)
names=$(echo "$described" | tail -n 1)
[ -n "$targets" ] && [ -n "$names" ] || { echo "sanitize.sh: CMakePresets.json names no targets or no tests for $preset" >&2; exit 1; }
cmake --preset "$configured" -B "$build"
# shellcheck disable=SC2086 # several targets
cmake --build "$build" -j "$(nproc)" --target $targets
case " $* " in
*" -R "*) ;;
*" -E "*) set -- "$@" -R "$names" ;;
*) set -- -L quick -R "$names" "$@" ;;
esac
ctest --test-dir "$build" -j "$(nproc)" --no-tests=error --output-on-failure "$@"
