/*
 * How far the times of rows may be off, where not every call was timed (docs/times.md), or where they are those of
 * samples of a run beside (docs/beside.md).
 */
#ifndef CALLSIG_OUTPUT_STATS_ROW_ERRORS_H
#define CALLSIG_OUTPUT_STATS_ROW_ERRORS_H

#include "output/stats/rows.h"

/* Of one row: the half widths of the intervals that hold its times with 95 %, in ticks of the grouping. NAN: too few
 * calls of some edge were timed to tell. */
struct out_row_error {
  double own, cumulative;
  double drawn_own, drawn_cumulative; /* by what was drawn alone: without what is not known of hooks */
  uint64_t untimed;                   /* calls that count with a time of others */
  bool is_uncertain;                  /* a half width is unknown, or larger than the time that it belongs to */
};

/* By row, allocated with malloc(); the rows have been built. NULL when memory is short. */
struct out_row_error *out_row_errors_make(const struct out_profile *profile, const struct out_grouping *grouping,
                                          const struct out_rows *rows);

/* Were some calls of the profile not timed, or may be, or are times those of samples? */
static inline bool out_row_errors_known(const struct out_profile *profile)
{
  return profile->samplings.count > 0 || profile->sampled_runs.count > 0;
}

#endif
