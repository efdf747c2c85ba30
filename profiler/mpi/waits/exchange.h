/*
 * Each rank gives each other one some bytes: what both sides of a message, or of a meeting, know of it comes together.
 */
#ifndef CALLSIG_PROFILER_MPI_EXCHANGE_H
#define CALLSIG_PROFILER_MPI_EXCHANGE_H

#include <stdint.h>

#include "profiler/mpi/waits/transfer.h"

/* For one rank. */
struct mpi_parcel {
  const void *bytes;
  uint64_t size; /* below 2^31 */
};

/* Takes what rank `from` gave, which is gone when it returns. */
typedef void mpi_take_fn(void *data, int from, const void *bytes, uint64_t size);

/* Gives `parcels[rank]` to each rank, this one included, and has `take` called for each that gave anything, one after
 * the other; NULL: none is wanted. `numbers` has room for twice as many as there are ranks. To be called by all ranks
 * of the line. What there is no memory for is not taken. 0, -EPIPE when MPI failed, or -ETIMEDOUT: then a rank did not
 * answer, and what the parcels are of, and `numbers`, have to stay where they are. */
int mpi_exchange(struct mpi_line *line, const struct mpi_parcel *parcels, uint64_t *numbers, mpi_take_fn *take,
                 void *data);

/* Frees what mpi_exchange() was given, which returned `error`: where a rank did not answer MPI may use it yet, and it
 * stays. Takes the memory over, which may be NULL. */
void mpi_exchange_release(void *memory, int error);

#endif
