/*
 * Open calls whose return value is told at their end (FMT_EDGE_RETURNS): what is noted of each while it is open.
 */
#ifndef CALLSIG_PROFILER_FRAME_RETURNING_H
#define CALLSIG_PROFILER_FRAME_RETURNING_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/stack/thread.h"

/* A call of `edge` is about to get this frame, at this canonical frame address. False: there is no room to note it.
 * Anywhere. */
bool prof_returning_begins(struct prof_thread *t, const struct fmt_rec_frame *frame, uintptr_t cfa,
                           const struct fmt_rec_edge *edge);
/* The call that has the frame ends: gives what the edge's callees had taken when it began, by edge->children. False: it
 * is not noted, as a call that was open at a fork. Anywhere. */
bool prof_returning_ends(struct prof_thread *t, const struct fmt_rec_frame *frame, uint64_t *before);
/* Makes room for one more. In a slow section. False: no memory. */
bool prof_returning_prepare(struct prof_thread *t);

#endif
