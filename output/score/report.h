/*
 * The report of `callsig score`: what its formats share. One file a format, report_FORMAT.c; report.c walks the
 * functions and gives each to it.
 */
#ifndef CALLSIG_OUTPUT_SCORE_REPORT_H
#define CALLSIG_OUTPUT_SCORE_REPORT_H

#include <stdio.h>

#include "output/score/score.h"
#include "output/text/json_writer.h"

/* A report on its way out. */
struct out_score_report {
  const struct out_score *score;
  FILE *out;
  struct out_names names; /* by function */
  const char *message;    /* what restrictions made of the list, in pstats's words */
  struct out_json json;
  struct out_text line;
  struct out_arguments scratch;
};

/* A format. `end` gets how writing went and frees what `begin` made. Each returns 0; -EIO when `out` could not be
 * written; -ENOMEM. */
struct out_score_format {
  const char *name;
  int (*begin)(struct out_score_report *report);
  int (*put)(struct out_score_report *report, const struct out_score_function *function);
  int (*end)(struct out_score_report *report, int result);
};

extern const struct out_score_format out_score_table_format, out_score_json_format, out_score_csv_format;

/* wording.c: writes the line that was made, and empties it. 0, -EIO or -ENOMEM. */
int out_score_flush(struct out_score_report *report);

/* wording.c: gives each sentence on what the estimates are, what they rest on, and what became of the budget to `put`,
 * which returns 0 or an error that ends it. */
int out_score_remarks(const struct out_score *score, int (*put)(const char *remark, void *data), void *data);

/* wording.c: a factor, as in "2.76"; what is not finite is "unbounded". */
void out_score_put_factor(struct out_text *text, double factor);

/* wording.c: what the slowdown is at least and at most, by the uncertainty of the costs. */
void out_score_range(const struct out_score_costs *costs, double *low, double *high);

/* The function that a scored one is. */
static inline const struct out_known_function *out_score_known_function(const struct out_score *score,
                                                                        const struct out_score_function *function)
{
  uint32_t number = out_rows_at(&score->stats->rows, function->row)->key.what;
  return out_profile_function(&score->stats->profile, number);
}

#endif
