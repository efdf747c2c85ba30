/*
 * Rows by their keys, kept beyond the grouping that they were made with: what a report shows of functions and
 * signatures, while laws are made of what the clock read of them.
 */
#ifndef CALLSIG_OUTPUT_SCALING_SHOWN_H
#define CALLSIG_OUTPUT_SCALING_SHOWN_H

#include "base/vector.h"
#include "output/stats/rows.h"
#include "output/text/idset.h"

struct out_scaling_shown {
  struct base_vector rows; /* struct out_row */
  struct out_idset set;
};

#define OUT_SCALING_SHOWN_NONE ((struct out_scaling_shown){.rows = BASE_VECTOR_OF(struct out_row)})

/* Adds a copy of a row whose key is not there yet. -ENOMEM. */
int out_scaling_shown_add(struct out_scaling_shown *shown, const struct out_row *row);
/* The number of the row with this key; FMT_NONE: there is none. */
uint32_t out_scaling_shown_find(const struct out_scaling_shown *shown, const struct out_row_key *key);
void out_scaling_shown_free(struct out_scaling_shown *shown);

static inline const struct out_row *out_scaling_shown_at(const struct out_scaling_shown *shown, uint32_t number)
{
  return base_vector_at(&shown->rows, number);
}

#endif
