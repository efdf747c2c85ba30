/*
 * pstats's orders: sort keys, their unique prefixes, several keys, reversal.
 */
#ifndef CALLSIG_OUTPUT_STATS_SORT_H
#define CALLSIG_OUTPUT_STATS_SORT_H

#include "output/stats/names.h"
#include "output/stats/row_sleep.h"

enum out_sort_field {
  OUT_SORT_PRIMITIVE,
  OUT_SORT_CALLS,
  OUT_SORT_OWN,
  OUT_SORT_CUMULATIVE,
  OUT_SORT_FILE,
  OUT_SORT_LINE,
  OUT_SORT_NAME,
  OUT_SORT_STANDARD_NAME,
  OUT_SORT_BLOCKS,
  OUT_SORT_ASKED,
  OUT_SORT_UNFREED,
  OUT_SORT_COMPUTED,
  OUT_SORT_WAITED,
  OUT_SORT_CLOCK, /* cumulative time as the clock read it: no key */
};

#define OUT_SORT_MAX 64u /* fields that keys ask for */

struct out_sort {
  uint8_t fields[OUT_SORT_MAX + 1]; /* enum out_sort_field, most significant first */
  uint32_t count;
  bool reversed;
  bool asleep_last;              /* rows of threads that only slept come after the others */
  char title[OUT_SORT_MAX * 24]; /* "cumulative time, function name" */
};

/* Parses keys separated by commas; NULL: the order of a table that nobody has sorted. -EINVAL after a message that
 * lists the keys. */
int out_sort_parse(const char *keys, struct out_sort *sort);

/* Is a key what was asked the allocator for, or what threads waited or computed, which not all recordings tell? */
bool out_sort_is_by_asked(const struct out_sort *sort);
bool out_sort_is_by_waits(const struct out_sort *sort);

/* Sorts the row numbers in `order`. Rows that are equal by the keys stay in the order of out_row_compare(). `sleep`, by
 * row, tells what of their own times threads waited; a row of which that is not known stands behind those of which it
 * is, and where it is known of none (NULL), all of them computed. 0 or -ENOMEM. */
int out_sort_rows(const struct out_sort *sort, const struct out_rows *rows, const struct out_row_sleep *sleep,
                  const struct out_names *names, uint32_t *order, uint32_t count);

#endif
