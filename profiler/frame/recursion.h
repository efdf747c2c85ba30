/*
 * Recursion: which calls are the outermost activation of their group.
 */
#ifndef CALLSIG_PROFILER_FRAME_RECURSION_H
#define CALLSIG_PROFILER_FRAME_RECURSION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"

/* Do the edges that prof_recursion_enter() will mark at this place have their recursion records? Anywhere. */
bool prof_recursion_ready(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge);
/* Makes the records that are missing. In a slow section. False: no space. */
bool prof_recursion_prepare(struct prof_thread *t, struct fmt_rec_edge *edge);
/* Is the edge's callee inactive in every group but, by the tree, its module? Then a call of it counts as plain even
 * while recursion is open. Anywhere. */
bool prof_recursion_outermost(struct prof_thread *t, struct fmt_rec_edge *edge);
/* Is this very edge active (with a frame that is open)? */
bool prof_recursion_active(struct fmt_rec_edge *edge);
/* Settles the frames up to `place` and marks the one above, which is published, as a call of `edge`. Gives how the
 * exit's fast path can end it: PROF_FRAME_BACK or PROF_FRAME_MARKED, or PROF_FRAME_GENERIC when it cannot. Anywhere. */
uint32_t prof_recursion_enter(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge);
/* Did the open frame's call begin while none of its edge was open? Anywhere. */
bool prof_recursion_is_outermost(const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge);
/* Clears the marks of the frame at `place`, which is marked, and gives the groups that it was outermost in, one bit
 * each. *owned_edge: so it was for its edge. Anywhere. */
uint32_t prof_recursion_leave(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge,
                              bool *owned_edge);
/* How the calls of the edge are timed has changed. Anywhere. */
void prof_recursion_set_mode(struct fmt_rec_edge *edge);
/* The frame `top` is in progress and dead: a signal handler left its hook by longjmp. Takes back what the hook
 * may have marked and counted before. In a slow section. */
void prof_recursion_repair(struct prof_thread *t);
/* Frames were dropped with the segment they lay in: takes none of those that are left for settled. In a slow section.
 */
void prof_recursion_restart(struct prof_thread *t);
/* No frame is open on any machine stack: takes off whatever is marked still, by frames that another was written over.
 * In a slow section. */
void prof_recursion_reset(struct prof_thread *t);
/* Clears or sets the marks of all frames of the running machine stack that have any: another stack runs for a while. */
void prof_recursion_suspend(struct prof_thread *t);
void prof_recursion_resume(struct prof_thread *t);

#endif
