/*
 * What a rank hands in to a call of all together, by arguments with counts of either size.
 */
#ifndef CALLSIG_PROFILER_MPI_SHARES_H
#define CALLSIG_PROFILER_MPI_SHARES_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/mpi/meeting.h"
#include "profiler/mpi/wrap.h"

static inline struct mpi_share mpi_share_of(int64_t count, MPI_Datatype type)
{
  return (struct mpi_share){.count = count, .type = type};
}

static inline struct mpi_share mpi_share_of_nothing(void)
{
  return mpi_share_of(0, MPI_DATATYPE_NULL);
}

/* For each of so many ranks as many as `counts` says, or `each` where that is NULL. */
static inline struct mpi_share mpi_sum_of(int ranks, const mpi_count *counts, mpi_count each, MPI_Datatype type)
{
  int64_t sum = 0;
  for (int i = 0; counts && i < ranks; i++)
    sum += counts[i];
  return mpi_share_of(counts ? sum : (int64_t)ranks * each, type);
}

/* For each rank that data is for. */
static inline struct mpi_share mpi_shares_of(const struct mpi_comm_facts *facts, const mpi_count *counts,
                                             mpi_count each, MPI_Datatype type)
{
  return mpi_sum_of(facts ? facts->other_size : 0, counts, each, type);
}

/* The same for the ranks of the own side of an intercommunicator. */
static inline struct mpi_share mpi_shares_within(const struct mpi_comm_facts *facts, const mpi_count *counts,
                                                 mpi_count each, MPI_Datatype type)
{
  return mpi_sum_of(facts ? facts->size : 0, counts, each, type);
}

/* Of so many ranks, each with a type of its own. */
static inline struct mpi_share mpi_mixed_sum_of(int ranks, const mpi_count *counts, const MPI_Datatype *types)
{
  struct mpi_share share = mpi_share_of_nothing();
  for (int i = 0; i < ranks; i++) {
    struct mpi_call part = {.count = 0};
    mpi_call_moves(&part, counts[i], types[i]);
    share.count += part.count;
    share.bytes += part.bytes;
  }
  return share;
}

/* The own part of what a gathering call receives, which lies there already. */
static inline struct mpi_share mpi_own_share_of(const struct mpi_comm_facts *facts, const mpi_count *counts,
                                                MPI_Datatype type)
{
  return mpi_share_of(counts[facts ? facts->rank : 0], type);
}

#endif
