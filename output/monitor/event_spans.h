/*
 * Events that begin and end spans.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_EVENT_SPANS_H
#define CALLSIG_OUTPUT_MONITOR_EVENT_SPANS_H

#include "output/pipeline/course.h"

/* Makes one band of two events, NAME_start and the first NAME_stop behind it, first come, first ended; the others stay.
 * Bands are by time. 0 or -ENOMEM. */
int out_event_spans(struct out_course *course);

#endif
