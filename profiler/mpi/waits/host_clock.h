/*
 * The clocks of the machines that ranks run on, held against that of rank 0.
 */
#ifndef CALLSIG_PROFILER_MPI_HOST_CLOCK_H
#define CALLSIG_PROFILER_MPI_HOST_CLOCK_H

#include <stdint.h>

#include "profiler/mpi/waits/transfer.h"

/* Rank 0's clock is this rank's CLOCK_MONOTONIC and so much more. */
struct mpi_host_clock {
  int64_t ahead;  /* ns, at time `at` of this rank's */
  uint64_t at;    /* when that was found */
  double drift;   /* by which it grew in each ns before */
  uint64_t error; /* by which a time may be wrong at the most, ns; 0: it is the same clock */
};

/* A time of this rank by rank 0's clock, and back. */
uint64_t mpi_host_clock_of_first(const struct mpi_host_clock *clock, uint64_t own);
uint64_t mpi_host_clock_own(const struct mpi_host_clock *clock, uint64_t first);

/* Finds it for this rank; `others` has room for a number a rank. To be called by all ranks of the line. 0, -EPIPE when
 * MPI failed, or -ETIMEDOUT, after which `others` has to stay where it is. */
int mpi_host_clock_find(struct mpi_line *line, int *others, struct mpi_host_clock *clock);

#endif
