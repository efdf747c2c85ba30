/*
 * A call of all ranks together is one of three functions: it ends when it is done, it begins what a request tells the
 * end of, or, since MPI 4, it makes a request that is started again and again.
 */
#ifndef CALLSIG_PROFILER_MPI_COLLECTIVE_WAYS_H
#define CALLSIG_PROFILER_MPI_COLLECTIVE_WAYS_H

#include <mpi.h>

#include "profiler/mpi/meeting.h"
#include "profiler/mpi/wrap.h"

/* Defines the three of MPI_WHOLE and MPI_BEGIN, who wait for whom as `kind` says. `root`, and `share`, what a rank
 * hands in, are expressions of the arguments `a` and of the communicator's `facts`. */
#define MPI_WAYS(...) MPI_WAYS_OF(mpi_comm_facts, __VA_ARGS__)

/* The same where the facts are found by a function of their own. */
#define MPI_WAYS_OF(facts_of, whole, begin, kind, root, share, ...)                                                    \
  MPI_WRAP(MPI_##whole, __VA_ARGS__)                                                                                   \
  {                                                                                                                    \
    struct mpi_comm_facts *facts = facts_of(a->communicator);                                                          \
    const struct mpi_share given = share;                                                                              \
    return mpi_meet(MPI_CALL(MPI_##whole), facts, kind, root, &given);                                                 \
  }                                                                                                                    \
  MPI_WRAP(MPI_##begin, __VA_ARGS__, (MPI_Request *, request))                                                         \
  {                                                                                                                    \
    struct mpi_comm_facts *facts = facts_of(a->communicator);                                                          \
    const struct mpi_share given = share;                                                                              \
    return mpi_meet_begin(MPI_CALL(MPI_##begin), facts, kind, root, &given, a->request);                               \
  }                                                                                                                    \
  MPI_PREPARED_WAY(facts_of, whole##_init, kind, root, share, __VA_ARGS__)

#if MPI_VERSION >= 4
#define MPI_PREPARED_WAY(facts_of, name, kind, root, share, ...)                                                       \
  MPI_WRAP(MPI_##name, __VA_ARGS__, (MPI_Info, info), (MPI_Request *, request))                                        \
  {                                                                                                                    \
    struct mpi_comm_facts *facts = facts_of(a->communicator);                                                          \
    const struct mpi_share given = share;                                                                              \
    return mpi_meet_prepare(MPI_CALL(MPI_##name), facts, kind, root, &given, a->request);                              \
  }
#else
#define MPI_PREPARED_WAY(...)
#endif

#endif
