/*
 * The histograms of an edge's calls, as far as hooks count into them.
 */
#ifndef CALLSIG_PROFILER_STACK_HISTOGRAM_H
#define CALLSIG_PROFILER_STACK_HISTOGRAM_H

#include <stdint.h>

#include "format/recording.h"
#include "profiler/stack/thread.h"

/* Sees to it that prof_histogram_call() finds space for some octaves. In a slow section. */
void prof_histogram_prepare(struct prof_thread *t);

/* Counts the time of a call of `edge`, which the calling thread ended, in the edge's histogram. A call that finds no
 * space is counted in FMT_LOSS_HISTOGRAM. Called by the hooks, while percentiles are recorded. Anywhere. */
void prof_histogram_call(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t ticks);

#endif
