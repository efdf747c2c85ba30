/*
 * The rank of a process in a parallel job, read by the command and by the runtime alike.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_RANK_H
#define CALLSIG_FORMAT_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fmt_rank {
  const char *source; /* the variable that it was read from, static storage; NULL: the process has no rank */
  uint32_t number;
};

/* Decimal digits alone, at most nine of them. */
static inline bool fmt_rank_parse(const char *text, uint32_t *number)
{
  uint32_t value = 0;
  unsigned digits = 0;
  for (; text[digits] >= '0' && text[digits] <= '9' && digits < 10; digits++)
    value = value * 10 + (uint32_t)(text[digits] - '0');
  *number = value;
  return digits > 0 && digits < 10 && text[digits] == '\0';
}

/* The first of the variables of Open MPI, PMIx, PMI (MPICH, Intel MPI) and Slurm that `variable` finds and that is a
 * number. */
static inline struct fmt_rank fmt_rank_find(const char *(*variable)(const char *name))
{
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  struct fmt_rank rank = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names && !rank.source; i++) {
    const char *value = variable(names[i]);
    if (value && fmt_rank_parse(value, &rank.number))
      rank.source = names[i];
  }
  return rank;
}

/* Adds ".rankN" to the path in `path`, which has room for `size` bytes, unless it ends so already: ranks that are given
 * the same name then do not meet in one file. False: there is no room. */
static inline bool fmt_rank_name(const struct fmt_rank *rank, char *path, size_t size)
{
  char suffix[16] = ".rank";
  size_t length = 0, end = 0, tail = 5;
  if (!rank->source)
    return true;
  uint32_t scale = 1;
  while (rank->number / scale >= 10)
    scale *= 10;
  for (; scale; scale /= 10)
    suffix[tail++] = (char)('0' + rank->number / scale % 10);
  while (path[length])
    length++;
  while (end < tail && end < length && path[length - 1 - end] == suffix[tail - 1 - end])
    end++;
  if (end == tail)
    return true;
  if (length + tail >= size)
    return false;
  for (size_t i = 0; i <= tail; i++)
    path[length + i] = i < tail ? suffix[i] : '\0';
  return true;
}

#endif
