/*
 * How evenly the processes, or the ranks, of a job share the time of each row: the rows that differ in their process
 * (or rank) alone, put together.
 */
#ifndef CALLSIG_OUTPUT_SPREAD_H
#define CALLSIG_OUTPUT_SPREAD_H

#include "object.h"

/* Of one time, in ticks of the grouping. A process without such calls has spent 0. */
struct cs_spread_time {
  uint64_t min, max;
  double mean;
  uint32_t slowest; /* the row with `max`, the first one in the order of processes or ranks */
};

struct cs_spread {
  uint32_t row; /* one of the rows that were put together: its key but for process and rank is theirs */
  struct cs_spread_time own, cumulative;
};

struct cs_spreads {
  struct cs_vector list; /* struct cs_spread, in the order in which rows of theirs come first */
  uint32_t count;        /* of the processes, or ranks */
  bool of_ranks;
};

/* Puts the listed rows together, for rows by process or rank; none when they are by neither. Times that processes
 * without a rank spent are left out where others have one. 0 or -ENOMEM. Free with cs_spreads_free(). */
int cs_spreads_make(const struct callsig_stats *stats, const uint32_t *rows, uint32_t count,
                    struct cs_spreads *spreads);
void cs_spreads_free(struct cs_spreads *spreads);

/* The largest by the mean: 1 when all spent as much. 0 when none spent any time. */
static inline double cs_spread_imbalance(const struct cs_spread_time *time)
{
  return time->mean > 0 ? (double)time->max / time->mean : 0;
}

#endif
