/*
 * What stages wait for that no queue in a row of stages says: items of a ring that are too few, and what is not told.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_OUTSIDE_WAITS_H
#define CALLSIG_OUTPUT_PIPELINE_OUTSIDE_WAITS_H

#include "output/pipeline/bottleneck.h"

/* Of a stage's time: so much waiting of which nothing is told makes it unknown what bounds the pipeline, and what would
 * help. */
#define OUT_UNTOLD 0.25

/* The seconds, at most `all`, that a stage's threads were there to work: those that never had a task were not seen, and
 * what one waits for behind its last task may be a queue. */
double out_stage_presence(const struct callsig_pipeline *pipeline, const struct out_stage *stage, double all);

/* The queue of a ring of which the stages have all items at work nearly all the time, so that they wait for these:
 * where `waited`, also one that is empty most of the time and waited for. NULL: there is none. */
const struct callsig_queue_stats *out_ring_lacking(const struct callsig_pipeline *pipeline,
                                                   const struct out_bottleneck *bottleneck, bool waited);

/* The stage whose threads wait longest between their tasks for what is not told, if that is long enough; `*share` gets
 * how much of their time. NULL: there is none. */
const struct out_stage_view *out_stage_untold(const struct callsig_pipeline *pipeline,
                                              const struct out_bottleneck *bottleneck, double *share);

/* By stage of the pipeline, a number that it shares with those to which a queue leads from it by any way: what is
 * handed on between others was not told. Free with free(). NULL: memory is short. */
uint32_t *out_stages_parts(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck);

#endif
