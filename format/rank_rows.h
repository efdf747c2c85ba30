/*
 * What ranks of a parallel job spent each by itself, in recordings in which their processes are one:
 * docs/recording-format.md.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_RANK_ROWS_H
#define CALLSIG_FORMAT_RANK_ROWS_H

#include "format/record_tag.h"

/* What is known of each rank. Times are nanoseconds. */
enum fmt_rank_quantity { FMT_RANK_CALLS, FMT_RANK_OWN, FMT_RANK_CUMULATIVE, FMT_RANK_QUANTITIES };

#define FMT_NO_RANK INT64_MAX

/* Over the ranks that have such calls. Whole numbers, so that the order in which ranks were put together leaves no
 * trace. */
struct fmt_rec_rank_value {
  uint64_t min, max;
  int64_t min_at, max_at;             /* the lowest rank with it */
  uint64_t sum_low, sum_high;         /* 128 bits */
  uint64_t squares_low, squares_high; /* the sum of their squares; all bits set: it did not fit */
};

struct fmt_rec_rank_row {
  struct fmt_rec_tag tag;
  uint64_t next;      /* next older of the process */
  uint64_t function;  /* address of a fmt_rec_function; 0: the row is of `signature` */
  uint64_t signature; /* address of a fmt_rec_signature */
  uint32_t have;      /* ranks that have such calls */
  uint32_t reserved;
  int64_t first_lacking; /* the lowest rank without; FMT_NO_RANK: none is */
  struct fmt_rec_rank_value values[FMT_RANK_QUANTITIES];
};

#endif
