/*
 * Frames that the program opens by name: actions and tasks. They are the enclosing function's own: they have its
 * canonical frame address and die with it.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_USER_FRAME_H
#define CALLSIG_PROFILER_PIPELINE_USER_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"

/* What is opened. */
struct prof_user_frame {
  struct fmt_rec_function *function;
  const struct fmt_rec_name *text; /* of a task, NULL for none */
  struct fmt_rec_edge **last;      /* the edge of it that was taken last, kept up; NULL: nobody remembers */
};

/* Opens a frame, with the stack pointer `sp`. False: something has to be prepared. Anywhere. */
bool prof_user_frame_open(struct prof_thread *t, const struct prof_user_frame *user_frame, uintptr_t sp);
/* Enters a slow section of the calling thread on the machine stack of `sp`, its dead frames closed. `now` is the
 * clock's reading, 0 when it was not needed yet. NULL: nothing is recorded now, and no section entered. */
struct prof_thread *prof_user_frame_enter(uintptr_t sp, uint64_t now);
/* Makes what prof_user_frame_open() needs. False: no space, which is counted. In a slow section. */
bool prof_user_frame_prepare(struct prof_thread *t, const struct prof_user_frame *user_frame);
/* Leaves the slow section; `done`: no prof_user_frame_open() follows. */
void prof_user_frame_leave(struct prof_thread *t, bool done);
/* Can the innermost frame, at *place, end by its name now, in the hooks' own order and without a slow section?
 * Anywhere.
 */
bool prof_user_frame_ends_top(const struct prof_thread *t, uintptr_t sp, struct prof_place *place);

#endif
