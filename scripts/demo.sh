#!/bin/sh
# Profiles two real programs on real input: Lua, from its Debian source package as it is, compiled with callsig-cc --before-inlining at -O2; and
# a pipeline that makes thumbnails of photographs, which tells callsig of its stages.
#
#   scripts/demo.sh BUILD
#
# BUILD is a folder in which callsig is built. What is fetched stays in BUILD/sources, what is made in BUILD/demo.
set -eu

[ $# -eq 1 ] || { echo "usage: scripts/demo.sh BUILD" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
demo=$build/demo
sources=$build/sources

# Says what it runs, then runs it.
show()
{
  echo
  echo "\$ callsig $*" | sed "s|$build|build|g; s|$top/||g; s|\( build/[^ ]*\.jpg\)\{3,\}| PHOTOGRAPHS|"
  "$build/cli/callsig" "$@"
}

profile_lua()
{
  lua=$demo/lua
  recording=$demo/lua.callsig
  "$top/scripts/get-sources.sh" "$sources" lua5.4
  if [ ! -x "$lua/src/lua" ]; then
    rm -rf "$lua"
    cp -R "$sources/lua5.4" "$lua"
    echo "building Lua with callsig-cc --before-inlining -O2"
    make -s -C "$lua/src" CC="$build/cli/callsig-cc --before-inlining" linux >"$demo/lua.log" 2>&1 || {
      echo "callsig: Lua does not build; $demo/lua.log says why" >&2
      exit 1
    }
  fi
  show run -o "$recording" "$lua/src/lua" "$top/examples/demo/words.lua"
  show report "$recording" --strip-dirs -s tottime 25
  show report "$recording" --strip-dirs -s tottime --by function 10
  show report "$recording" --strip-dirs --function luaH_resize 10
}

# Photographs of mixed sizes into $photographs, and two that are broken on purpose: one cut off, one that is none.
prepare_photographs()
{
  photographs=$demo/photographs
  package=mate-backgrounds
  [ ! -e "$photographs/none.jpg" ] || return 0
  "$top/scripts/get-sources.sh" --binary "$sources" $package
  rm -rf "$photographs"
  mkdir -p "$photographs"
  find "$sources/$package" -name '*.jpg' -exec cp {} "$photographs" \;
  first=$(find "$photographs" -name '*.jpg' | sort | head -n 1)
  head -c 20000 "$first" >"$photographs/cut-off.jpg"
  echo "this is no photograph" >"$photographs/none.jpg"
}

profile_thumbnails()
{
  program=$demo/thumbnails
  recording=$demo/thumbnails.callsig
  database=$demo/thumbnails.db
  prepare_photographs
  echo
  echo "building examples/thumbnails with callsig-cc --before-inlining -O2"
  "$build/cli/callsig-cc" --before-inlining -O2 -I "$top/include" -o "$program" "$top"/examples/thumbnails/*.c \
    -L "$build/profiler" -Wl,-rpath,"$build/profiler" -lcallsig -ljpeg -lpthread
  rm -rf "$demo/made" "$database" "$database"-*
  mkdir "$demo/made"
  show run -o "$recording" --db "$database" --interval 0.5 --timeline=100us "$program" -d 2 -n 3 -o "$demo/made" \
    "$photographs"/*.jpg
  show report "$recording" --strip-dirs -s tottime --by signature,stage 15
  show report "$recording" --strip-dirs --by stage
  show stages "$recording"
  show export --to chrome "$recording" -o "$demo/thumbnails.trace.json"
  echo
  echo "The trace is $demo/thumbnails.trace.json: ui.perfetto.dev and chrome://tracing open it."
  echo "The statistics by interval are in $database:"
  sqlite3 -header -column "$database" \
    "SELECT name, sum(num_tasks) AS tasks, sum(num_failures) AS failures FROM task_stats GROUP BY name" ||
    echo "(install sqlite3 to look into it)"
}

mkdir -p "$demo"
cd "$top"
profile_lua
profile_thumbnails
echo
echo "The recordings are in $demo: 'callsig report --help' says what else can be asked of them."
