/*
 * The functions around a call: what `--stack N` tells rows apart by. A call stack is the innermost N functions above
 * the call's context in the tree, where recursion is folded; an action or a task is one of them.
 */
#ifndef CALLSIG_OUTPUT_CALLSTACK_H
#define CALLSIG_OUTPUT_CALLSTACK_H

#include "profile.h"

/* An innermost function, and the call stack around it. Number 0 is the empty call stack. */
struct cs_callstack {
  uint32_t function; /* as it is shown */
  uint32_t outer;    /* a call stack */
};

enum { CS_CALLSTACK_MAX = 64 };

struct cs_callstacks {
  unsigned frames;       /* how many functions deep; 0: rows are not by call stacks */
  struct cs_vector list; /* struct cs_callstack */
  struct cs_idset set;
  uint32_t *of_context; /* by context: its call stack. Owned */
};

/* Finds the call stacks of all contexts. 0 or -ENOMEM; free with cs_callstacks_free(). */
int cs_callstacks_make(const struct cs_profile *profile, const uint32_t *shown_function, unsigned frames,
                       struct cs_callstacks *stacks);
void cs_callstacks_free(struct cs_callstacks *stacks);

static inline const struct cs_callstack *cs_callstack_at(const struct cs_callstacks *stacks, uint32_t number)
{
  return cs_vector_at(&stacks->list, number);
}

/* Orders by file, line and name of the innermost functions that differ; a call stack comes before what it is the inner
 * part of. Negative, 0 or positive. */
int cs_callstack_compare(const struct cs_profile *profile, const struct cs_callstacks *stacks, uint32_t left,
                         uint32_t right);

#endif
