/*
 * Watches what a run records for calls that a trigger is of, and writes a snapshot of the recording for each, while the
 * program runs on: of its own process, and of those that it starts. They have nothing to do for that: they keep a
 * timeline, whose newest spans are looked at.
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

/* Looks at all that processes have recorded whose recordings are about to be folded, from any thread. NULL is allowed.
 */
void cli_trigger_watch_settle(struct cli_trigger_watch *watch);

/* The program has ended, and its recordings still lie there: looks once more, and tells of what was missed. NULL is
 * allowed. */
void cli_trigger_watch_end(struct cli_trigger_watch *watch);

/* Says why a trigger was of no call, by these recordings, which have all that was recorded, and frees the watch, which
 * has ended and may be NULL. */
void cli_trigger_watch_tell(struct cli_trigger_watch *watch, char *const files[], unsigned count);

#endif
