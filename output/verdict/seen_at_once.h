/*
 * Whether more tasks of a stage at once take no longer, as far as the recording shows it.
 *
 * Tasks that need one thing in turn, a lock, a device, or a place under a limit on their rate, end no sooner after one
 * another than each has it, whatever they do besides. So a stage whose tasks often ended shortly after one another, and
 * took the same time all the same, can do as many in a time as that: docs/pipeline-statistics.md. A stage that did one
 * at a time shows nothing. Of what tasks wait for inside (connections, channels of a device, what another process
 * reads) there may be just as many as were in use, which shows in no recording: of tasks that wait, no more than were
 * at work at once are known to be possible.
 */
#ifndef CALLSIG_OUTPUT_VERDICT_SEEN_AT_ONCE_H
#define CALLSIG_OUTPUT_VERDICT_SEEN_AT_ONCE_H

#include "output/verdict/pipeline_model.h"

/* Fills `divides`, `counted` and `most` of a station of stages, of which all else is known. `window` is seconds. */
void out_seen_at_once(const struct callsig_pipeline *pipeline, double window, struct out_model_station *station);

#endif
