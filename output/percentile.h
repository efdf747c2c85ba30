/*
 * Percentiles of the times of each row's calls, from the histograms that the recordings kept.
 */
#ifndef CALLSIG_OUTPUT_PERCENTILE_H
#define CALLSIG_OUTPUT_PERCENTILE_H

#include "rows.h"

enum { CS_P50, CS_P90, CS_P99, CS_PERCENTILES };

/* Of one row, in ticks of the grouping; NAN where a histogram is missing for some of its calls. */
struct cs_percentiles {
  double value[CS_PERCENTILES];
};

/* By row, allocated with malloc(): the value at rank min(n * p, n - 1) of the row's n calls that ended, in ascending
 * order, counted from 0. It is the middle of a bucket: at most 2^-(sub_bits + 1) of the value away. NULL when memory is
 * short. */
struct cs_percentiles *cs_percentiles_make(const struct cs_profile *profile, const struct cs_grouping *grouping,
                                           struct cs_rows *rows);

/* Does any recording of the profile have histograms of calls? */
static inline bool cs_percentiles_known(const struct cs_profile *profile)
{
  return profile->times.count > 0;
}

#endif
