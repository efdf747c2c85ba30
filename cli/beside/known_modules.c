/* Attributes samples to the functions of the files that a recording has rows of. */
#include "cli/beside/known_modules.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "cli/beside/attribution.h"

/* The files whose functions have rows. */
struct known_modules {
  struct callsig_stats *stats; /* by module */
  char program[PATH_MAX];      /* what was sampled, its path resolved */
};

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Another build's libraries may lie elsewhere. Files that have no rows are not read: debug information of libc may be
 * large, or far away. */
static bool is_known(const char *module, void *data)
{
  const struct known_modules *known = data;
  if (strcmp(module, known->program) == 0)
    return true;
  for (size_t i = 0; i < callsig_stats_row_count(known->stats); i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    if (callsig_stats_row(known->stats, i, &row) == 0 && row.module != NULL &&
        strcmp(base_name(row.module), base_name(module)) == 0)
      return true;
  }
  return false;
}

int cli_attribute_known(const struct cli_samples *samples, const char *program, const char *output,
                        struct base_vector *places)
{
  struct known_modules known = {0};
  if (realpath(program, known.program) == NULL)
    known.program[0] = '\0';
  int error = callsig_stats_load(output, &known.stats);
  if (error == 0)
    error = callsig_stats_group(known.stats, CALLSIG_BY_MODULE);
  if (error == 0)
    error = cli_attribute(samples, is_known, &known, places);
  callsig_stats_free(known.stats);
  return error;
}
