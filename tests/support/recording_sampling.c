/* Calls of a recording made by hand that are not all timed: which ones are, and what the others count with. */
#include "tests/support/recording_model.h"

enum { FIRST_CALLS = 32, MEMORY = 8, PARTS = 256 };

void recording_writer_sample(struct recording_writer *writer, uint64_t seed, uint32_t rate)
{
  writer->dice.state = seed;
  writer->rate = rate;
  writer->is_sampled = 1;
}

void recording_writer_count_early(struct recording_writer *writer)
{
  writer->counts_early = 1;
}

static struct fmt_rec_sampling *sampling_of(struct recording_writer *writer, uint64_t edge)
{
  const struct fmt_rec_edge *record = at(writer, edge);
  return record->flags & FMT_EDGE_SAMPLED ? at(writer, edge - sizeof(struct fmt_rec_sampling)) : NULL;
}

int recording_sampling_skips(struct recording_writer *writer, uint64_t edge)
{
  const struct fmt_rec_sampling *sampling = sampling_of(writer, edge);
  return sampling && sampling->timed >= FIRST_CALLS && roll(&writer->dice, 1u << writer->rate) != 0;
}

uint64_t recording_sampling_imputed(struct recording_writer *writer, uint64_t edge)
{
  return sampling_of(writer, edge)->imputed;
}

void recording_sampling_note(struct recording_writer *writer, uint64_t edge, uint64_t duration)
{
  struct fmt_rec_sampling *sampling = sampling_of(writer, edge);
  if (!sampling)
    return;
  unsigned __int128 squares = (unsigned __int128)sampling->squares_high << 64 | sampling->squares_low;
  squares += (unsigned __int128)duration * duration;
  sampling->squares_low = (uint64_t)squares;
  sampling->squares_high = (uint64_t)(squares >> 64);
  sampling->timed++;
  sampling->timed_total += duration;
  int64_t memory = sampling->timed < MEMORY ? (int64_t)sampling->timed : MEMORY;
  sampling->recent += (uint64_t)((int64_t)(duration * PARTS - sampling->recent) / memory);
  sampling->imputed = (sampling->recent + roll(&writer->dice, PARTS)) / PARTS;
  sampling->rate = sampling->timed < FIRST_CALLS ? 0 : writer->rate;
}
