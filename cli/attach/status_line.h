/* Numbers in the lines of /proc/PID/status. */
#ifndef CALLSIG_CLI_ATTACH_STATUS_LINE_H
#define CALLSIG_CLI_ATTACH_STATUS_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads `count` numbers, to the base 10 or 16, of a line that begins with `name` and a colon. False, and nothing is
 * read, when the line is another. */
bool cli_status_line(const char *line, const char *name, int base, uint64_t *numbers, unsigned count);

#endif
