/*
 * Watches what a run records for calls that a trigger is of, and writes a snapshot of the recording for each, while the
 * program runs on. The program has nothing to do for that: it keeps a timeline, whose newest spans are looked at.
 */
#ifndef CALLSIG_CLI_RUN_TRIGGER_WATCH_H
#define CALLSIG_CLI_RUN_TRIGGER_WATCH_H

#include "cli/run/recording_place.h"
#include "cli/run/trigger.h"

struct cli_trigger_watch;

/* Begins to watch; both must outlive it. Returns 0, also when there is no trigger (*watch is NULL then), or a negative
 * errno after a message. */
int cli_trigger_watch_begin(const struct cli_triggers *triggers, const struct cli_recording_place *place,
                            struct cli_trigger_watch **watch);

/* The program has ended, and its recording still lies there: looks once more, and tells of what was missed, and of
 * triggers that name nothing. NULL is allowed. */
void cli_trigger_watch_end(struct cli_trigger_watch *watch);

#endif
