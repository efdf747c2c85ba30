/*
 * pstats's restrictions of a list of rows: how many, what part, or which names.
 */
#ifndef CALLSIG_OUTPUT_STATS_RESTRICT_H
#define CALLSIG_OUTPUT_STATS_RESTRICT_H

#include <stdbool.h>

#include "callsig/stats.h"
#include "output/stats/names.h"

/* What is left of the rows, in their order. */
struct out_list {
  uint32_t *rows; /* owned */
  uint32_t count;
};

/*
 * Applies restrictions left to right: an integer is the first so many rows, a fraction in [0, 1) that part of them,
 * anything else a regular expression searched in the printed name. What is not an integer that is smaller than the list
 * or a fraction below 1 leaves it as it is, and so does a bad regular expression. `message` gets pstats's lines of what
 * was reduced by what.
 *
 * -EINVAL after a message for a number outside of [0, 1] that is no integer; -ENOMEM without one.
 */
int out_restrict(const struct out_names *names, const struct out_rows *rows, const char *const *restrictions,
                 size_t count, struct out_list *list, struct out_text *message);

/* Is there a row that the restriction, a regular expression, leaves? True as well where that cannot be told. Gives no
 * message. */
bool out_restriction_finds(struct callsig_stats *stats, const char *restriction);

#endif
