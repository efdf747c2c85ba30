/*
 * A comparison's rows in order, and printed as a table, CSV or JSON: docs/compare.md describes all three.
 */
#ifndef CALLSIG_OUTPUT_DIFF_PRINT_H
#define CALLSIG_OUTPUT_DIFF_PRINT_H

#include <stdio.h>

#include "output/diff/comparison.h"

/* The rows that a view shows. */
struct out_diff_shown {
  struct callsig_diff_view view;
  uint32_t *list; /* numbers of diff.rows, sorted; owned */
  uint32_t count;
};

/* Chooses and sorts the rows; the caller frees shown->list. 0 or -ENOMEM; no message. */
int out_diff_show(const struct out_diff *diff, const struct callsig_diff_view *view, struct out_diff_shown *shown);

/* They flush `out`. 0, -EIO when it could not be written, or -ENOMEM; no message. */
int out_diff_print_table(const struct out_diff *diff, const struct out_diff_shown *shown, FILE *out);
int out_diff_print_csv(const struct out_diff *diff, const struct out_diff_shown *shown, FILE *out);
int out_diff_print_json(const struct out_diff *diff, const struct out_diff_shown *shown, FILE *out);

/* A page, of all rows whatever is shown; `files` are those that were compared. -EIO without a message, another negative
 * errno after one. */
int out_diff_print_html(const struct out_diff *diff, const struct out_diff_file *files, FILE *out);

/* "tottime", "cumtime", "tottime per call". */
const char *out_diff_metric_name(enum callsig_diff_metric metric);

#endif
