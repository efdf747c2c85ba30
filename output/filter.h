/*
 * Which calls are counted: by function, signature, stage, thread and module.
 */
#ifndef CALLSIG_OUTPUT_FILTER_H
#define CALLSIG_OUTPUT_FILTER_H

#include "callsig/stats.h"
#include "expression.h"
#include "profile.h"
#include "regex.h"

/* A filter as asked for. Zero-initialise; free with cs_filter_free(). */
struct cs_filter {
  struct cs_regex *function;
  struct cs_expression *signature;
  char *stage, *thread, *module; /* globs. Owned */
};

/* Parses everything. -EINVAL after a message; then `filter` is empty. */
int cs_filter_make(const struct callsig_stats_filter *wanted, struct cs_filter *filter);
void cs_filter_free(struct cs_filter *filter);

/* The filter applied to what a profile holds: one byte each, NULL where there is no such filter. */
struct cs_selection {
  uint8_t *functions, *signatures, *stages, *threads, *modules;
  uint64_t
      undecided; /* signatures for which the expression was neither true nor false, as something was not recorded */
};

/* `row_of` gives the signature that each signature is shown as: what the expression is asked of. NULL: each by itself.
 * 0; -ENOMEM without a message; another negative errno after one. */
int cs_filter_select(struct cs_filter *filter, const struct cs_profile *profile, const uint32_t *shown_function,
                     const uint32_t *row_of, struct cs_selection *selection);

/* Takes out of the selection what threads of other processes than number `process` called. 0 or -ENOMEM. */
int cs_selection_of_process(const struct cs_profile *profile, uint32_t process, struct cs_selection *selection);

void cs_selection_free(struct cs_selection *selection);

#endif
