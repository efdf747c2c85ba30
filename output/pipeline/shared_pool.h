/*
 * Threads that run tasks of several pipelines: a pool that these share, and that may bound each of them.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_SHARED_POOL_H
#define CALLSIG_OUTPUT_PIPELINE_SHARED_POOL_H

#include "output/pipeline/bottleneck.h"

/* Fills the pool of a pipeline whose stages begin at a number, and `pooled` of the views. 0 or -ENOMEM. */
int out_shared_pool_find(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck,
                         uint32_t first_stage);

/* Is it the pool that bounds the pipeline, since its threads are busy, and the stage that is busiest is run by it, or
 * is not busy enough itself? */
bool out_shared_pool_bounds(const struct out_bottleneck *bottleneck);

/* "the pool of 4 threads that it shares with pipeline 1 bounds it: ...". */
void out_put_shared_pool(struct out_text *text, const struct out_bottleneck *bottleneck);

#endif
