/* Attributes samples to the functions of the files that a recording has rows of. */
#include "cli/beside/known_modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "cli/beside/attribution.h"
#include "cli/common/subcommand.h"

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static int add_name(struct cli_known_modules *known, const char *path)
{
  char **added = base_vector_add(&known->names, 1);
  if (added != NULL && (*added = strdup(base_name(path))) != NULL)
    return 0;
  cli_error("run: out of memory");
  return -ENOMEM;
}

int cli_known_modules_read(struct cli_known_modules *known, const char *program, const char *output)
{
  struct callsig_stats *stats = NULL;
  *known = (struct cli_known_modules){.names = BASE_VECTOR_OF(char *)};
  if (realpath(program, known->program) == NULL)
    known->program[0] = '\0';
  int error = callsig_stats_load(output, &stats);
  if (error == 0)
    error = callsig_stats_group(stats, CALLSIG_BY_MODULE);
  for (size_t i = 0; error == 0 && i < callsig_stats_row_count(stats); i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    if (callsig_stats_row(stats, i, &row) == 0 && row.module != NULL)
      error = add_name(known, row.module);
  }
  callsig_stats_free(stats);
  return error;
}

void cli_known_modules_free(struct cli_known_modules *known)
{
  for (uint32_t i = 0; i < known->names.count; i++)
    free(*(char **)base_vector_at(&known->names, i));
  base_vector_free(&known->names);
}

/* Files that have no rows are not read: debug information of libc may be large, or far away. */
bool cli_is_known_module(const char *path, void *data)
{
  const struct cli_known_modules *known = data;
  if (strcmp(path, known->program) == 0)
    return true;
  for (uint32_t i = 0; i < known->names.count; i++)
    if (strcmp(*(char *const *)base_vector_at(&known->names, i), base_name(path)) == 0)
      return true;
  return false;
}

int cli_attribute_known(const struct cli_samples *samples, struct cli_known_modules *known, struct base_vector *places)
{
  return cli_attribute(samples, cli_is_known_module, known, places);
}
