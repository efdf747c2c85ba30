#!/bin/sh
# Installs what `make bench` measures callsig against, and what it measures with, from Debian 12. What is missing or cannot be
# installed is listed in the results as "not run", with the reason.
set -eu

packages='gcc g++ clang binutils tcl libclang-rt-14-dev uftrace lttng-tools liblttng-ust-dev valgrind linux-perf libdw-dev python3'

missing=
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
for package in $missing; do
  $as_root apt-get install -y -qq --no-install-recommends "$package" >/dev/null ||
    echo "bench/install-deps.sh: $package could not be installed; what needs it will be listed as not run" >&2
done
