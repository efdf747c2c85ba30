/*
 * How evenly the processes, or the ranks, of a job share the time of each row: the rows that differ in their process
 * (or rank) alone, put together. Only processes of one program are compared, and ranks that run the same programs.
 */
#ifndef CALLSIG_OUTPUT_STATS_IMBALANCE_H
#define CALLSIG_OUTPUT_STATS_IMBALANCE_H

#include "output/stats/stats_object.h"

/* Of one time, in ticks of the grouping. A process without such calls has spent 0. */
struct out_imbalance_time {
  uint64_t min, max;
  double mean;
  double deviation;                   /* the standard deviation over all of them; NAN: unknown */
  uint32_t slowest;                   /* the row with `max`, the first one in the order of processes or ranks */
  uint32_t fastest;                   /* the same of `min`; FMT_NONE: one that has no such calls */
  int64_t slowest_rank, fastest_rank; /* of ranks that are one process: whose they are; FMT_NO_RANK: it is not known */
};

struct out_imbalance {
  uint32_t row; /* one of the rows that were put together: its key but for process and rank is theirs */
  struct out_imbalance_time own, cumulative;
  struct out_imbalance_time calls; /* no time, but how many */
  uint64_t program;                /* what the processes or ranks that are compared have in common */
  uint32_t count;                  /* of them: 2 or more */
  bool is_folded;                  /* they are one process */
};

struct out_imbalances {
  struct base_vector list; /* struct out_imbalance, in the order in which rows of theirs come first */
  uint32_t count;          /* of all processes, or ranks */
  uint32_t programs;       /* whose processes, or ranks, are compared */
  bool of_ranks;
};

/* Puts rows together, for rows by process or rank; none when they are by neither. All rows that the filters leave
 * count; what is told of are those that have one among `rows`, the shown ones. Times that processes without a rank
 * spent are left out where others have one, and the rows of a program that has one process. 0 or -ENOMEM. Free with
 * out_imbalances_free(). */
int out_imbalances_make(const struct callsig_stats *stats, const uint32_t *rows, uint32_t count,
                        struct out_imbalances *imbalances);
void out_imbalances_free(struct out_imbalances *imbalances);

/* Whose the most is (`least` false) or the least, in words: "3", "lua5.4 (1234)". NULL: it is not known. It may lie in
 * `buffer`. */
const char *out_imbalance_where(const struct callsig_stats *stats, const struct out_imbalances *imbalances,
                                const struct out_imbalance *imbalance, const struct out_imbalance_time *time,
                                bool least, char buffer[24]);

/* The path of the program that the compared processes ran; of ranks, the first of theirs. "" when it is unknown. */
const char *out_imbalance_program(const struct callsig_stats *stats, const struct out_imbalances *imbalances,
                                  const struct out_imbalance *imbalance);

/* What the others wait for the one that takes longest, where they meet after the calls: the sum over all of how much
 * less than the longest each took, count * (max - mean), in ticks. */
static inline double out_imbalance_cost(const struct out_imbalance_time *time, uint32_t count)
{
  return ((double)time->max - time->mean) * count;
}

/* What the longest would be shorter by if all took the mean, in ticks: the imbalance time of DeRose, Homer and Johnson,
 * "Detecting Application Load Imbalance on High End Massively Parallel Systems", Euro-Par 2007. */
static inline double out_imbalance_gain(const struct out_imbalance_time *time)
{
  return (double)time->max - time->mean;
}

/* Their imbalance percentage: 0 when all took as long, 100 when one did everything. */
static inline double out_imbalance_percent(const struct out_imbalance_time *time, uint32_t count)
{
  return time->max > 0 ? 100 * ((double)time->max - time->mean) / (double)time->max * count / (count - 1.0) : 0;
}

/* The largest by the mean: 1 when all spent as much. 0 when none spent any time. */
static inline double out_imbalance_ratio(const struct out_imbalance_time *time)
{
  return time->mean > 0 ? (double)time->max / time->mean : 0;
}

#endif
