/*
 * What calls of MPI waited for: found out when all ranks have come to MPI_Finalize, from what each of them logged.
 */
#ifndef CALLSIG_PROFILER_MPI_WAITS_H
#define CALLSIG_PROFILER_MPI_WAITS_H

#include "profiler/mpi/waits/transfer.h"

/* Finds what this rank's calls waited for, and tells the runtime. To be called by all ranks of the line, after all of
 * their calls of MPI. What cannot be found out is counted; nothing is said. 0; -EPIPE: MPI failed; -ETIMEDOUT: a
 * rank did not answer within the line's patience. */
int mpi_waits_find(struct mpi_line *line);

#endif
