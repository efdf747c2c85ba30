/* How a run's calls are timed, as its command line says it. */
#ifndef CALLSIG_CLI_RUN_TIMING_H
#define CALLSIG_CLI_RUN_TIMING_H

#include "cli/common/subcommand.h"

/* The values of the options of these names; NULL: not given. */
struct cli_timing {
  const char *times, *overhead, *clock, *timeline;
};

/* Is all of it something, and together? Returns an exit status, after a message. */
int cli_timing_check(const struct cli_command *command, const struct cli_timing *timing);

/* Are some calls not timed, by what passes? What the command line does not say, the caller's environment may, which the
 * program sees as well. */
bool cli_timing_leaves_out(const struct cli_timing *timing);

/* Reads the interval of --db, in seconds: 0 after a usage message. */
double cli_interval_read(const struct cli_command *command, const char *text);

#endif
