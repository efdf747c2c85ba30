#!/bin/sh
# Profiles a real program on a real script: Lua, from its Debian source package as it is, compiled with callsig-cc at -O2.
#
#   scripts/demo.sh BUILD
#
# BUILD is a folder in which callsig is built. The source stays in BUILD/sources, what is made of it in BUILD/demo.
set -eu

[ $# -eq 1 ] || { echo "usage: scripts/demo.sh BUILD" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
demo=$build/demo
lua=$demo/lua
script=$top/examples/demo/words.lua
recording=$demo/lua.callsig

mkdir -p "$demo"
"$top/scripts/get-sources.sh" "$build/sources" lua5.4
if [ ! -x "$lua/src/lua" ]; then
  rm -rf "$lua"
  cp -R "$build/sources/lua5.4" "$lua"
  echo "building Lua with callsig-cc -O2"
  make -s -C "$lua/src" CC="$build/cli/callsig-cc" linux >"$demo/lua.log" 2>&1 || {
    echo "callsig: Lua does not build; $demo/lua.log says why" >&2
    exit 1
  }
fi

# Says what it runs, then runs it.
show()
{
  echo
  echo "\$ callsig $*" | sed "s|$build|build|g; s|$top/||g"
  "$build/cli/callsig" "$@"
}

cd "$top"
show run -o "$recording" "$lua/src/lua" "$script"
show report "$recording" --strip-dirs -s tottime 25
show report "$recording" --strip-dirs -s tottime --by function 10
show report "$recording" --strip-dirs --function luaH_resize 10
echo
echo "The recording is $recording: 'callsig report --help' says what else can be asked of it."
