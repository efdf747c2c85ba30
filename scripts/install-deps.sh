#!/bin/sh
# Installs from Debian what is missing for some of: build, demo, check, full, deb, lint.
#
#   scripts/install-deps.sh [--check] SET...
#
# With --check nothing is installed: what is missing is told, and the exit status is 1. What is there already is never
# touched, so that with everything in place neither a network nor privileges are needed. What is in `full` alone, and the headers
# of gcc's plug-ins, are left out by name where this Debian has no such package: the tests that need it say so and are skipped. docs/dependencies.md says what
# each package is for.
set -eu

# The headers of gcc's plug-ins, for the gcc that is here, or else the one that Debian's package gcc stands for.
plugin_headers()
{
  version=$(gcc -dumpversion 2>/dev/null || apt-cache depends gcc 2>/dev/null | sed -n 's/.*Depends: gcc-\([0-9]*\)$/\1/p' | head -n 1)
  echo "gcc-${version:-12}-plugin-dev"
}

packages_of()
{
  case $1 in
  build)
    echo "gcc g++ $(plugin_headers) libc6-dev make cmake pkg-config libelf-dev libdw-dev libdwarf-dev libpcre2-dev libsqlite3-dev libedit-dev libncurses-dev libmicrohttpd-dev libcurl4-openssl-dev libyajl-dev libxxhash-dev libprotobuf-c-dev protobuf-c-compiler zlib1g-dev node-d3"
    ;;
  # What fetching and unpacking Debian's sources takes.
  demo) echo "apt tar gzip xz-utils ca-certificates libjpeg62-turbo-dev sqlite3" ;;
  check) echo "apt tar gzip xz-utils ca-certificates sqlite3 python3 gfortran clang libclang-rt-dev binutils abigail-tools gdb valgrind strace locales libcmocka-dev libbz2-dev libjpeg62-turbo-dev tcl graphviz golang-go nodejs npm protobuf-compiler python3-protobuf python3-jsonschema python3-capstone libopen-trace-format2-dev otf2-tools prometheus libgstreamer1.0-dev gstreamer1.0-tools gstreamer1.0-plugins-base openmpi-bin libopenmpi-dev" ;;
  full) echo "gcc-11 g++-11 gcc-11-plugin-dev clang-16 clang-19 lld ninja-build dpkg-dev debootstrap gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user musl-tools mpich libmpich-dev libblas-dev ltrace uftrace chromium" ;;
  deb) echo "dpkg-dev" ;;
  lint) echo "clang-format clang-tidy cppcheck git" ;;
  *)
    echo "install-deps.sh: '$1' is none of build, demo, check, full, deb, lint" >&2
    exit 2
    ;;
  esac
}

check=no
if [ "${1-}" = --check ]; then
  check=yes
  shift
fi
[ $# -gt 0 ] || set -- build

wanted=
for set in "$@"; do
  wanted="$wanted $(packages_of "$set")"
done

# Elsewhere than on Debian, names of packages say nothing; the build names what it lacks.
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps.sh: this is not Debian; docs/dependencies.md lists what has to be installed" >&2
  exit 0
fi

optional=$(plugin_headers)
missing=
for package in $wanted; do
  case " $missing " in *" $package "*) continue ;; esac
  # What the build can do without is installed, and not asked for.
  [ $check = yes ] && [ "$package" = "$optional" ] && continue
  # A Node.js that is not Debian's brings its own npm, and conflicts with Debian's.
  [ "$package" = npm ] && command -v npm >/dev/null && continue
  dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ $check = yes ]; then
  echo "callsig: missing packages:$missing; 'make deps' installs what building needs, or: apt-get install$missing" >&2
  exit 1
fi

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null; then
  as_root=sudo
else
  echo "callsig: missing packages:$missing; install them as root (apt-get install$missing), there is no sudo here" >&2
  exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM
fail()
{
  reason=$(grep -m 1 '^E:' "$log" || tail -n 1 "$log")
  echo "callsig: $1 (no network?): $reason; missing packages:$missing" >&2
  exit 1
}
echo "installing:$missing"
# An update that fails for one source of many may still do: what matters is whether the packages can be had.
$as_root apt-get -q update >"$log" 2>&1 || grep -m 1 -E '^(E|Err|W):' "$log" >&2 || :
available=
for package in $missing; do
  case " $(packages_of full) $optional " in
  *" $package "*)
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      echo "not in this Debian: $package; what needs it is left out"
      continue
    fi
    ;;
  esac
  available="$available $package"
done
[ -n "$available" ] || exit 0
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $available >"$log" 2>&1 ||
  fail "packages cannot be installed"
