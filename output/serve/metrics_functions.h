/*
 * Which functions have a row of their own in metrics, and what the others have together.
 *
 * At each reading the functions with the most time of their own get a row, which they keep: four times as many as are
 * chosen at a reading are the most that ever get one. A function that gets its row late counts there what it does from
 * then on; what it did before stays with the others. So the rows always sum to the whole, and none falls.
 */
#ifndef CALLSIG_OUTPUT_SERVE_METRICS_FUNCTIONS_H
#define CALLSIG_OUTPUT_SERVE_METRICS_FUNCTIONS_H

#include "base/vector.h"
#include "output/serve/metrics_text.h"
#include "output/text/idset.h"

enum { OUT_METRICS_ROWS_EVER = 4 };

struct out_function_count {
  double calls, own; /* own: seconds */
};

struct out_metric_function {
  char *file, *name; /* owned */
  unsigned line;
  bool has_row;
  bool is_told;                          /* metrics had it already, with the others where it had no row */
  struct out_function_count now, before; /* before: what stays with the others */
};

struct out_metric_functions {
  size_t at_once;          /* how many are chosen at a reading */
  size_t rows;             /* that have one */
  struct base_vector list; /* struct out_metric_function */
  struct out_idset set;
};

void out_metric_functions_init(struct out_metric_functions *functions, size_t at_once);
/* Forgets all of them: it begins to count anew. */
void out_metric_functions_forget(struct out_metric_functions *functions);

/* Before the functions of a reading are added: those that are not are gone. */
void out_metric_functions_begin(struct out_metric_functions *functions);
/* Adds to a function of this reading. Strings are copied. -ENOMEM. */
int out_metric_functions_add(struct out_metric_functions *functions, const char *file, unsigned line, const char *name,
                             struct out_function_count count);
/* Gives rows to those that are to have one now. -ENOMEM. */
int out_metric_functions_choose(struct out_metric_functions *functions);

/* Writes calls and seconds of those that have rows, and of the others together, named "other" and without a file. */
void out_metric_functions_write(const struct out_metric_functions *functions, struct out_metrics_text *metrics);

#endif
