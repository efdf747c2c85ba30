/* What the kernel tells of a process whose recording may still be written. */
#include "output/recording/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_LINE_MOST = 4096 };

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

/* The beginning of a file of /proc about a thread, as text. */
static bool read_thread_file(unsigned pid, unsigned tid, const char *name, char *text, size_t size)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/task/%u/%s", pid, tid, name);
  FILE *file = fopen(path, "re");
  const size_t length = file ? fread(text, 1, size - 1, file) : 0;
  text[length] = '\0';
  if (file)
    fclose(file);
  return length > 0;
}

/* When the thread began, in ns since the machine did: field 22 of its stat, which counts from the name's end on, as the
 * name may hold anything. 0: not told. */
static uint64_t begun_at(char *stat)
{
  const long frequency = sysconf(_SC_CLK_TCK);
  char *rest = strrchr(stat, ')');
  for (unsigned field = 2; field < 22 && rest; field++) {
    rest = strchr(rest, ' ');
    rest += rest != NULL;
  }
  return rest && frequency > 0 ? strtoull(rest, NULL, 10) * (1000000000u / (unsigned long)frequency) : 0;
}

bool out_recording_thread_life(unsigned pid, unsigned tid, struct out_thread_life *life)
{
  char text[1024];
  struct timespec now;
  if (!read_thread_file(pid, tid, "stat", text, sizeof text) || clock_gettime(CLOCK_BOOTTIME, &now) < 0)
    return false;
  const uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, begun = begun_at(text);
  if (begun == 0 || !read_thread_file(pid, tid, "schedstat", text, sizeof text))
    return false;
  char *rest;
  const uint64_t ran = strtoull(text, &rest, 10), queued = strtoull(rest, NULL, 10);
  if (ran == 0)
    return false; /* the kernel keeps no account */
  const uint64_t age = now_ns > begun ? now_ns - begun : 0;
  *life = (struct out_thread_life){.awake = ran + queued, .asleep = age > ran + queued ? age - ran - queued : 0};
  return true;
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

char *out_recording_command_line(unsigned pid, size_t *size)
{
  char path[32], text[COMMAND_LINE_MOST];
  snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
  FILE *file = fopen(path, "re");
  size_t length = file ? fread(text, 1, sizeof text, file) : 0;
  if (file)
    fclose(file);
  while (length > 1 && text[length - 1] == '\0' && text[length - 2] == '\0')
    length--;
  char *copy = length > 0 && text[0] ? malloc(length) : NULL;
  if (copy)
    memcpy(copy, text, length);
  *size = length;
  return copy;
}
