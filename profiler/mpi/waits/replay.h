/*
 * When the other sides of a rank's calls were ready, by what all ranks logged.
 */
#ifndef CALLSIG_PROFILER_MPI_REPLAY_H
#define CALLSIG_PROFILER_MPI_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/mpi/waits/exchange.h"
#include "profiler/mpi/waits/host_clock.h"
#include "profiler/mpi/waits/log.h"

/* Memory of its own is the caller's to give. */
struct mpi_waits {
  struct mpi_line *line;
  struct mpi_host_clock clock;
  struct mpi_parcel *parcels; /* one a rank */
  uint64_t *numbers;          /* two a rank */
};

/* Finds when the other sides of messages, the ranks that were met, and those that held a lock were ready, and notes it
 * in the log of pauses. 0, -EPIPE when MPI failed, or -ETIMEDOUT, after which `parcels` and `numbers` have to stay;
 * where there is no memory, nothing is noted. */
int mpi_waits_of_messages(struct mpi_waits *waits);
int mpi_waits_of_meetings(struct mpi_waits *waits);
int mpi_waits_of_locks(struct mpi_waits *waits);

/* Does every rank say so, of what `all` is for? A rank that cannot take part must not keep the others waiting. 0, or a
 * negative errno where that is not known. */
int mpi_waits_all_say(struct mpi_line *line, bool says, bool *all);

/* Notes in a pause that what it waited for was ready at `time` of rank 0's clock; `wait`: what that is called. */
void mpi_waits_note(const struct mpi_waits *waits, uint32_t pause, uint64_t time, unsigned wait);

#endif
