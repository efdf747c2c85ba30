#!/bin/sh
# Holds the binary interface of the shared libraries against what abi/ keeps of it: a symbol that is gone, or a public type that
# has changed, is told. docs/abi-policy.md says which changes are allowed.
#
#   scripts/abi.sh [--update] [--abi FOLDER] BUILD [LIBRARY...]
#
# BUILD is a build folder in which the libraries are built with debug information. LIBRARY is libcallsig or libcallsig-stats
# (default: both). --update writes what the libraries have now; it refuses to when a symbol is gone and the soname is the same.
# --abi names another folder than abi/. Needs abigail-tools; the exit status is 77 where that or debug information is missing.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
kept=$top/abi
update=no
while :; do
  case ${1-} in
  --update) update=yes ;;
  --abi)
    kept=${2:?--abi needs a folder}
    shift
    ;;
  *) break ;;
  esac
  shift
done
[ $# -ge 1 ] || { echo "usage: scripts/abi.sh [--update] [--abi FOLDER] BUILD [LIBRARY...]" >&2; exit 2; }
build=$1
shift
[ $# -gt 0 ] || set -- libcallsig libcallsig-stats
command -v abidw >/dev/null || { echo "skipped: abidw is not installed (abigail-tools)"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

soname_of()
{
  sed -n "s/^<abi-corpus .*soname='\([^']*\)'.*/\1/p" "$1"
}

# Compares library $1, whose file is $2, and updates what is kept of it when that is asked for; fails when it has changed.
check()
{
  old=$kept/$1.abi
  new=$work/$1.abi
  abidw --headers-dir "$top/include/callsig" --drop-private-types --suppressions "$top/abi/private-types.ini" \
    --exported-interfaces-only --no-parameter-names --no-elf-needed --no-write-default-sizes --no-show-locs --no-corpus-path \
    --no-comp-dir-path --out-file "$new" "$2"
  # Units are named from the top of the tree, wherever that lies.
  sed -i "s|path='$top/|path='|" "$new"
  status=0
  if [ -f "$old" ]; then
    abidiff --no-default-suppression "$old" "$new" >"$work/report" 2>&1 || status=$?
  fi
  # abidiff's status is a sum: 1 and 2 are errors of its own, 4 a change, 8 one that no program compiled before survives.
  if [ $((status & 3)) -ne 0 ]; then
    cat "$work/report" >&2
    return 1
  fi
  if [ $update = yes ]; then
    if [ $((status & 8)) -ne 0 ] && [ "$(soname_of "$old")" = "$(soname_of "$new")" ]; then
      cat "$work/report" >&2
      echo "abi.sh: $1 has lost something that programs use: give it another soname (SOVERSION) first" >&2
      return 1
    fi
    cp "$new" "$old"
    return 0
  fi
  [ -f "$old" ] || { echo "abi.sh: $old is missing: scripts/abi.sh --update $build makes it" >&2; return 1; }
  [ $status -ne 0 ] || return 0
  cat "$work/report" >&2
  echo "abi.sh: the interface of $1 is not what $old keeps. New functions, and new fields at the end of a structure that begins" >&2
  echo "with its size, are allowed: record them with scripts/abi.sh --update $build. Anything else needs another soname." >&2
  return 1
}

failed=no
for library in "$@"; do
  case $library in
  libcallsig) file=$build/profiler/libcallsig.so ;;
  libcallsig-stats) file=$build/output/libcallsig-stats.so ;;
  *)
    echo "abi.sh: '$library' is neither libcallsig nor libcallsig-stats" >&2
    exit 2
    ;;
  esac
  readelf -S --wide "$file" | grep -q '\.debug_info' || { echo "skipped: $file has no debug information"; exit 77; }
  check "$library" "$file" || failed=yes
done
[ $failed = no ]
