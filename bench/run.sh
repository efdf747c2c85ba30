#!/bin/sh
# Measures what callsig costs, beside its peers, and writes results.md and results.json next to this script.
#
#   bench/run.sh BUILD_DIR [PART...]
#
# BUILD_DIR holds a finished build. The parts are price, hooks, truth, pairs, stages, index, monitor, rows, ranks and mpi; without any, all of
# them. What was measured before stays in results.json for the parts that are not run, and for other machines. BENCH_ROUNDS sets the
# number of interleaved rounds of every part, BENCH_PROGRAMS the real programs and BENCH_COMPILERS the compilers of price, hooks and
# truth (names with commas between them), BENCH_SOURCES the folder of unpacked source packages (default BUILD_DIR/sources), BENCH_OUT
# the folder to write to.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: bench/run.sh BUILD_DIR [price|hooks|truth|pairs|stages|index|monitor|rows|ranks|mpi]..." >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
shift
[ $# -gt 0 ] || set -- price hooks truth pairs stages index monitor rows ranks mpi

"$here/install-deps.sh"
export PYTHONDONTWRITEBYTECODE=1
sources=${BENCH_SOURCES:-$build/sources}
parts=$build/bench/parts
mkdir -p "$parts"
rm -f "$parts"/*.json
rounds=${BENCH_ROUNDS:+--rounds $BENCH_ROUNDS}
compilers=${BENCH_COMPILERS:+--compilers $BENCH_COMPILERS}
programs=${BENCH_PROGRAMS:+--programs $BENCH_PROGRAMS}

# Leaves a session daemon that was there before alone, and ends one that the runs started.
lttng_pid=/var/run/lttng/lttng-sessiond.pid
[ "$(id -u)" = 0 ] || lttng_pid=${LTTNG_HOME:-$HOME}/.lttng/lttng-sessiond.pid
had_daemon=no
[ -e "$lttng_pid" ] && kill -0 "$(cat "$lttng_pid")" 2>/dev/null && had_daemon=yes
end_daemon()
{
  [ "$had_daemon" = yes ] || [ ! -e "$lttng_pid" ] || kill "$(cat "$lttng_pid")" 2>/dev/null || true
}
trap end_daemon EXIT

for part in "$@"; do
  case $part in
    pairs) python3 "$here/pairs.py" "$build" "$parts/pairs.json" $rounds ;;
    hooks) python3 "$here/hooks.py" "$build" "$parts/hooks.json" $rounds $compilers ;;
    price | truth) python3 "$here/$part.py" "$build" "$sources" "$parts/$part.json" $rounds $compilers $programs ;;
    stages) python3 "$here/stage_cost.py" "$build" "$parts/stages.json" $rounds ;;
    index) python3 "$here/index_cost.py" "$build" "$sources" "$parts/index.json" $rounds ;;
    monitor) python3 "$here/monitor_cost.py" "$build" "$parts/monitor.json" $rounds ;;
    rows) python3 "$here/rows_cost.py" "$build" "$parts/rows.json" $rounds ;;
    ranks) python3 "$here/ranks_cost.py" "$build" "$parts/ranks.json" ;;
    mpi) python3 "$here/mpi_cost.py" "$build" "$parts/mpi.json" $rounds ;;
    *) echo "bench/run.sh: no part is called $part" >&2; exit 2 ;;
  esac
done
python3 "$here/results.py" "$parts" "${BENCH_OUT:-$here}"
echo "written: ${BENCH_OUT:-$here}/results.md"
