/*
 * What is known of the calls of one function, row by row: the numbers among their arguments, what else they differ by,
 * and their times.
 */
#ifndef CALLSIG_OUTPUT_SCALING_SAMPLES_H
#define CALLSIG_OUTPUT_SCALING_SAMPLES_H

#include "base/arena.h"
#include "base/vector.h"
#include "output/scaling/shown.h"
#include "output/stats/stats_object.h"

/* An argument that is a number in some row, or that takes several values of another kind. */
struct out_scaling_argument {
  const char *name; /* "n", "t.shape[0]", "product(t.shape)", "len(name)" */
  bool is_number;
  bool is_bucketed; /* some rows know a range, whose geometric middle stands for it */
  bool is_widened;  /* some rows know its type alone: the cardinality guard gave up its values */
  double *numbers;  /* by row; NAN: not known. Of a number */
  double *spread;   /* by row: the factor by which the value may be larger or smaller, 1 when it is exact */
  uint32_t *texts;  /* by row: a string of the profile, 0 for none. Of what is no number */
};

struct out_scaling_row {
  uint64_t calls, primitive;
  double own, cumulative, min, max; /* seconds: of all calls, of all calls, of one, of one */
  double shown_own,
      shown_cumulative; /* what a report shows of own and cumulative: without what hooks took, or the same */
  double own_error, cumulative_error; /* how far these may be off, with 95 %; NAN: not known; 0: all calls were timed */
  uint32_t is_bound;                  /* cumulative is an upper bound */
};

struct out_scaling_samples {
  struct base_arena arena;
  struct base_vector arguments; /* struct out_scaling_argument */
  struct out_scaling_row *rows;
  uint32_t row_count;
  uint32_t unknown; /* rows without arguments: not recorded */
};

/* Reads `count` rows of the prepared object (by signature), all of one function. `shown` has what a report shows of
 * them; of one that it has not, that is what is read. 0 or -ENOMEM. Free in any case with out_scaling_samples_free().
 */
int out_scaling_samples_read(struct callsig_stats *stats, const uint32_t *rows, uint32_t count,
                             const struct out_scaling_shown *shown, struct out_scaling_samples *samples);
void out_scaling_samples_free(struct out_scaling_samples *samples);

static inline struct out_scaling_argument *out_scaling_argument(const struct out_scaling_samples *samples,
                                                                uint32_t number)
{
  return base_vector_at(&samples->arguments, number);
}

#endif
