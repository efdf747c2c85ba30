/*
 * A diff in order, as a table, CSV or JSON: docs/compare.md describes all three.
 */
#ifndef CALLSIG_OUTPUT_DIFF_PRINT_H
#define CALLSIG_OUTPUT_DIFF_PRINT_H

#include <stdio.h>

#include "diff.h"

enum cs_diff_key {
  CS_DIFF_BY_CHANGE, /* the largest change of the metric first, whatever its sign */
  CS_DIFF_BY_RELATIVE,
  CS_DIFF_BY_OLD,
  CS_DIFF_BY_NEW,
  CS_DIFF_BY_CALLS, /* of both sides together */
  CS_DIFF_BY_P,     /* the smallest first */
  CS_DIFF_BY_NAME,
};

struct cs_diff_view {
  enum cs_diff_key key;
  uint64_t top; /* rows at most; UINT64_MAX: all */
  bool all;     /* rows that are the same, too */
};

/* The rows that the view shows, sorted; the caller frees `*list`. 0 or -ENOMEM. */
int cs_diff_order(const struct cs_diff *diff, const struct cs_diff_view *view, uint32_t **list, uint32_t *count);

/* 0, -EIO when `out` could not be written, or -ENOMEM; no message. */
int cs_diff_print_table(const struct cs_diff *diff, const struct cs_diff_view *view, FILE *out);
int cs_diff_print_csv(const struct cs_diff *diff, const struct cs_diff_view *view, FILE *out);
int cs_diff_print_json(const struct cs_diff *diff, const struct cs_diff_view *view, FILE *out);

/* "tottime", "cumtime", "percall". */
const char *cs_diff_metric_name(enum cs_diff_metric metric);

#endif
