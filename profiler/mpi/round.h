/*
 * A call of all ranks of a communicator together, as the log has it: numbered by each rank alike, since all make them
 * in one order.
 */
#ifndef CALLSIG_PROFILER_MPI_ROUND_H
#define CALLSIG_PROFILER_MPI_ROUND_H

#include <stdint.h>

#include "profiler/mpi/communicators.h"
#include "profiler/mpi/waits/log.h"
#include "profiler/mpi/words.h"

struct mpi_round {
  struct mpi_comm_facts *facts; /* NULL: the communicator is not known */
  enum mpi_meeting_kind kind;   /* who waits for whom */
  int root;                     /* -1: none */
  uint32_t number, place;       /* of the communicator's calls; in the log */
  struct mpi_words words;       /* in place of the latter, where each waits for its neighbours */
};

/* Numbers it, and takes its place: before the call is made. */
void mpi_round_number(struct mpi_round *round);

/* Leaves in the log that this rank came to it at a time of CLOCK_MONOTONIC, and that no call waited for others yet. */
void mpi_round_come(const struct mpi_round *round, uint64_t enter);

/* The call of that number in the log of pauses waited for the others. */
void mpi_round_waited(const struct mpi_round *round, uint32_t pause);

#endif
