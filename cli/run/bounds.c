/* Which part of the call tree is recorded. */
#include "cli/run/bounds.h"

#include <stdio.h>

#include "cli/common/subcommand.h"

const char *cli_bounds_below(const struct callsig_stats_filter *filter, bool beside)
{
  return filter->below != NULL && !beside ? filter->below : cli_environment("CALLSIG_BELOW");
}

bool cli_bounds_are_set(const struct callsig_stats_filter *filter)
{
  return filter->depth > 0 || cli_environment("CALLSIG_DEPTH") != NULL || cli_bounds_below(filter, false) != NULL;
}

int cli_bounds_set(const struct callsig_stats_filter *filter, bool beside)
{
  char depth[24];
  if (beside)
    return 0;
  snprintf(depth, sizeof depth, "%zu", (size_t)filter->depth);
  const int error = cli_environment_set("CALLSIG_BELOW", filter->below);
  return error == 0 ? cli_environment_set("CALLSIG_DEPTH", filter->depth > 0 ? depth : NULL) : error;
}
