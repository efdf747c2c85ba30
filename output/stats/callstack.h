/*
 * The functions around a call: what `--stack N` tells rows apart by. A call stack is the innermost N functions above
 * the call's context in the tree, where recursion is folded; an action or a task is one of them.
 */
#ifndef CALLSIG_OUTPUT_STATS_CALLSTACK_H
#define CALLSIG_OUTPUT_STATS_CALLSTACK_H

#include "output/profile/profile.h"

/* An innermost function, and the call stack around it. Number 0 is the empty call stack. */
struct out_callstack {
  uint32_t function; /* as it is shown */
  uint32_t outer;    /* a call stack */
};

enum { OUT_CALLSTACK_MAX = 64 };

struct out_callstacks {
  unsigned frames;         /* how many functions deep; 0: rows are not by call stacks */
  struct base_vector list; /* struct out_callstack */
  struct out_idset set;
  uint32_t *of_context; /* by context: its call stack. Owned */
};

/* Finds the call stacks of all contexts. 0 or -ENOMEM; free with out_callstacks_free(). */
int out_callstacks_make(const struct out_profile *profile, const uint32_t *shown_function, unsigned frames,
                        struct out_callstacks *stacks);
void out_callstacks_free(struct out_callstacks *stacks);

static inline const struct out_callstack *out_callstack_at(const struct out_callstacks *stacks, uint32_t number)
{
  return base_vector_at(&stacks->list, number);
}

/* Orders by file, line and name of the innermost functions that differ; a call stack comes before what it is the inner
 * part of. Negative, 0 or positive. */
int out_callstack_compare(const struct out_profile *profile, const struct out_callstacks *stacks, uint32_t left,
                          uint32_t right);

#endif
