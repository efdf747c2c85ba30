/*
 * What a call tells ranks, or hears from them, without naming it as a message: that it came where they wait for it, or
 * that it waits for them. The log has it as messages in a channel of its own, so that both sides find each other alike.
 */
#ifndef CALLSIG_PROFILER_MPI_WORDS_H
#define CALLSIG_PROFILER_MPI_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/mpi/waits/log.h"

/* The words of one call, which lie together in the log. */
struct mpi_words {
  uint32_t first; /* MPI_NOT_LOGGED */
  uint32_t count; /* 0 where they are not logged */
};

struct mpi_word {
  enum mpi_event_kind kind;
  enum mpi_wait_number wait; /* as of an event */
  bool may_pass;             /* likewise */
  uint64_t posted;
};

/* Places for so many: before the call is made. */
struct mpi_words mpi_words_of(int count);

/* Fills number `i` of them: to or from a rank of MPI_COMM_WORLD, -1 for nobody; the channel is called `key`. */
void mpi_words_leave(const struct mpi_words *words, int i, uint64_t key, int rank, const struct mpi_word *word);

/* The call of that number in the log of pauses waited for what they are of. */
void mpi_words_waited(const struct mpi_words *words, uint32_t pause);

#endif
