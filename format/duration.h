/*
 * Durations as people write them, read by the command and by the runtime alike.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_DURATION_H
#define CALLSIG_FORMAT_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* What the timeline takes when it is asked for without a duration. */
#define FMT_TIMELINE_DEFAULT "100us"

/* A whole number with a unit (ns, us, ms or s), or 0, in nanoseconds. False when `text` is none, or longer than a
 * day. */
static inline bool fmt_duration_parse(const char *text, uint64_t *ns)
{
  static const struct {
    char letter;
    uint64_t ns;
  } units[] = {{'n', 1}, {'u', 1000}, {'m', 1000000}, {'s', 1000000000}};
  const uint64_t day = UINT64_C(86400) * 1000000000;
  uint64_t value = 0, unit = 0;
  const char *next = text;
  while (*next >= '0' && *next <= '9' && value <= day)
    value = value * 10 + (uint64_t)(*next++ - '0');
  if (next == text || value > day)
    return false;
  for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
    if (*next == units[i].letter)
      unit = units[i].ns;
  if (unit && *next++ != 's' && *next++ != 's')
    return false;
  *ns = value * unit;
  return *next == '\0' && (unit || value == 0) && (value == 0 || *ns / value == unit) && *ns <= day;
}

#endif
