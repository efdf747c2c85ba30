/*
 * How much of the times of rows threads slept: they waited for input, a lock, another thread or for time to pass. The
 * rest of a time was computed. docs/times.md.
 */
#ifndef CALLSIG_OUTPUT_STATS_ROW_SLEEP_H
#define CALLSIG_OUTPUT_STATS_ROW_SLEEP_H

#include "callsig/stats.h"
#include "output/stats/rows.h"

/* Of one row, in ticks of the grouping: what of its own time and of its time with callees threads slept, no more than
 * that time is, and by how much that may be off. NAN: not known. */
struct out_row_sleep {
  double own, cumulative;
  double own_error, cumulative_error;
};

/* May a time be off by nine tenths of it or more? Then next to nothing is known of what part of it threads waited: of
 * the calls that tell, a part as small is no reason to print the rest as computed. */
static inline bool out_sleep_is_open(double error, uint64_t time)
{
  return time > 0 && error >= 0.9 * (double)time;
}

/* Of all rows together, in ticks of the grouping: what threads slept, as far as it is known, and the own time of calls
 * of which no recording tells. Added up call by call, so that it is the same by whatever calls are grouped: of a row,
 * all of what such calls took may be off. */
struct out_sleep_total {
  double slept, untold;
};

/* By row, into `*list`, allocated with malloc(), of own times, and into `*total`; the rows have been built. NULL there
 * where no recording tells. 0 or -ENOMEM. */
int out_row_sleep_make(const struct out_profile *profile, const struct out_grouping *grouping,
                       const struct out_rows *rows, struct out_row_sleep **list, struct out_sleep_total *total);

/* Adds what threads slept of times with callees, which takes long and few ask for, to such a list. 0 or -ENOMEM: then
 * the list is as it was. */
int out_row_sleep_inclusive(struct out_profile *profile, const struct out_grouping *grouping,
                            const struct out_rows *rows, struct out_row_sleep *list);

/*
 * Puts the rows of `stats->order`, whose rows have been built and which knows what threads slept, behind the others
 * that have no calls but those of threads that sleep: workers without work, whose times are those of nobody's waiting
 * for them. Such a thread did nothing but sleep for all but a hundredth of its time, as the recording tells, and is not
 * the first one of its process, nor of processes that were made one.
 *
 * Where it did a hundredth of what all threads of its recording computed nevertheless, as those of a server with little
 * to do, its rows are among the others whose calls computed for most of their time, callees included.
 *
 * Rows stay in order otherwise. Tells in `stats->has_asleep` whether any are behind. 0 or -ENOMEM.
 */
int out_row_sleep_last(struct callsig_stats *stats);

#endif
