/*
 * Which ranks run on this machine. No rank is asked: that would be a call which one without this library never makes.
 * The launcher says how many there are here, and each `callsig run --mpi` wrote beside its recording where it runs.
 */
#ifndef CALLSIG_PROFILER_MPI_NODES_H
#define CALLSIG_PROFILER_MPI_NODES_H

#include "profiler/mpi/rows.h"

/* How many ranks the launcher says that it started on this machine; 0: it does not say. */
int mpi_nodes_here(void);

/* Where a rank of MPI_COMM_WORLD runs; -1: it is none of its ranks. Any thread, between MPI_Init and MPI_Finalize. */
enum mpi_node mpi_node_of(int rank);

#endif
