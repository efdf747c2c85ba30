/*
 * Queues by which what a pipeline has done with comes back to where it began: free lists of blocks, credits, tokens.
 *
 * Such a queue closes a ring: what takes from it is, by other queues, before what puts into it. The items that go round
 * were put into it by something else, and are as many as it was given before.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_RINGS_H
#define CALLSIG_OUTPUT_PIPELINE_RINGS_H

#include "output/pipeline/pipeline.h"

/* Fills `ring` of a pipeline's queues. Stages and queues are sorted, and links refer to them. Rings of more than 64
 * stages or queues, or 4096 links, are not looked for. */
void out_rings_find(struct callsig_pipeline *pipeline);

/* The items that go round by a queue; 0: it closes no ring. */
static inline double out_ring_items(const struct callsig_queue_stats *queue)
{
  return ((const struct out_queue *)queue)->ring;
}

#endif
