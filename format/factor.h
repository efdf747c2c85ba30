/*
 * How many times its own time a program may take, as people write it, read by the command and by the runtime alike.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_FACTOR_H
#define CALLSIG_FORMAT_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

/* What one time the program's own is in parts, and the most that can be said. */
#define FMT_FACTOR_ONE  UINT32_C(1024)
#define FMT_FACTOR_MOST UINT32_C(1000000)

/* A decimal number above 1, as 1.5 or 3, in parts; to the nearest part, and at least one above 1. False when `text` is
 * none, or above FMT_FACTOR_MOST. */
static inline bool fmt_factor_parse(const char *text, uint32_t *parts)
{
  uint64_t value = 0, fraction = 0, unit = 1;
  const char *next = text;
  while (*next >= '0' && *next <= '9' && value <= FMT_FACTOR_MOST)
    value = value * 10 + (uint64_t)(*next++ - '0');
  if (next == text || value > FMT_FACTOR_MOST)
    return false;
  if (*next == '.') {
    const char *digits = ++next;
    for (; *next >= '0' && *next <= '9'; next++) {
      if (unit < UINT64_C(1000000000)) {
        fraction = fraction * 10 + (uint64_t)(*next - '0');
        unit *= 10;
      }
    }
    if (next == digits)
      return false;
  }
  uint64_t all = value * FMT_FACTOR_ONE + (fraction * FMT_FACTOR_ONE + unit / 2) / unit;
  bool is_above = value > 1 || (value == 1 && fraction > 0);
  *parts = all > FMT_FACTOR_ONE ? (uint32_t)all : FMT_FACTOR_ONE + 1;
  return *next == '\0' && is_above && all <= (uint64_t)FMT_FACTOR_MOST * FMT_FACTOR_ONE;
}

#endif
