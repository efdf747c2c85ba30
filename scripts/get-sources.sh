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
# without Debian's patches. A package that FOLDER holds already is left alone, so nothing is fetched twice.
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

# Runs apt-get in the scratch configuration $scratch, whose keyrings and proxies are the machine's own.
scratch_apt_get()
{
  apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$scratch/sources.list.d" \
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

# Fetches package $1 and unpacks it into $folder/$1.
get_package()
{
  mkdir -p "$scratch/download/$1"
  if [ $kind = deb ]; then
    set -- "$1" download "$1"
  else
    set -- "$1" source --download-only --tar-only --only-source "$1"
  fi
  package=$1
  shift
  (cd "$scratch/download/$package" && scratch_apt_get "$@") >"$scratch/log" 2>&1 || die "cannot fetch $package: $(reason)"
  rm -rf "$scratch/unpacked"
  mkdir "$scratch/unpacked"
  if [ $kind = deb ]; then
    dpkg-deb -x "$scratch/download/$package"/*.deb "$scratch/unpacked" || die "cannot unpack $package"
  else
    unpack_source "$package" "$scratch/download/$package" "$scratch/unpacked"
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
scratch_apt_get -o Acquire::Retries=2 -o APT::Update::Error-Mode=any update >"$scratch/log" 2>&1 ||
  die "cannot fetch the lists of packages (no network?): $(reason). Put what is unpacked of$missing into $folder to go on without it"
for package in $missing; do
  get_package "$package"
done
