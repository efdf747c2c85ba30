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

/* A number with so many decimals, or a share as a percentage with one, between two texts. */
void out_put_number(struct out_text *text, const char *before, double value, int decimals, const char *behind);
void out_put_percent(struct out_text *text, const char *before, double share, const char *behind);

/* "    Average task time: 0.0123s" and the line's end. Of nothing it is not known. */
void out_put_mean(struct out_text *text, const char *what, bool known, double seconds);

/* The heading of a further part. */
void out_put_part_heading(struct out_text *text, const char *heading);

/* "50.0ms a task, the others 20.0ms: 2.5 times as long, in 7 of 8 parts of the time", and the line's end. Of a time
 * with too few tasks in each of its parts to tell, there is nothing of parts. */
void out_put_slower(struct out_text *text, double mean, const char *who, double others, unsigned slowest,
                    unsigned parts);

/* What the program counted by itself, if anything. */
void out_put_counters(struct out_text *text, const struct callsig_pipeline *pipeline);
/* How often each event happened, and how long spans lasted. */
void out_put_events(struct out_text *text, const struct callsig_pipeline *pipeline);

#endif
