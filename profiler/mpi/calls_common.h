/*
 * What the wrappers of MPI's functions share: a call is described, runs as a row, and leaves its side in the log.
 */
#ifndef CALLSIG_PROFILER_MPI_CALLS_COMMON_H
#define CALLSIG_PROFILER_MPI_CALLS_COMMON_H

#include <mpi.h>
#include <stdint.h>

#include "profiler/mpi/communicators.h"
#include "profiler/mpi/log.h"
#include "profiler/mpi/rows.h"

#define MPI_EXPORTED __attribute__((visibility("default")))

/* MPI's own function `name`, with the arguments `a` that are collected in a structure of these fields. */
#define MPI_CLOSURE(name, fields, ...)                                                                                 \
  struct name##_arguments {                                                                                            \
    fields                                                                                                             \
  };                                                                                                                   \
  static int run_##name(void *data)                                                                                    \
  {                                                                                                                    \
    const struct name##_arguments *a = data;                                                                           \
    return P##name(__VA_ARGS__);                                                                                       \
  }

/* A call of the function, which MPI's own is called for by run(arguments). */
struct mpi_call mpi_call_of(enum mpi_function function, int (*run)(void *), void *arguments);

/* Its communicator. `facts` may be NULL. */
void mpi_call_among(struct mpi_call *call, const struct mpi_comm_facts *facts);

/* What it moves: `count` of the type. */
void mpi_call_moves(struct mpi_call *call, int64_t count, MPI_Datatype type);

/* The number of the ended call in the log of pauses, made when it is asked for first; MPI_NOT_LOGGED: it waits for
 * nobody, or has no place there. */
uint32_t mpi_call_pause(struct mpi_call *call);

/* Adds to the bytes of calls of the function, and to those sent to or received from such a peer. */
void mpi_count_bytes(enum mpi_function function, int64_t bytes);
void mpi_count_sent(enum mpi_peer peer, int64_t bytes);
void mpi_count_received(enum mpi_peer peer, int64_t bytes);

/* What calls may wait for: the names of rows below theirs. */
enum mpi_wait_number { WAIT_LATE_SENDER, WAIT_LATE_RECEIVER, WAIT_LATE_RANKS = 0, WAIT_LATE_ROOT = 0 };

#endif
