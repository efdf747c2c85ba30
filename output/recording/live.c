/* Tells whether a recording is still being written: by what its process has mapped. */
#include "output/recording/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Whether a line of /proc/PID/maps, "ADDRESSES PERMISSIONS OFFSET MAJOR:MINOR INODE PATH", is of this file. */
static bool maps_file(const char *line, const struct stat *status)
{
  for (unsigned field = 0; field < 3 && line; field++) {
    line = strchr(line, ' ');
    line += line != NULL;
  }
  if (!line)
    return false;
  char *end;
  unsigned long major_number = strtoul(line, &end, 16);
  unsigned long minor_number = *end == ':' ? strtoul(end + 1, &end, 16) : 0;
  unsigned long long inode = strtoull(end, NULL, 10);
  return inode == status->st_ino && makedev((unsigned)major_number, (unsigned)minor_number) == status->st_dev;
}

bool out_recording_is_live(int file, unsigned pid)
{
  char path[32], line[256];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%u/maps", pid);
  FILE *maps = fstat(file, &status) == 0 ? fopen(path, "re") : NULL;
  bool live = false;
  while (maps && !live && fgets(line, sizeof line, maps))
    live = maps_file(line, &status);
  if (maps)
    fclose(maps);
  return live;
}
