/*
 * What the wrappers of MPI's functions share: a call is described, runs as a row, and leaves its side in the log.
 */
#ifndef CALLSIG_PROFILER_MPI_CALLS_COMMON_H
#define CALLSIG_PROFILER_MPI_CALLS_COMMON_H

#include <mpi.h>
#include <stdint.h>

#include "profiler/mpi/communicators.h"
#include "profiler/mpi/rows.h"
#include "profiler/mpi/waits/log.h"
#include "profiler/mpi/wrap.h"

/* A call of the function, which MPI's own is called for by run(arguments). */
struct mpi_call mpi_call_of(enum mpi_function function, int (*run)(void *), void *arguments);

/* What a call waits for; without this, for nobody. */
enum mpi_waits_for {
  MPI_WAITS_FOR_NOBODY,
  MPI_WAITS_FOR_MESSAGE,
  MPI_WAITS_FOR_RANKS,
  MPI_WAITS_FOR_ROOT,
  MPI_WAITS_FOR_REQUEST, /* which may be of any of these */
  MPI_WAITS_FOR_LOCK,
};
void mpi_call_waits(struct mpi_call *call, enum mpi_waits_for what);

/* Its communicator. `facts` may be NULL. */
void mpi_call_among(struct mpi_call *call, const struct mpi_comm_facts *facts);

/* Who the other side is, by its rank there. */
void mpi_call_with(struct mpi_call *call, const struct mpi_comm_facts *facts, int rank);

/* What it moves: `count` of the type. */
void mpi_call_moves(struct mpi_call *call, int64_t count, MPI_Datatype type);

/* The number of the ended call in the log of pauses, made when it is asked for first; MPI_NOT_LOGGED: it waits for
 * nobody, or has no place there. */
uint32_t mpi_call_pause(struct mpi_call *call);

/* Adds to the bytes of calls of the function, and to those sent to or received from such a rank. `facts` may be NULL.
 */
void mpi_count_bytes(enum mpi_function function, int64_t bytes);
void mpi_count_sent(const struct mpi_comm_facts *facts, int rank, int64_t bytes);
void mpi_count_received(const struct mpi_comm_facts *facts, int rank, int64_t bytes);

#endif
