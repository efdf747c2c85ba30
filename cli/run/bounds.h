/* Which part of the call tree `callsig run` has recorded: that which its table shows. */
#ifndef CALLSIG_CLI_RUN_BOUNDS_H
#define CALLSIG_CLI_RUN_BOUNDS_H

#include <stdbool.h>

#include "callsig/stats.h"

/* The expression of functions below which calls are recorded, NULL: all are. `beside`: the times are put into the
 * recording from another run, which has no such part, and all is recorded. */
const char *cli_bounds_below(const struct callsig_stats_filter *filter, bool beside);
/* Is only a part recorded, without `beside`? */
bool cli_bounds_are_set(const struct callsig_stats_filter *filter);
/* Tells the program. 0 or a negative errno. */
int cli_bounds_set(const struct callsig_stats_filter *filter, bool beside);

#endif
