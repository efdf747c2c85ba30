#!/bin/sh
# Shows that the Debian packages install, run and uninstall: in a chroot of a bare Debian 12 it installs them with apt, profiles
# a program that is compiled there, removes them, and looks for what is left.
#
#   scripts/check-deb.sh FOLDER DEB...
#
# FOLDER is the chroot, made with debootstrap where it does not exist; it stays. DEBs are what `make deb` has made. Needs root and
# a network; the exit status is 77 where root or debootstrap is missing.
set -eu

[ $# -ge 2 ] || { echo "usage: scripts/check-deb.sh FOLDER DEB..." >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make a chroot"; exit 77; }
top=$(cd "$(dirname "$0")/.." && pwd)
machine=$1
shift
if [ ! -d "$machine" ]; then
  command -v debootstrap >/dev/null || { echo "skipped: debootstrap is not installed"; exit 77; }
  debootstrap --variant=minbase --include=ca-certificates bookworm "$machine"
fi
cp /etc/resolv.conf "$machine/etc/resolv.conf"

work=$(mktemp -d)
mount -t proc proc "$machine/proc"
trap 'umount "$machine/proc"; rm -rf "$work" "$machine/root/check-deb"' EXIT
trap 'exit 1' HUP INT TERM

inside()
{
  chroot "$machine" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    CALLSIG_CACHE_DIR=/root/check-deb/cache "$@"
}

fail()
{
  echo "check-deb.sh: $*" >&2
  exit 1
}

# Every file of the machine but what apt and dpkg keep of their own work.
# But for what package management itself keeps: caches, logs, and the lock and backups of adduser, as a package that ours ask for (Open
# MPI's openssh-client) adds a group.
list_files()
{
  (cd "$machine" && find . \( -path ./proc -o -path ./root/check-deb -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt \
    -o -path './var/lib/dpkg/*-old' -o -path './etc/*shadow-' -o -path './etc/group-' -o -path './etc/passwd-' -o -path ./run/adduser \) \
    -prune -o -print | sort)
}

# The compiler is no part of what is checked.
inside apt-get -q update >"$work/log" 2>&1 || fail "apt-get update: $(tail -n 3 "$work/log")"
inside apt-get -q -y --no-install-recommends install gcc libc6-dev >"$work/log" 2>&1 || fail "gcc: $(tail -n 3 "$work/log")"
rm -rf "$machine/root/check-deb"
mkdir "$machine/root/check-deb"
cp "$@" "$top/tests/build/hello.c" "$top/tests/install/outside.c" "$machine/root/check-deb"
list_files >"$work/before"

names=
for package in "$@"; do
  names="$names $(dpkg-deb -f "$package" Package)"
done
inside sh -c 'apt-get -q -y --no-install-recommends install /root/check-deb/*.deb' >"$work/log" 2>&1 ||
  fail "the packages do not install: $(tail -n 5 "$work/log")"
# shellcheck disable=SC2086
inside dpkg -L $names | sort -u >"$work/installed"
for file in bin/callsig bin/callsig-cc share/man/man1/callsig-run.1 lib/x86_64-linux-gnu/libcallsig.so.0; do
  grep -qx "/usr/$file" "$work/installed" || fail "/usr/$file is in no package"
done
echo "installed:$names"

inside /bin/sh -e <<'PROGRAM' >"$work/run" 2>&1 || fail "it does not run: $(cat "$work/run")"
cd /root/check-deb
callsig --version
callsig-cc -O1 -o hello hello.c
callsig run -o hello.callsig ./hello
callsig report hello.callsig
PROGRAM
cat "$work/run"
grep -q 'square(n=1)' "$work/run" || fail "the report does not tell of square(n=1)"

# What libcallsig-dev is for, where it is among the packages.
case " $names " in
*" libcallsig-dev "*)
  for file in lib/x86_64-linux-gnu/pkgconfig/callsig.pc lib/x86_64-linux-gnu/cmake/callsig/callsig-config.cmake \
    share/man/man3/callsig_stats.3 include/callsig/stats.h; do
    grep -qx "/usr/$file" "$work/installed" || fail "/usr/$file is in no package"
  done
  inside /bin/sh -e <<'PROGRAM' >"$work/run" 2>&1 || fail "a program does not build with libcallsig-dev: $(cat "$work/run")"
cd /root/check-deb
callsig-cc --before-inlining -o outside outside.c -lcallsig -lcallsig-stats
./outside
PROGRAM
  grep -q '200 function calls' "$work/run" || fail "a program with libcallsig-dev: $(cat "$work/run")"
  echo "a program that links libcallsig and libcallsig-stats records itself"
  ;;
esac

# shellcheck disable=SC2086
inside apt-get -q -y purge --auto-remove $names >"$work/log" 2>&1 || fail "the packages do not uninstall: $(tail -n 5 "$work/log")"
while read -r path; do
  if [ ! -d "$machine$path" ] && { [ -e "$machine$path" ] || [ -L "$machine$path" ]; }; then
    fail "$path is left"
  fi
done <"$work/installed"
list_files >"$work/after"
comm -13 "$work/before" "$work/after" >"$work/left"
[ ! -s "$work/left" ] || fail "left behind: $(cat "$work/left")"
comm -23 "$work/before" "$work/after" >"$work/gone"
[ ! -s "$work/gone" ] || fail "no longer there: $(cat "$work/gone")"
echo "removed: nothing is left"
