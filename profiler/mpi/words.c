/* Words, in the log. */
#include "profiler/mpi/words.h"

struct mpi_words mpi_words_of(int count)
{
  const uint32_t first = count > 0 ? mpi_log_event((uint32_t)count) : MPI_NOT_LOGGED;
  return (struct mpi_words){.first = first, .count = first != MPI_NOT_LOGGED ? (uint32_t)count : 0};
}

void mpi_words_leave(const struct mpi_words *words, int i, uint64_t key, int rank, const struct mpi_word *word)
{
  if (words->count == 0)
    return;
  *mpi_log_event_at(words->first + (uint32_t)i) =
      (struct mpi_event){.key = key,
                         .posted = word->posted,
                         .peer = rank,
                         .bytes = MPI_BYTES_UNKNOWN,
                         .pause = MPI_NOT_LOGGED,
                         .kind = rank >= 0 ? (uint16_t)word->kind : (uint16_t)EVENT_NONE,
                         .wait = (uint8_t)word->wait,
                         .may_pass = word->may_pass};
}

void mpi_words_waited(const struct mpi_words *words, uint32_t pause)
{
  for (uint32_t i = 0; i < words->count; i++)
    mpi_log_event_at(words->first + i)->pause = pause;
}
