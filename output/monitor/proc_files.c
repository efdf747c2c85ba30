/* Reads the files of a process in /proc. */
#include "output/monitor/proc_files.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool out_proc_read(const char *path, char *text, size_t size)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  size_t length = 0;
  for (ssize_t got; length < size - 1 && (got = read(file, text + length, size - 1 - length)) > 0;)
    length += (size_t)got;
  close(file);
  text[length] = '\0';
  return length > 0;
}

unsigned long long out_proc_field(const char *text, const char *name)
{
  size_t length = strlen(name);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, length) == 0 && line[length] == ':')
      return strtoull(line + length + 1, NULL, 10);
    if (*line == '\0')
      break;
  }
  return UINT64_MAX;
}

/* Fields of /proc/PID/stat behind the name, as proc(5) numbers them less 4: the state is before the first. */
enum {
  STAT_PARENT = 4 - 4,
  STAT_MINOR_FAULTS = 10 - 4,
  STAT_MAJOR_FAULTS = 12 - 4,
  STAT_USER = 14 - 4,
  STAT_SYSTEM = 15 - 4,
  STAT_THREADS = 20 - 4,
  STAT_BIRTH = 22 - 4,
  STAT_RESIDENT = 24 - 4,
  STAT_FIELDS
};

bool out_proc_stat(unsigned pid, struct out_proc_stat *stat)
{
  char path[64], text[1024];
  unsigned long long fields[STAT_FIELDS];
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  /* The name in parentheses may hold anything. */
  const bool readable = out_proc_read(path, text, sizeof text);
  const char *name = readable ? strchr(text, '(') : NULL, *end = name ? strrchr(text, ')') : NULL;
  if (!end || end < name || end[1] != ' ' || end[2] == '\0')
    return false;
  const char state = end[2];
  const char *at = end + 3;
  for (unsigned i = 0; i < STAT_FIELDS; i++) {
    char *behind;
    fields[i] = strtoull(at, &behind, 10);
    if (behind == at)
      return false;
    at = behind;
  }
  const double tick = (double)sysconf(_SC_CLK_TCK);
  *stat = (struct out_proc_stat){
      .alive = state != 'Z' && state != 'X',
      .ppid = (unsigned)fields[STAT_PARENT],
      .minor_faults = fields[STAT_MINOR_FAULTS],
      .major_faults = fields[STAT_MAJOR_FAULTS],
      .threads = fields[STAT_THREADS],
      .birth = fields[STAT_BIRTH],
      .resident_bytes = fields[STAT_RESIDENT] * (unsigned long long)sysconf(_SC_PAGESIZE),
      .user_time = (double)fields[STAT_USER] / tick,
      .system_time = (double)fields[STAT_SYSTEM] / tick,
  };
  snprintf(stat->name, sizeof stat->name, "%.*s", (int)(end - name - 1), name + 1);
  return true;
}
