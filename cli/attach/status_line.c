/* Takes a line of /proc/PID/status apart. */
#include "cli/attach/status_line.h"

#include <stdlib.h>
#include <string.h>

bool cli_status_line(const char *line, const char *name, int base, uint64_t *numbers, unsigned count)
{
  size_t length = strlen(name);
  if (strncmp(line, name, length) != 0 || line[length] != ':')
    return false;
  const char *next = line + length + 1;
  for (unsigned i = 0; i < count; i++) {
    char *end;
    uint64_t number = strtoull(next, &end, base);
    if (end == next)
      return i > 0;
    numbers[i] = number;
    next = end;
  }
  return true;
}
