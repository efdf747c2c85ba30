/*
 * The clocks of the machines that ranks run on, held against that of rank 0.
 */
#ifndef CALLSIG_PROFILER_MPI_HOST_CLOCK_H
#define CALLSIG_PROFILER_MPI_HOST_CLOCK_H

#include <stdint.h>

#include "profiler/mpi/transfer.h"

struct mpi_host_clock {
  int64_t ahead;  /* of CLOCK_MONOTONIC, ns: rank 0's less this rank's, now */
  uint64_t error; /* by which that may be wrong at the most, ns; 0: it is the same clock */
};

/* Finds it for this rank; `others` has room for a number a rank. To be called by all ranks of the line. 0, -EPIPE when
 * MPI failed, or -ETIMEDOUT, after which `others` has to stay where it is. */
int mpi_host_clock_find(struct mpi_line *line, int *others, struct mpi_host_clock *clock);

#endif
