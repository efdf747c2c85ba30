/*
 * The ranks' recordings become one.
 */
#ifndef CALLSIG_PROFILER_MPI_REDUCE_H
#define CALLSIG_PROFILER_MPI_REDUCE_H

/* MPI was initialised: that this rank will come to mpi_reduce() is written where the others may see it. */
void mpi_reduce_begin(void);

/* Puts the recordings of the ranks of MPI_COMM_WORLD together, along a binary tree: FILE has then what each has
 * recorded until now, and the ranks' own recordings stay. To be called by every rank, after MPI_Init and before
 * PMPI_Finalize; where one does not come, the others do not wait for it for ever (CALLSIG_MPI_WAIT). Whatever fails is
 * said. */
void mpi_reduce(void);

#endif
