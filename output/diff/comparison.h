/*
 * What changed between two sides of recordings, row by row, and which changes are noise.
 */
#ifndef CALLSIG_OUTPUT_DIFF_COMPARISON_H
#define CALLSIG_OUTPUT_DIFF_COMPARISON_H

#include "callsig/diff.h"
#include "output/stats/stats_object.h"

/* The recordings of one file that was loaded. */
struct out_diff_file {
  uint32_t end; /* of profile.recordings: the number behind its last */
  bool is_new;  /* of the new side */
};

struct out_diff_options {
  enum callsig_diff_metric metric;
  double level;    /* of significance, of all rows together: 0.05 */
  double min_time; /* seconds: rows with less of the metric on both sides are left out */
};

/* Means of a side's recordings. Times in seconds. */
struct out_diff_side {
  double calls, own, cumulative;
  double own_error, cumulative_error; /* how far these may be off, with 95 %; 0 where all calls were timed */
};

struct out_diff_change {
  struct out_diff_side old, new;
  double low, high;   /* of the metric's change: its confidence interval, when judged; NAN where too few files tell */
  double p, adjusted; /* when judged */
  double calls_p;     /* the same of the number of calls, corrected for the number of rows */
  enum callsig_diff_verdict verdict;
};

struct out_diff_row {
  struct out_row_key key;
  struct out_diff_change change;
};

struct out_diff {
  struct callsig_stats *stats; /* borrowed */
  struct out_diff_options options;
  uint32_t old_count, new_count; /* recordings a side, as files */
  char *timed_differently;       /* how either side was timed, where that is not the same for all; NULL: it is. Owned */
  bool judged;                   /* both sides have at least two, and all were timed alike */
  uint32_t left_out;             /* rows below min_time */
  struct base_vector rows;       /* struct out_diff_row */
  struct out_diff_change total;  /* of all rows; cumulative is 0 */

  /* What rows are made of and named with. */
  uint32_t *shown;
  struct out_signature_merge signature_merge;
  struct out_compensation compensation;
  struct out_selection selection;
  double tick;
};

/*
 * Compares what `stats` has loaded: `count` files in the order in which they were added, at least one of either side.
 * Grouping and filter are those of `stats`. -EINVAL after a message for a grouping by thread, process or rank, which
 * two runs have not in common; or -ENOMEM after one. Free with out_diff_free().
 */
int out_diff_make(struct callsig_stats *stats, const struct out_diff_file *files, uint32_t count,
                  const struct out_diff_options *options, struct out_diff *diff);
/* Leaves all zeros, which may be freed too. */
void out_diff_free(struct out_diff *diff);

/* What is compared, of one side. */
double out_diff_value(const struct out_diff_side *side, enum callsig_diff_metric metric);

static inline double out_diff_amount(const struct out_diff_change *change, enum callsig_diff_metric metric)
{
  return out_diff_value(&change->new, metric) - out_diff_value(&change->old, metric);
}

/* The change as a part of what it was; INFINITY when it was nothing, 0 when nothing changed. */
double out_diff_relative(const struct out_diff_change *change, enum callsig_diff_metric metric);

/* How names of rows are made. Valid as long as the diff. */
struct out_names out_diff_names(const struct out_diff *diff);

#endif
