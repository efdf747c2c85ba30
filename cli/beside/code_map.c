/* Keeps the mappings of code of one process. */
#include "cli/beside/code_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/maps_line.h"

#define RUNTIME "libcallsig.so"

bool cli_is_runtime(const char *path)
{
  const char *slash = strrchr(path, '/');
  return strncmp(slash != NULL ? slash + 1 : path, RUNTIME, sizeof RUNTIME - 1) == 0;
}

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

/* Reads "start-end rwxp offset device inode    path". Gives the path; NULL when it is no mapping of code. */
static const char *parse_code(const char *line, struct cli_mapping *mapping)
{
  char *next;
  mapping->start = strtoull(line, &next, 16);
  if (*next != '-')
    return NULL;
  mapping->end = strtoull(next + 1, &next, 16);
  if (strlen(next) < 6 || next[3] != 'x')
    return NULL;
  mapping->offset = strtoull(next + 5, &next, 16);
  /* The device and the inode. */
  for (unsigned field = 0; field < 2; field++) {
    next += strspn(next, " ");
    next += strcspn(next, " ");
  }
  return next + strspn(next, " ");
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
    line[strcspn(line, "\n")] = '\0';
    const char *path = parse_code(line, &mapping);
    if (path == NULL)
      continue;
    char whole[PATH_MAX];
    if (cli_code_map_is_module(path))
      error = base_strings_add(strings, cli_maps_line_path(pid, line, whole) ? whole : path, &mapping.module);
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
