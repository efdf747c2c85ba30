#!/bin/sh
# Checks every C source: its format (clang-format), and what clang-tidy and cppcheck find. Any finding is a failure, but for the
# paths that clang's analyser takes for possible because it does not see what other functions guarantee: those are shown.
#
#   scripts/lint.sh BUILD
#
# BUILD is a configured build folder: its compile_commands.json says how each file is compiled.
set -eu

[ $# -eq 1 ] || { echo "usage: scripts/lint.sh BUILD" >&2; exit 2; }
cd "$(dirname "$0")/.."
build=$1
[ -f "$build/compile_commands.json" ] || { echo "lint.sh: $build/compile_commands.json is missing; run make first" >&2; exit 1; }

git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run -Werror
sources=$(git ls-files 'format/*.c' 'profiler/*.c' 'symbols/*.c' 'output/*.c' 'cli/*.c')
# clang does not know every option of gcc that a file is compiled with.
mkdir -p "$build/lint"
sed 's/ -fno-tree-loop-distribute-patterns//g' "$build/compile_commands.json" >"$build/lint/compile_commands.json"
# shellcheck disable=SC2086
printf '%s\n' $sources | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build/lint" --warnings-as-errors='*,-clang-analyzer-core*' 2>"$build/lint.log"
cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
  --suppressions-list=.cppcheck -D__x86_64__ -D_GNU_SOURCE -Iinclude -Isymbols -Ioutput -j "$(nproc)" $sources
