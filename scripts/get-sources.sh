#!/bin/sh
# Fetches Debian source packages and unpacks each into FOLDER/PACKAGE.
#
#   scripts/get-sources.sh [--binary] FOLDER [PACKAGE...]
#
# With --binary the packages are binary ones, which are unpacked likewise and not installed.
#
# Without packages: the programs that the tests and `make demo` profile. apt-get works in a scratch configuration, whose
# deb-src entries are made from the machine's own deb entries (one-line .list and deb822 .sources files, with their keyrings
# and proxies); the machine's own configuration, lists and cache are only read. The upstream source is unpacked as it is,
# without Debian's patches. A package that FOLDER holds already is left alone, so nothing is fetched twice. Where a mirror lists a
# version whose files it does not have yet, as happens to security updates, an older one of its list is taken, and named.
#
# Needs apt, tar, gzip and xz. CALLSIG_APT_DIR names the apt configuration to begin from (default /etc/apt).
set -eu

default_packages="lua5.4 libzstd sqlite3 jsonnet"
apt_dir=${CALLSIG_APT_DIR:-/etc/apt}

die()
{
  echo "get-sources.sh: $*" >&2
  exit 1
}

# Writes every enabled deb entry below $apt_dir into folder $1, as type $kind: deb or deb-src.
make_source_entries()
{
  for list in "$apt_dir/sources.list" "$apt_dir"/sources.list.d/*.list; do
    [ -f "$list" ] || continue
    sed -n "s/^[[:space:]]*deb[[:space:]]/$kind /p" "$list" >"$1/$(basename "$list" .list).list"
  done
  for stanzas in "$apt_dir"/sources.list.d/*.sources; do
    [ -f "$stanzas" ] || continue
    sed "s/^[Tt]ypes:.*/Types: $kind/" "$stanzas" >"$1/$(basename "$stanzas")"
  done
  cat "$1"/* 2>/dev/null | grep -q deb || die "no deb entry in $apt_dir/sources.list or sources.list.d: cannot tell where packages are"
}

# Runs apt's command $1 in the scratch configuration $scratch, whose keyrings and proxies are the machine's own.
scratch_apt()
{
  command=$1
  shift
  "$command" -q -o Acquire::Retries=2 -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$scratch/sources.list.d" \
    -o Dir::State="$scratch/state" -o Dir::State::status="$scratch/status" -o Dir::Cache="$scratch/cache" \
    -o APT::Sandbox::User= -o APT::Update::Post-Invoke= -o APT::Update::Post-Invoke-Success= "$@"
}

# Why the last command failed, of what it wrote to the log.
reason()
{
  grep -m 1 '^[EW]:' "$scratch/log" || tail -n 1 "$scratch/log"
}

# Unpacks the upstream tarballs of source package $1 from the folder $2 into the folder $3: what is in their one top folder,
# or all, where they have none.
unpack_source()
{
  for archive in "$2"/*.orig.tar.*; do
    case $archive in *.asc) continue ;; esac
    [ -f "$archive" ] || die "the source package $1 has no upstream tarball"
    mkdir "$scratch/archive"
    tar -xf "$archive" -C "$scratch/archive" --no-same-owner || die "cannot unpack $archive"
    top=$scratch/archive/$(ls -A "$scratch/archive")
    [ -d "$top" ] || top=$scratch/archive
    cp -a "$top/." "$3" || die "cannot unpack $archive"
    rm -rf "$scratch/archive"
  done
}

# Downloads package $1, or a version of it (PACKAGE=VERSION), into the folder $scratch/download.
download()
{
  if [ $kind = deb ]; then
    set -- download "$1"
  else
    set -- source --download-only --tar-only --only-source "$1"
  fi
  rm -rf "$scratch/download"
  mkdir "$scratch/download"
  (cd "$scratch/download" && scratch_apt apt-get "$@") >"$scratch/log" 2>&1
}

# The versions of package $1 that the lists hold.
versions_of()
{
  if [ $kind = deb ]; then
    set -- show "$1"
  else
    set -- showsrc --only-source "$1"
  fi
  scratch_apt apt-cache "$@" 2>/dev/null | sed -n 's/^Version: //p'
}

# Downloads package $1 in the newest version that can be had.
download_newest()
{
  download "$1" && return
  why=$(reason)
  for version in $(versions_of "$1"); do
    if download "$1=$version"; then
      echo "get-sources.sh: $1 $version is taken, as the newest cannot be fetched: $why" >&2
      return
    fi
  done
  die "cannot fetch $1: $why"
}

# Fetches package $1 and unpacks it into $folder/$1.
get_package()
{
  package=$1
  download_newest "$package"
  rm -rf "$scratch/unpacked"
  mkdir "$scratch/unpacked"
  if [ $kind = deb ]; then
    dpkg-deb -x "$scratch/download"/*.deb "$scratch/unpacked" || die "cannot unpack $package"
  else
    unpack_source "$package" "$scratch/download" "$scratch/unpacked"
  fi
  mv "$scratch/unpacked" "$folder/$package"
  echo "$folder/$package"
}

kind=deb-src
if [ "${1-}" = --binary ]; then
  kind=deb
  shift
fi
[ $# -ge 1 ] || die "usage: get-sources.sh [--binary] FOLDER [PACKAGE...]"
mkdir -p "$1" || die "cannot make the folder $1"
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- $default_packages

missing=
for package in "$@"; do
  [ -d "$folder/$package" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

for tool in apt-get tar gzip xz; do
  command -v "$tool" >/dev/null || die "$tool is not installed: run apt-get install apt tar gzip xz-utils"
done
scratch=$(mktemp -d "$folder/.fetch-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$scratch/sources.list.d" "$scratch/state/lists/partial" "$scratch/cache/archives/partial"
: >"$scratch/status"
make_source_entries "$scratch/sources.list.d"
scratch_apt apt-get -o APT::Update::Error-Mode=any update >"$scratch/log" 2>&1 ||
  die "cannot fetch the lists of packages (no network?): $(reason). Put what is unpacked of$missing into $folder to go on without it"
for package in $missing; do
  get_package "$package"
done
