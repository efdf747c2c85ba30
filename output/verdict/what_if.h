/*
 * Settings that somebody asks for, as text: "resize=4,queue:frames=64".
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_WHAT_IF_H
#define CALLSIG_OUTPUT_PIPELINE_WHAT_IF_H

#include "output/pipeline/pipeline.h"

/* Adds a struct out_change for each stage and queue that is meant, in whichever pipelines. 0, -ENOMEM, or -EINVAL for
 * what is no setting, or none of this recording; after a message. */
int out_what_if_read(const struct callsig_pipeline *pipeline, const char *settings, struct base_vector *asked);

#endif
