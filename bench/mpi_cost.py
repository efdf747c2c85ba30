#!/usr/bin/env python3
"""mpi_cost.py BUILD_DIR OUT.json [--rounds N]

Nanoseconds that `callsig run --mpi` adds to calls of MPI, by kind and by MPI: a rank calls itself, so that nothing is waited for, with
and without callsig in turn. A run's figure is its fastest repetition."""

import argparse
import json
import os
import sys

import tools
from runner import Folder, NotRun, compile_with, interleave, median, run, spread

CALLS, REPETITIONS = "4000", "15"  # together fewer than the log has room for
KINDS = {"iprobe": "MPI_Iprobe", "barrier": "MPI_Barrier", "allreduce": "MPI_Allreduce", "sendrecv": "MPI_Sendrecv",
         "isend_irecv_waitall": "MPI_Irecv, MPI_Isend and MPI_Waitall"}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def build(callsig, mpi):
    callsig.require()
    if not os.path.exists(os.path.join(callsig.build, "profiler", f"libcallsig-mpi-{mpi}.so")):
        raise NotRun(f"libcallsig-mpi-{mpi}.so has not been built")
    folder = os.path.join(callsig.build, "bench", mpi)
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "mpi_calls")
    compile_with(f"mpicc.{mpi}", *tools.FLAGS, "-finstrument-functions", tools.source("mpi_calls.c"), "-o", program)
    return program


def measure(callsig, program, mpi, profiled):
    """One run: {kind: ns}."""
    with Folder() as folder:
        below = [callsig.command, "run", "--mpi", "--times", "exact", "-o", os.path.join(folder, "out")] if profiled else []
        printed = run([f"mpirun.{mpi}", "-n", "1", *below, program, CALLS, REPETITIONS],
                      {**AS_ROOT, "CALLSIG_CACHE_DIR": callsig.cache}, cwd=folder)
        return {kind: min(ns) for kind, ns in json.loads(printed).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    callsig = tools.Callsig(options.build)
    programs, reasons = {}, {}
    for mpi in ("openmpi", "mpich"):
        try:
            programs[mpi] = build(callsig, mpi)
        except NotRun as reason:
            reasons[mpi] = str(reason)
    subjects = [(mpi, profiled) for mpi in programs for profiled in (False, True)]
    runs, failed = interleave(options.rounds, subjects, lambda subject: measure(callsig, programs[subject[0]], *subject),
                              lambda line: print(f"mpi: {line}", file=sys.stderr, flush=True))
    rows = []
    for mpi in ("openmpi", "mpich"):
        plain, profiled = runs.get((mpi, False)), runs.get((mpi, True))
        if not plain or not profiled:
            rows.append({"mpi": mpi, "not_run": reasons.get(mpi) or failed.get((mpi, False)) or failed.get((mpi, True), "no run ended")})
            continue
        for kind, label in KINDS.items():
            added = [after[kind] - before[kind] for before, after in zip(plain, profiled)]
            rows.append({"mpi": mpi, "calls": label, "plain": median([values[kind] for values in plain]), "added": median(added),
                         "spread": spread(added)})
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"rounds": options.rounds, "rows": rows}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
