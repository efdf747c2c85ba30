/*
 * Why triggers were of no call: what a user asks who finds no snapshot.
 */
#ifndef CALLSIG_CLI_RUN_TRIGGER_SILENCE_H
#define CALLSIG_CLI_RUN_TRIGGER_SILENCE_H

#include "cli/run/trigger.h"

/* Says of each of the triggers whose bit is in `silent` what these recordings, which have all that was recorded, tell
 * of its calls: that there are none, or how long the longest took. `is_full`: there were as many snapshots as may be,
 * and later calls were not looked at. */
void cli_triggers_tell_silent(const struct cli_triggers *triggers, uint32_t silent, bool is_full, char *const files[],
                              unsigned count);

#endif
