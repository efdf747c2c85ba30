/*
 * What a program counts by itself, by key: callsig_counter_add() and callsig_level_set().
 */
#ifndef CALLSIG_PROFILER_PIPELINE_COUNTER_H
#define CALLSIG_PROFILER_PIPELINE_COUNTER_H

#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/tree_store.h"

#define PROF_COUNTERS_MAX    256u  /* keys of a process */
#define PROF_COUNTER_KEY_MAX 1024u /* bytes of one */

/* Moves what an ended thread counted to the tree of the folded ones. Gives how many calls found no space. Under
 * threads_lock. */
uint64_t prof_counters_merge(struct prof_tree *target, const struct fmt_rec_thread *source);

/* Sets what the thread counted to zero. Under threads_lock. */
void prof_counters_clear(const struct fmt_rec_thread *record);

#endif
