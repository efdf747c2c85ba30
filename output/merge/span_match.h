/*
 * Is a span of the timeline a call that an object's filters select? And which one it is, in words.
 */
#ifndef CALLSIG_OUTPUT_MERGE_SPAN_MATCH_H
#define CALLSIG_OUTPUT_MERGE_SPAN_MATCH_H

#include "output/stats/stats_object.h"
#include "output/text/text.h"

enum out_span_found { OUT_SPAN_GONE, OUT_SPAN_OTHER, OUT_SPAN_SELECTED };

/* Looks for the call or task of the recording of an object that is grouped by signature that began at `start` and took
 * `duration` ticks: it is not among the spans that were loaded, it is not selected, or it is, and
 * "server.c:12(parse(n=5000)) took 0.062134 s" is appended to `what`. A negative errno after a message. */
int out_span_match(struct callsig_stats *stats, uint64_t start, uint64_t duration, struct out_text *what);

/* From now on the object's first recording is that of the file `path`, which was written for the call that `what` tells
 * of: dumps and notes say so. 0 or -ENOMEM. */
int out_stats_set_trigger(struct callsig_stats *stats, const char *path, const char *what);

#endif
