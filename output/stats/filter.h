/*
 * Which calls are counted: by function, signature, stage, thread, module and place in the tree.
 */
#ifndef CALLSIG_OUTPUT_STATS_FILTER_H
#define CALLSIG_OUTPUT_STATS_FILTER_H

#include "callsig/stats.h"
#include "output/profile/profile.h"
#include "output/stats/expression.h"
#include "output/text/regex.h"

/* A filter as asked for. Zero-initialise; free with out_filter_free(). */
struct out_filter {
  struct out_regex *function, *below;
  struct out_expression *signature;
  char *stage, *thread, *module; /* globs. Owned */
  uint32_t depth;                /* how deep calls may lie; 0: as deep as they like */
};

/* Parses everything. -EINVAL after a message; then `filter` is empty. */
int out_filter_make(const struct callsig_stats_filter *wanted, struct out_filter *filter);
void out_filter_free(struct out_filter *filter);

/* The filter applied to what a profile holds: one byte each, NULL where there is no such filter. */
struct out_selection {
  uint8_t *functions, *signatures, *contexts, *threads, *modules; /* by contexts: of stages, and below actions */
  bool actions;                                                   /* there are contexts below actions among them */
  uint32_t *depths; /* by context: how many functions its path has, itself included, from the outermost one on that
                       `below` selects; 0: it is below none */
  /* Signatures of which the expression is neither true nor false, as something was not recorded exactly enough, or as
   * it compares what cannot be compared. */
  uint64_t undecided, incomparable;
};

/* `row_of` gives the signature that each signature is shown as: what the expression is asked of. NULL: each by itself.
 * 0; -ENOMEM without a message; another negative errno after one. */
int out_filter_select(struct out_filter *filter, const struct out_profile *profile, const uint32_t *shown_function,
                      const uint32_t *row_of, struct out_selection *selection);

/* Takes out of the selection what threads of other processes than number `process` called. 0 or -ENOMEM. */
int out_selection_of_process(const struct out_profile *profile, uint32_t process, struct out_selection *selection);

void out_selection_free(struct out_selection *selection);

#endif
