/* Reads the path of a line of /proc/PID/maps. */
#include "cli/common/maps_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_maps_line_path(pid_t pid, const char *line, char path[PATH_MAX])
{
  const char *listed = strchr(line, '/');
  const size_t length = listed != NULL ? strcspn(listed, "\n") : PATH_MAX;
  if (length >= PATH_MAX)
    return false;
  memcpy(path, listed, length);
  path[length] = '\0';
  if (strchr(path, '\\') == NULL)
    return true;
  char link[96], read[PATH_MAX], *behind;
  const unsigned long start = strtoul(line, &behind, 16);
  snprintf(link, sizeof link, "/proc/%ld/map_files/%lx-%lx", (long)pid, start, strtoul(behind + 1, NULL, 16));
  const ssize_t told = readlink(link, read, sizeof read - 1);
  if (told > 0) {
    memcpy(path, read, (size_t)told);
    path[told] = '\0';
  }
  return true;
}
