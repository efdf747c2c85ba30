/*
 * Filters: what makes `callsig run` or a compiler leave functions out.
 */
#ifndef CALLSIG_OUTPUT_SCORE_FILTER_H
#define CALLSIG_OUTPUT_SCORE_FILTER_H

#include <stdio.h>

#include "output/score/names.h"

/* The form of a filter. */
struct out_score_filter {
  const char *name;
  out_score_see_fn see;
  bool by_part;                        /* a name in the filter hits every function whose name it is a part of */
  const char *head, *separator, *tail; /* around the names */
  void (*put)(const char *seen, struct out_text *text); /* a name as the filter writes it */
};

/* The form called so; NULL when there is none. */
const struct out_score_filter *out_score_filter_find(const char *name);

/* Marks as kept what the filter has no name for, or a name that hits a function that is kept. `names` are those that
 * the filter sees. 0 or -ENOMEM. */
int out_score_filter_keep(struct out_score *score, const struct out_score_filter *filter,
                          const struct out_score_names *names);

/* Writes the functions that the score leaves out, and tells by messages which others the filter hits, and when there
 * are none to leave out: then nothing is written. 0, -EIO or -ENOMEM. */
int out_score_filter_write(const struct out_score *score, const struct out_score_filter *filter,
                           const struct out_score_names *names, FILE *out);

#endif
