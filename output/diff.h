/*
 * What changed between two sides of recordings, row by row, and which changes are noise.
 */
#ifndef CALLSIG_OUTPUT_DIFF_H
#define CALLSIG_OUTPUT_DIFF_H

#include "object.h"

enum cs_diff_verdict {
  CS_DIFF_SAME,    /* equal, or, when judged, not told from noise */
  CS_DIFF_SLOWER,  /* takes more time */
  CS_DIFF_FASTER,  /* takes less */
  CS_DIFF_CHANGED, /* another number of calls, and no time */
  CS_DIFF_NEW,     /* was not there */
  CS_DIFF_GONE,    /* is no longer there */
};

/* What is judged. */
enum cs_diff_metric { CS_DIFF_TOTTIME, CS_DIFF_CUMTIME, CS_DIFF_PERCALL };

struct cs_diff_options {
  enum cs_diff_metric metric;
  double level;    /* of significance, of all rows together: 0.05 */
  double min_time; /* seconds: rows with less of the metric on both sides are left out */
};

/* Means of a side's recordings. Times in seconds. */
struct cs_diff_side {
  double calls, own, cumulative;
};

struct cs_diff_change {
  struct cs_diff_side old, new;
  double low, high;   /* of the metric's change: its confidence interval, when judged */
  double p, adjusted; /* when judged */
  enum cs_diff_verdict verdict;
};

struct cs_diff_row {
  struct cs_row_key key;
  struct cs_diff_change change;
};

struct cs_diff {
  struct callsig_stats *stats; /* borrowed */
  struct cs_diff_options options;
  uint32_t old_count, new_count; /* recordings a side, as files */
  bool judged;                   /* both sides have at least two */
  uint32_t left_out;             /* rows below min_time */
  struct cs_vector rows;         /* struct cs_diff_row */
  struct cs_diff_change total;   /* of all rows; cumulative is 0 */

  /* What rows are made of and named with. */
  uint32_t *shown;
  struct cs_meeting meeting;
  struct cs_compensation compensation;
  struct cs_selection selection;
  double tick;
};

/*
 * Compares what `stats` has loaded: `ends[i]` is how many of profile.recordings belong to the files up to and including
 * number i; the first `old_files` files are the old side. Grouping and filter are those of `stats`. -EINVAL after a
 * message for a grouping by thread or process, which two runs have not in common; or -ENOMEM. Free with cs_diff_free().
 */
int cs_diff_make(struct callsig_stats *stats, const uint32_t *ends, uint32_t old_files, uint32_t files,
                 const struct cs_diff_options *options, struct cs_diff *diff);
void cs_diff_free(struct cs_diff *diff);

/* What is compared, of one side. */
double cs_diff_value(const struct cs_diff_side *side, enum cs_diff_metric metric);

static inline double cs_diff_amount(const struct cs_diff_change *change, enum cs_diff_metric metric)
{
  return cs_diff_value(&change->new, metric) - cs_diff_value(&change->old, metric);
}

/* The change as a part of what it was; INFINITY when it was nothing, 0 when nothing changed. */
double cs_diff_relative(const struct cs_diff_change *change, enum cs_diff_metric metric);

/* How names of rows are made. Valid as long as the diff. */
struct cs_names cs_diff_names(const struct cs_diff *diff);

const char *cs_diff_verdict_name(enum cs_diff_verdict verdict);

#endif
