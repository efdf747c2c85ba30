/*
 * Events: counted by name in the process.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_EVENT_H
#define CALLSIG_PROFILER_PIPELINE_EVENT_H

#include "format/recording.h"

/* Sets what was counted of all events to zero. Under stages_lock. */
void prof_events_clear(struct fmt_rec_header *header);

#endif
