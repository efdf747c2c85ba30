/*
 * Histograms of times: struct fmt_rec_histogram, whose octaves are made when they are first needed.
 */
#ifndef CALLSIG_PROFILER_STACK_HISTOGRAM_H
#define CALLSIG_PROFILER_STACK_HISTOGRAM_H

#include "profiler/base/internal.h"

/* Of the histograms of calls: what a percentile says is within 1/16 of the call that it stands for. */
#define PROF_CALL_SUB_BITS 3u
/* Of tasks and of waits: within 1/64. */
#define PROF_TASK_SUB_BITS 5u

/* An empty histogram; its record belongs to the tree. In a slow section. NULL: no space. */
struct fmt_rec_histogram *prof_histogram_make(struct prof_tree *tree, uint32_t sub_bits);

/* Counts `value` once. In a slow section. False, and nothing is counted: no space. */
bool prof_histogram_add(struct prof_tree *tree, struct fmt_rec_histogram *histogram, uint64_t value);

/* Counts `value` once where there is space already; else false. Anywhere. */
bool prof_histogram_count(struct fmt_rec_histogram *histogram, uint64_t value);

/* Moves every count of `source` to the histogram that `*target` refers to, which is made when that is 0. Both are of
 * the same sub_bits, and of one writer while this runs. False: some found no space; they were added to *lost. */
bool prof_histogram_move(struct prof_tree *tree, uint64_t *target, struct fmt_rec_histogram *source, uint64_t *lost);

/* Sees to it that prof_histogram_call() finds space for some octaves. In a slow section. */
void prof_histogram_prepare(struct prof_thread *t);

/* Counts the time of a call of `edge`, which the calling thread ended, in the edge's histogram. A call that finds no
 * space is counted in FMT_LOSS_HISTOGRAM. Called by the hooks, while percentiles are recorded. Anywhere. */
void prof_histogram_call(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t ticks);

#endif
