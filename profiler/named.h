/*
 * Frames that the program opens by name: actions and tasks. They are the enclosing function's own: they have its
 * canonical frame address and die with it.
 */
#ifndef CALLSIG_NAMED_H
#define CALLSIG_NAMED_H

#include "frames.h"

/* What is opened. */
struct cs_named {
  struct cs_rec_function *function;
  const struct cs_rec_name *text; /* of a task, NULL for none */
  struct cs_rec_edge **last;      /* the edge of it that was taken last, kept up; NULL: nobody remembers */
};

/* Opens a frame, with the stack pointer `sp`. False: something has to be prepared. Anywhere. */
bool cs_named_open(struct cs_thread *t, const struct cs_named *named, uintptr_t sp);
/* Enters a slow section of the calling thread on the machine stack of `sp`, its dead frames closed. `now` is the
 * clock's reading, 0 when it was not needed yet. NULL: nothing is recorded now, and no section entered. */
struct cs_thread *cs_named_enter(uintptr_t sp, uint64_t now);
/* Makes what cs_named_open() needs. False: no space, which is counted. In a slow section. */
bool cs_named_prepare(struct cs_thread *t, const struct cs_named *named);
/* Leaves the slow section; `done`: no cs_named_open() follows. */
void cs_named_leave(struct cs_thread *t, bool done);
/* Can `top` end by its name now, in the hooks' own order and without a slow section? Anywhere. */
bool cs_named_ends_top(const struct cs_thread *t, uintptr_t sp);

#endif
