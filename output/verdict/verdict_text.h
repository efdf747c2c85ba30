/*
 * The verdict on a pipeline in words.
 */
#ifndef CALLSIG_OUTPUT_VERDICT_VERDICT_TEXT_H
#define CALLSIG_OUTPUT_VERDICT_VERDICT_TEXT_H

#include "output/pipeline/bottleneck.h"
#include "output/text/text.h"

/* What bounds the pipeline, in one sentence without an end: "0:1:decode bounds it: it works 99.0% of its time". */
void out_put_verdict(struct out_text *text, const struct out_bottleneck *bottleneck);

#endif
