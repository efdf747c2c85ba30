/*
 * What ranks of a parallel job spent in a function, or signature, each by itself: kept when their processes become one,
 * in a form in which those of any two sets of ranks can be put together, in any order, with the same result.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_RANK_ROWS_H
#define CALLSIG_OUTPUT_PROFILE_RANK_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/rank_rows.h"
#include "output/text/idset.h"

/* One row of one process that stands for the ranks of a program. */
struct out_rank_row {
  uint32_t process; /* of profile.recordings */
  uint32_t what;    /* a function's or signature's number */
  bool of_signature;
  uint32_t have;         /* ranks that made such calls; the others made none, which took no time */
  int64_t first_lacking; /* the lowest of the others; FMT_NO_RANK: there is none */
  struct fmt_rec_rank_value values[FMT_RANK_QUANTITIES];
};

/* The values of one rank. */
void out_rank_value_of(struct fmt_rec_rank_value *value, uint64_t amount, int64_t rank);

/* Over `ranks` ranks, of which the row's have the calls: NAN where the sums did not fit. */
double out_rank_value_mean(const struct fmt_rec_rank_value *value, uint32_t ranks);
double out_rank_value_deviation(const struct fmt_rec_rank_value *value, uint32_t ranks);

struct out_profile;

/* Puts together what is of processes that become one. By number of a process before: `process_of` what it will be;
 * `count` processes there were. The processes still have their ranks. 0 or -ENOMEM. */
int out_rank_rows_fold(struct out_profile *profile, const uint32_t *process_of, uint32_t count);

/* Makes the set by which rows are found. 0 or -ENOMEM. Free with out_idset_free(). */
int out_rank_rows_index(const struct out_profile *profile, struct out_idset *set);

/* The row of a function or signature in the process; NULL: there is none, or it is not known. */
const struct out_rank_row *out_rank_row_find(const struct out_profile *profile, const struct out_idset *set,
                                             uint32_t process, uint32_t what, bool of_signature);

#endif
