/*
 * Times on a command line.
 */
#ifndef CALLSIG_CLI_COMMON_SECONDS_H
#define CALLSIG_CLI_COMMON_SECONDS_H

#include <stdbool.h>
#include <stdint.h>

/* A number with a unit (ns, us, ms, s), or of seconds without one, as in 10, 0.5, 500ms or 10s; up to 1000000 seconds.
 * False when `text` is none. */
bool cli_seconds_read(const char *text, uint64_t *ns);

#endif
