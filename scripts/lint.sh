#!/bin/sh
# Checks every C and C++ source: its format (clang-format), and what clang-tidy and cppcheck find. Any finding is a failure, but for the
# paths that clang's analyser takes for possible because it does not see what other functions guarantee: those are shown.
#
#   scripts/lint.sh [--quick] BUILD
#
# BUILD is a configured build folder: its compile_commands.json says how a file is compiled. What tests, benches and examples
# compile by themselves is checked with plain options. --quick leaves out clang's analyser, which takes nearly all of the time.
# Hazards (tests/guest/hazards) do on purpose what these tools are against: of them the format alone is checked.
set -eu

checks=
if [ "${1-}" = --quick ]; then
  checks='--checks=-clang-analyzer-*'
  shift
fi
[ $# -eq 1 ] || { echo "usage: scripts/lint.sh [--quick] BUILD" >&2; exit 2; }
cd "$(dirname "$0")/.."
build=$1
[ -f "$build/compile_commands.json" ] || { echo "lint.sh: $build/compile_commands.json is missing; run make first" >&2; exit 1; }
lint=$build/lint
mkdir -p "$lint"
# clang does not know every option of gcc that a file is compiled with, nor load its plug-ins.
sed 's/ -fno-tree-loop-distribute-patterns//g; s/ -fplugin[^ ]*//g' "$build/compile_commands.json" >"$lint/compile_commands.json"
# Files that git does not know yet are checked too, but for those that it ignores.
sources()
{
  git ls-files --cached --others --exclude-standard "$@"
}
sources '*.c' ':!tests/guest/hazards' >"$lint/sources"
: >"$lint/configured"
: >"$lint/others"
while read -r source; do
  if grep -qF "\"$PWD/$source\"" "$lint/compile_commands.json"; then
    echo "$source" >>"$lint/configured"
    continue
  fi
  # What another processor's part of the runtime is compiled with is known to a build for that processor alone.
  case $source in profiler/arch/*) ;; *) echo "$source" >>"$lint/others" ;; esac
done <"$lint/sources"

failed=no
sources '*.c' '*.h' '*.cc' '*.cpp' | xargs clang-format --dry-run -Werror || failed=yes
# On standard error clang-tidy counts what it leaves out. One process takes several files: each start costs a third of a small file.
tidy()
{
  xargs -P "$(nproc)" -n 12 clang-tidy --quiet ${checks:+"$checks"} --warnings-as-errors='*,-clang-analyzer-core*' -p "$1" 2>>"$lint/log"
}
# plain NAME OPTION...: the folder lint/NAME, which says that every file is compiled with these options.
plain()
{
  mkdir -p "$lint/$1"
  plain=$lint/$1/compile_flags.txt
  shift
  printf '%s\n' "$@" "-I$PWD/include" "-I$PWD" >"$plain"
}
: >"$lint/log"
tidy "$lint" <"$lint/configured" || failed=yes
optional=$(for module in gstreamer-1.0 ompi-c; do pkg-config --cflags $module 2>/dev/null || :; done)
# shellcheck disable=SC2086 # several options
plain c -std=gnu11 -D_GNU_SOURCE "-I$PWD/examples/thumbnails" $optional
tidy "$lint/c" <"$lint/others" || failed=yes
# gcc's plug-in is made of gcc's own headers, which clang does not read.
plain c++ -std=gnu++20
sources '*.cc' '*.cpp' ':!instrument' ':!tests/guest/hazards' | tidy "$lint/c++" || failed=yes
xargs cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
  --suppressions-list=.cppcheck -D__x86_64__ -D_GNU_SOURCE '-DG_DEFINE_TYPE(name,prefix,parent)=' -Iinclude -I. \
  -j "$(nproc)" <"$lint/sources" || failed=yes
if [ $failed = yes ]; then
  echo "lint.sh: there are findings" >&2
  exit 1
fi
