/* What the runtime is told that is loaded into a running program. */
#ifndef CALLSIG_CLI_ATTACH_SETTINGS_H
#define CALLSIG_CLI_ATTACH_SETTINGS_H

#include <stddef.h>

#include "cli/run/recording_place.h"

/* Makes the text of format/attach.h: this command's own variables that concern the runtime, and where it records.
 * Returns 0 with *text the caller's to free, or a negative errno after a message. */
int cli_attach_settings(const struct cli_recording_place *place, char **text, size_t *size);

#endif
