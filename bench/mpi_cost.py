#!/usr/bin/env python3
"""mpi_cost.py BUILD_DIR OUT.json [--rounds N]

Nanoseconds that `callsig run --mpi` adds to calls of MPI, by kind and by MPI: a rank calls itself, so that nothing is waited for, with
and without callsig in turn. A run's figure is its fastest repetition."""

import os

import in_turns
import tools
from runner import NotRun, compile_with, median, spread

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
    def command(folder):
        below = [callsig.command, "run", "--mpi", "--times", "exact", "-o", os.path.join(folder, "out")] if profiled else []
        return [f"mpirun.{mpi}", "-n", "1", *below, program, CALLS, REPETITIONS]

    return in_turns.fastest(command, lambda folder: {**AS_ROOT, "CALLSIG_CACHE_DIR": callsig.cache})


def rows_of(runs):
    for kind, label in KINDS.items():
        added = [after[kind] - before[kind] for before, after in zip(runs[False], runs[True])]
        yield {"calls": label, "plain": median([values[kind] for values in runs[False]]), "added": median(added), "spread": spread(added)}


if __name__ == "__main__":
    in_turns.main(__doc__, "mpi", ("mpi", ("openmpi", "mpich")), build, lambda mpi: (False, True), measure, rows_of)
