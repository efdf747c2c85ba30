/*
 * A diff in order, as a table, CSV or JSON: docs/compare.md describes all three.
 */
#ifndef CALLSIG_OUTPUT_DIFF_DIFF_PRINT_H
#define CALLSIG_OUTPUT_DIFF_DIFF_PRINT_H

#include <stdio.h>

#include "output/diff/diff.h"

enum out_diff_key {
  OUT_DIFF_BY_CHANGE, /* the largest change of the metric first, whatever its sign */
  OUT_DIFF_BY_RELATIVE,
  OUT_DIFF_BY_OLD,
  OUT_DIFF_BY_NEW,
  OUT_DIFF_BY_CALLS, /* of both sides together */
  OUT_DIFF_BY_P,     /* the smallest first */
  OUT_DIFF_BY_NAME,
};

struct out_diff_view {
  enum out_diff_key key;
  uint64_t top; /* rows at most; UINT64_MAX: all */
  bool all;     /* rows that are the same, too */
};

/* The rows that the view shows, sorted; the caller frees `*list`. 0 or -ENOMEM. */
int out_diff_order(const struct out_diff *diff, const struct out_diff_view *view, uint32_t **list, uint32_t *count);

/* 0, -EIO when `out` could not be written, or -ENOMEM; no message. */
int out_diff_print_table(const struct out_diff *diff, const struct out_diff_view *view, FILE *out);
int out_diff_print_csv(const struct out_diff *diff, const struct out_diff_view *view, FILE *out);
int out_diff_print_json(const struct out_diff *diff, const struct out_diff_view *view, FILE *out);

/* "tottime", "cumtime", "percall". */
const char *out_diff_metric_name(enum out_diff_metric metric);

#endif
