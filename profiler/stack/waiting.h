/*
 * Time in which a thread waited for a processor, taken out of the times of its calls: while not every call is timed,
 * the calls that are would pay for the scheduler, and their callers for all others. docs/times.md.
 */
#ifndef CALLSIG_PROFILER_STACK_WAITING_H
#define CALLSIG_PROFILER_STACK_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/compiler.h"
#include "profiler/stack/thread.h"

/* Of asking the kernel: what losing the processor and getting it back may cost, and so what the kernel may count
 * otherwise than the clock does. */
#define PROF_CHANGE_COST 4u
/* A call that takes so many times that is short or long by itself, whatever was taken out of it. */
#define PROF_CHANGE_SMALL  64u
#define PROF_USUAL_UNKNOWN UINT64_MAX

/* A call that ends, which is open no longer. */
struct prof_ending {
  const struct fmt_rec_frame *frame; /* what was its frame; NULL: none ends */
  const struct fmt_rec_edge *edge;   /* what it is a call of; NULL: none ends */
  uint64_t start;
  uint64_t end;
  uint64_t usual; /* what such calls take, or PROF_USUAL_UNKNOWN */
  bool weighs;    /* it counts for many that are not timed, and `usual` is known */
};

/* What of its time the thread did not run. */
struct prof_waited {
  uint64_t ticks; /* to be taken out of the call */
  bool uncertain; /* what is left tells little of what such calls take: it was preempted, and nobody knows for how long,
                     or what that cost */
  bool may_be_before; /* it slept or waited in the call or before it began: a look there would tell */
};

/* A look: when it was made, and what it found. */
struct prof_look {
  uint64_t since;     /* the last one */
  uint64_t now;       /* when the kernel had told */
  uint64_t asked;     /* ticks that asking took, without what is known to have been a wait */
  uint64_t least;     /* what such asking takes at the least */
  uint64_t since_end; /* ticks from the call's end that are more than that, and may have been a wait */
  uint64_t waited;    /* ticks, up to `now`, without what is known to lie behind the call's end */
  uint64_t slept;     /* the same */
};

/* Begins to look, where the settings ask for times that are free of it. In a slow section. */
void prof_waiting_start(struct prof_thread *t);

/* Finds out how long the thread has waited since the last look, takes that out of the frames that were open meanwhile,
 * and tells what of it lies in the call that ended. `running`: frames that are open still run on, so that what has
 * passed since its end is in none of them either. Anywhere. */
struct prof_waited prof_waiting_take(struct prof_thread *t, const struct prof_ending *call, bool running);

/* Forgets what passed so far: the clock stood still, or nothing was recorded. Anywhere. */
void prof_waiting_forget(struct prof_thread *t);

/* A look, of which what was before `at` is no call's any more: what it found is spread evenly over the time since the
 * last one, as nobody knows where it was. Anywhere. */
void prof_waiting_cut(struct prof_thread *t, uint64_t at, struct prof_look *look);

/* Takes what that found out of the frames that are open, which run on. Anywhere. */
void prof_waiting_place(struct prof_thread *t, struct prof_look *look);

/* The same at any other moment than the end of a call: takes out what there is. Anywhere. */
void prof_waiting_settle(struct prof_thread *t, uint64_t now, bool running);

/* Was the thread without a processor since it was looked at? Anywhere. */
static inline bool prof_waiting_is_due(const struct prof_thread *t)
{
  const uint64_t *word = t->preemption.word;
  return word && __atomic_load_n(word, __ATOMIC_RELAXED) == 0;
}

/* As prof_waiting_settle() where frames run on, and tells how much of the time since `began`, in which the thread has
 * done something of the runtime's own, it has waited at the most: that was taken out of open frames. Anywhere. */
uint64_t prof_waiting_within(struct prof_thread *t, uint64_t began, uint64_t now);

/* Looks whether the thread did not run for some time, when the call of `frame` (NULL for none) ended, at `now`. Where
 * it is so, prof_waiting_take() has to follow. Anywhere. */
static inline bool prof_waiting_look(struct prof_thread *t, const struct fmt_rec_frame *frame, uint64_t now)
{
  const uint64_t *word = t->preemption.word;
  if (!word)
    return false;
  const uint64_t found = __atomic_load_n(word, __ATOMIC_RELAXED);
  if (PROF_LIKELY(found == t->preemption.armed))
    t->looked_at = now;
  return PROF_UNLIKELY(found == 0 || (frame && frame == t->stale_look.frame));
}

/* From the end of this call of the edge on, tells what a thread slept or waited before one from what it does so in it,
 * if each of them is timed: looks at that cost more than others are worth. Anywhere. */
static inline void prof_waiting_look_at_entries(struct fmt_rec_edge *edge)
{
  if (edge->flags & FMT_EDGE_SAMPLED && !((const struct fmt_rec_sampling *)edge - 1)->rate)
    __atomic_fetch_or(&edge->flags, (uint32_t)FMT_EDGE_LOOKS, __ATOMIC_RELAXED);
}

/* What a call that began at `start` and took `own` ticks, without its waits, counts as among the shortest and longest
 * of its edge. Where a wait was taken out of it, that may have been too much by what the kernel counts otherwise: of a
 * short call next to nothing may be left. It is then taken for no shorter than the shortest that is known, `least`
 * (UINT64_MAX: none is). Anywhere. */
static inline uint64_t prof_waiting_extreme(const struct prof_thread *t, uint64_t start, uint64_t own, uint64_t least)
{
  const bool is_whole = start >= t->waited_at || own >= least || least == UINT64_MAX;
  return PROF_LIKELY(is_whole) || own / (PROF_CHANGE_COST * PROF_CHANGE_SMALL) >= t->look_least[false] ? own : least;
}

#endif
