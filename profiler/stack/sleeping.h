/*
 * Time in which a thread slept, told apart in the edges of the calls that it slept in. docs/times.md.
 */
#ifndef CALLSIG_PROFILER_STACK_SLEEPING_H
#define CALLSIG_PROFILER_STACK_SLEEPING_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/stack/waiting.h"

/* Where such a part of a sleep, or of a wait, may be in the call or before it, calls are looked at when they begin,
 * too. */
#define PROF_UNSURE_PART 16u

/* What a look found, in ticks. */
struct prof_sleep {
  uint64_t since; /* the last look */
  uint64_t ticks; /* that the thread slept since then */
  uint64_t in_call,
      before;            /* that it waited for a processor: in the call that ended, and in the stretch of time that */
  uint64_t before_begin; /* begins here */
};

/* Splits what a thread slept among the call that ended and those that are open, each by what of the time since the last
 * look it can have had at the least and at the most. True: how much of it was in the call that ended is not known, as
 * it may have been before that call as well. Anywhere. */
bool prof_sleeping_place(struct prof_thread *t, const struct prof_ending *call, const struct prof_sleep *sleep);

/* Adds what `source` has to `target`, of the tree, and clears it. False: no space, and nothing is done. In a slow
 * section. */
bool prof_sleeping_move(struct prof_tree *tree, struct fmt_rec_edge *target, const struct fmt_rec_edge *source);

/* Makes room for what prof_sleeping_part() may add to the edge. With signals blocked. */
void prof_sleeping_prepare(struct prof_tree *tree, const struct fmt_rec_edge *edge);

/* Moves `part` / `all` of what `source` slept to `target`, which is prepared: so much of its time is counted there. By
 * one thread at a time. */
void prof_sleeping_part(const struct fmt_rec_edge *target, const struct fmt_rec_edge *source, uint64_t part,
                        uint64_t all);

/* As before the first call of the edge. In a slow section. */
void prof_sleeping_clear(const struct fmt_rec_edge *edge);

/* Notes in the thread's record what it, not the calling one, slept since it was looked at last. In a slow section,
 * under threads_lock. */
void prof_sleeping_note_live(const struct prof_thread *t);

#endif
