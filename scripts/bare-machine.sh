#!/bin/sh
# Shows that a bare Debian 12 is enough: makes one with debootstrap, with nothing but git and make added, clones this
# repository into it, and runs `make demo` and `make check` there.
#
#   scripts/bare-machine.sh FOLDER [TARGET...]
#
# FOLDER must not exist; it stays, for a look. TARGETs are other targets of make to run. Needs root, debootstrap and a network.
set -eu

[ $# -ge 1 ] || { echo "usage: scripts/bare-machine.sh FOLDER [TARGET...]" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "bare-machine.sh: only root can make a chroot" >&2; exit 1; }
[ ! -e "$1" ] || { echo "bare-machine.sh: $1 exists; name a folder that does not" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "bare-machine.sh: debootstrap is not installed: apt-get install debootstrap" >&2; exit 1; }
top=$(cd "$(dirname "$0")/.." && pwd)
machine=$1
shift
[ $# -gt 0 ] || set -- demo check

debootstrap --variant=minbase --include=git,make bookworm "$machine"
cp /etc/resolv.conf "$machine/etc/resolv.conf"
git clone -q "$top" "$machine/root/callsig"

mount -t proc proc "$machine/proc"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$machine/dev/pts"
trap 'umount "$machine/proc" "$machine/dev/pts"' EXIT
trap 'exit 1' HUP INT TERM
for target in "$@"; do
  chroot "$machine" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin make -C /root/callsig "$target"
done
