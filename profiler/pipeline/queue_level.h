/*
 * A queue's level: how many items it holds and for how long it was empty, which change together.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_QUEUE_LEVEL_H
#define CALLSIG_PROFILER_PIPELINE_QUEUE_LEVEL_H

#include <stdbool.h>

#include "format/recording.h"
#include "profiler/arch/primitives.h"

_Static_assert(sizeof(struct fmt_rec_queue_level) == sizeof(struct prof_word_pair), "a level is two words");

/* Replaces the level by `wanted` when it is `*expected`, in one step, else stores in *expected what it is. Any thread.
 */
static inline bool prof_queue_level_replace(struct fmt_rec_queue_level *level, struct fmt_rec_queue_level *expected,
                                            struct fmt_rec_queue_level wanted)
{
  return prof_word_pair_replace((struct prof_word_pair *)level, (struct prof_word_pair *)expected,
                                (struct prof_word_pair){wanted.items, wanted.empty_ticks});
}

#endif
