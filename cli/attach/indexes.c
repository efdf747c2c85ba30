/* Lists what is mapped, for the indexes. */
#include "cli/attach/indexes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/subcommand.h"
#include "cli/run/libraries.h"
#include "cli/run/prepare_indexes.h"

/* The libraries that are mapped, with the program itself. */
static int list_libraries(const struct cli_mappings *mappings, const char *image, struct cli_libraries *libraries)
{
  *libraries = (struct cli_libraries){.paths = calloc((size_t)mappings->list.count + 1, sizeof *libraries->paths)};
  if (libraries->paths == NULL)
    return -ENOMEM;
  for (uint32_t i = 0; i < mappings->list.count; i++) {
    const struct cli_memory_mapping *mapping = base_vector_at(&mappings->list, i);
    if (!mapping->executable || !cli_mapping_is_file(mapping) || strcmp(mapping->path, image) == 0)
      continue;
    char *path = strdup(mapping->path);
    if (path == NULL)
      return -ENOMEM;
    libraries->paths[libraries->count++] = path;
  }
  return 0;
}

int cli_attach_indexes(const struct cli_mappings *mappings, const struct cli_profiled_program *program)
{
  struct cli_libraries libraries;
  int error = list_libraries(mappings, program->image, &libraries);
  if (error < 0)
    cli_error("attach: out of memory");
  else
    error = cli_prepare_indexes(program, &libraries, cli_environment("CALLSIG_RULES"), false,
                                cli_environment("CALLSIG_BELOW"));
  cli_libraries_free(&libraries);
  return error;
}
