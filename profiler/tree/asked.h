/*
 * What the calls of an edge asked the allocator for: records of the recording that outlast the thread, since others may
 * free what it asked for.
 */
#ifndef CALLSIG_PROFILER_TREE_ASKED_H
#define CALLSIG_PROFILER_TREE_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/tree/sampling.h"

/* The list of an edge that has FMT_EDGE_ASKS; NULL of another. Anywhere. */
static inline struct fmt_rec_asked_list *prof_edge_asked(const struct fmt_rec_edge *edge)
{
  if (!(edge->flags & FMT_EDGE_ASKS))
    return NULL;
  const uintptr_t at = edge->flags & FMT_EDGE_SAMPLED ? (uintptr_t)prof_edge_sampling(edge) : (uintptr_t)edge;
  return (struct fmt_rec_asked_list *)at - 1;
}

/* The record that calls of the edge count in now, made when it is new. NULL: the edge has no list, or there is no
 * space. By the edge's thread, in a slow section. */
struct fmt_rec_asked *prof_asked_record(const struct fmt_rec_edge *edge);

/* A call of the edge begins, which counts in the record that is returned until prof_asked_close(), also if a period
 * begins meanwhile. NULL: the edge has none yet. By the edge's thread, anywhere. */
struct fmt_rec_asked *prof_asked_open(const struct fmt_rec_asked_list *list);
void prof_asked_close(struct fmt_rec_asked *record);

/* Adds what `source`, an edge of a thread that has ended, counted to `target`, and takes its records. Those of which
 * all was given back are there to be used again. Under threads_lock. */
void prof_asked_move(struct fmt_rec_edge *target, struct fmt_rec_edge *source);

/* Sets what the edge's calls counted to zero: they count in another record from now on. Under threads_lock, by the
 * edge's thread unless that has ended. `is_asking`: calls between prof_asked_open() and prof_asked_close() may be under
 * way. */
void prof_asked_clear(const struct fmt_rec_edge *edge, bool is_asking);

#endif
