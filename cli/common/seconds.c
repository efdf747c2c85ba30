/* Reads times on a command line. */
#include "cli/common/seconds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 1e6

bool cli_seconds_read(const char *text, uint64_t *ns)
{
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  const char *unit = text + strspn(text, "0123456789.");
  char *end;
  const double number = strtod(text, &end);
  if (unit == text || end != unit)
    return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(unit, units[i].name) != 0)
      continue;
    const double seconds = number * units[i].seconds;
    *ns = seconds <= LONGEST ? (uint64_t)llround(seconds * 1e9) : 0;
    return seconds <= LONGEST && (*ns > 0 || number == 0);
  }
  return false;
}
