/*
 * The timeline: spans in a ring of each thread, a flight recorder that keeps the newest.
 */
#ifndef CALLSIG_PROFILER_STACK_RING_H
#define CALLSIG_PROFILER_STACK_RING_H

#include <stdint.h>

#include "format/recording.h"
#include "profiler/stack/thread.h"

/* Gives the calling thread its ring when there is a timeline. A thread for which there is no space goes without; its
 * spans are counted in FMT_LOSS_TIMELINE. In a slow section, before the thread's record is published. */
void prof_ring_open(struct prof_thread *t);

/* Adds a span to the ring of `t`, the calling thread; without a timeline it does nothing. `what` is the address of the
 * record that enum fmt_span_kind names, `start` and `duration` are in ticks, `item` is the program's id of an item or
 * 0. Anywhere, also in a signal handler that interrupted it; takes no lock and makes no system call. */
void prof_ring_add(struct prof_thread *t, uint32_t kind, const void *what, uint64_t start, uint64_t duration,
                   uint64_t item, uint32_t value);

/* The same of a frame of the thread that has ended, whose start prof_resume() may have moved: it is told from when it
 * really began, so that it lies around what it called. `item` is a task's; a call's span has the ticks there for which
 * the clock stood still in it. */
void prof_ring_add_frame(struct prof_thread *t, uint32_t kind, const struct fmt_rec_edge *edge, uint64_t start,
                         uint64_t duration, uint64_t item, uint32_t value);

/* The thread's open frames were moved forward by `ticks`, for which its clock stood still until `until`. In a slow
 * section. */
void prof_ring_stood_still(struct prof_thread *t, uint64_t until, uint64_t ticks);

/* Adds a call that took at least header.timeline_min, unless it is a task's frame: a task's span has more to it. Called
 * by the hooks. Anywhere. */
void prof_ring_call(struct prof_thread *t, const struct fmt_rec_edge *edge, uint64_t start, uint64_t duration);

/* Takes all spans off. The ring is nobody else's meanwhile; its thread begins with the first place again. */
void prof_ring_clear(struct fmt_rec_ring *ring);

/* The edge that stands for `edge` in the tree that a thread's is folded into, or 0. */
typedef uint64_t (*prof_ring_edge_fn)(void *data, uint64_t edge);

/* Copies the spans of an ended thread to those of the folded threads, oldest first, and gives the ring back for later
 * threads. Under threads_lock. */
void prof_ring_merge(struct fmt_rec_thread *target, struct fmt_rec_thread *source, prof_ring_edge_fn map, void *data);

#endif
