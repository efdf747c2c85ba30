/*
 * Percentiles of the times of each row's calls, from the histograms that the recordings kept.
 */
#ifndef CALLSIG_OUTPUT_STATS_PERCENTILE_H
#define CALLSIG_OUTPUT_STATS_PERCENTILE_H

#include "output/stats/rows.h"

enum { OUT_P50, OUT_P90, OUT_P99, OUT_PERCENTILES };

/* Of one row, in ticks of the grouping; NAN where a histogram is missing for some of its calls. */
struct out_percentiles {
  double value[OUT_PERCENTILES];
};

/* By row, allocated with malloc(): the value at rank min(n * p, n - 1) of the row's n calls that ended, in ascending
 * order, counted from 0. It is the middle of a bucket: at most 2^-(sub_bits + 1) of the value away. NULL when memory is
 * short. */
struct out_percentiles *out_percentiles_make(const struct out_profile *profile, const struct out_grouping *grouping,
                                             struct out_rows *rows);

/* Does any recording of the profile have histograms of calls? */
static inline bool out_percentiles_known(const struct out_profile *profile)
{
  return profile->times.count > 0;
}

#endif
