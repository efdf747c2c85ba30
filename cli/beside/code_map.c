/* Keeps the mappings of code of one process. */
#include "cli/beside/code_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_code_map_add(struct cli_code_map *map, const struct cli_mapping *mapping)
{
  struct cli_mapping *added = base_vector_add(&map->mappings, 1);
  if (added == NULL)
    return -ENOMEM;
  *added = *mapping;
  return 0;
}

void cli_code_map_clear(struct cli_code_map *map)
{
  map->mappings.count = 0;
}

int cli_code_map_read(struct cli_code_map *map, struct base_strings *strings, pid_t pid)
{
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
  FILE *file = fopen(name, "re");
  if (file == NULL)
    return -errno;
  cli_code_map_clear(map);
  char *line = NULL;
  size_t room = 0;
  int error = 0;
  while (error == 0 && getline(&line, &room, file) > 0) {
    struct cli_mapping mapping = {0};
    char rights[5];
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &mapping.start, &mapping.end, rights,
               &mapping.offset, &path) < 4 ||
        path == 0 || rights[2] != 'x')
      continue;
    line[strcspn(line, "\n")] = '\0';
    if (cli_code_map_is_file(line + path))
      error = base_strings_add(strings, line + path, &mapping.module);
    if (error == 0)
      error = cli_code_map_add(map, &mapping);
  }
  free(line);
  fclose(file);
  return error;
}

const struct cli_mapping *cli_code_map_find(const struct cli_code_map *map, uint64_t address)
{
  for (uint32_t i = map->mappings.count; i-- > 0;) {
    const struct cli_mapping *mapping = base_vector_at(&map->mappings, i);
    if (mapping->start <= address && address < mapping->end)
      return mapping;
  }
  return NULL;
}

void cli_code_map_free(struct cli_code_map *map)
{
  base_vector_free(&map->mappings);
}
