/* Tells by /proc whether a process executed a program meanwhile. */
#include "cli/attach/executed.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct cli_executed cli_executed_read(pid_t pid)
{
  struct cli_executed executed = {0};
  struct stat status;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
  if (stat(path, &status) != 0)
    return executed;
  snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
  FILE *file = fopen(path, "re");
  size_t count = file != NULL ? fread(executed.vector, 1, sizeof executed.vector, file) : 0;
  if (file != NULL)
    fclose(file);
  if (count == 0)
    return (struct cli_executed){0};
  executed.device = status.st_dev;
  executed.inode = status.st_ino;
  return executed;
}

bool cli_executed_since(pid_t pid, const struct cli_executed *before)
{
  const struct cli_executed now = cli_executed_read(pid);
  return before->inode != 0 && now.inode != 0 && memcmp(&now, before, sizeof now) != 0;
}
