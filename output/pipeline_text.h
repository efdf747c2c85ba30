/*
 * What summaries of pipelines are written with.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_TEXT_H
#define CALLSIG_OUTPUT_PIPELINE_TEXT_H

#include "text.h"

/* The heading, up to the line under "Task Statistics"; and the one of queues. */
void cs_put_heading(struct cs_text *text);
void cs_put_queue_heading(struct cs_text *text);

/* A number with so many decimals, or a share as a percentage with one, between two texts. */
void cs_put_number(struct cs_text *text, const char *before, double value, int decimals, const char *behind);
void cs_put_percent(struct cs_text *text, const char *before, double share, const char *behind);

#endif
