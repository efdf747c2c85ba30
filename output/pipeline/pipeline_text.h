/*
 * What summaries of pipelines are written with.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_PIPELINE_TEXT_H
#define CALLSIG_OUTPUT_PIPELINE_PIPELINE_TEXT_H

#include "output/pipeline/bottleneck.h"
#include "output/text/text.h"

/* The heading, up to the line under "Task Statistics"; and the one of queues. */
void out_put_heading(struct out_text *text);
void out_put_queue_heading(struct out_text *text);

/* What bounds the pipeline, in one sentence without an end: "0:1:decode bounds it: it works 99.0% of its time". */
void out_put_verdict(struct out_text *text, const struct out_bottleneck *bottleneck);

#endif
