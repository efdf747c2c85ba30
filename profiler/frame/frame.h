/*
 * Opening and closing frames of the shadow stack, and what an ended call counts.
 */
#ifndef CALLSIG_PROFILER_FRAME_FRAME_H
#define CALLSIG_PROFILER_FRAME_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"

/* Where a call of the edge above `place` counts, with the frame's bits; 0 when records have to be made first. Anywhere.
 */
__attribute__((nonnull)) uint64_t prof_frame_counters(struct prof_thread *t, struct prof_place place,
                                                      struct fmt_rec_edge *edge);
/* Opens a frame of `edge` above `place`, where there is room. A handler may interrupt anywhere: its frames go above a
 * frame in progress once `top` has moved, and until the edge is stored the frame counts for nothing. `ticks` 0: the
 * clock, read last. Anywhere. */
__attribute__((nonnull)) void prof_frame_push(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge,
                                              uintptr_t cfa, uint64_t counters, uint64_t ticks);
/* Counts a call of the edge that the bounds have merged. Anywhere. */
void prof_frame_count_merged(const struct fmt_rec_edge *edge);
/* Closes the frame `place.top`, which is open and the innermost of what runs, and ends at `now`: pops it, then counts.
 * Anywhere. */
void prof_frame_end(struct prof_thread *t, struct prof_place place, uint64_t now);
/* Adds a call of `edge` that has ended, after `ticks`, to the edge's histogram and to the timeline, as far as they are
 * kept. For calls of t->exit_least ticks and more. The hooks' assembly calls it. Anywhere. */
void prof_frame_ended(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks);
/* The same of the timeline alone, and looks at what is asked of the process. For calls of t->timeline_min ticks and
 * more, of which the recording's timeline may take fewer. The hooks' assembly calls it. Anywhere. */
void prof_frame_long(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks);
/* A call of `edge`, which has FMT_EDGE_SAMPLED, was timed and counted with `ticks`, by the hooks' assembly: all of it
 * but its extremes, its histogram and the timeline. Gives what of them it has taken itself. The hooks' assembly calls
 * it. Anywhere. */
uint64_t prof_frame_timed(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks);
/* Opens a frame of `edge` above `top`, with these ticks as its start, in a slow section. False: no space. */
__attribute__((nonnull)) bool prof_frame_open(struct prof_thread *t, struct fmt_rec_edge *edge, uintptr_t cfa,
                                              uint64_t ticks);

#endif
