/*
 * pstats's orders: sort keys, their unique prefixes, several keys, reversal.
 */
#ifndef CALLSIG_OUTPUT_SORT_H
#define CALLSIG_OUTPUT_SORT_H

#include "names.h"

enum cs_sort_field {
  CS_SORT_PRIMITIVE,
  CS_SORT_CALLS,
  CS_SORT_OWN,
  CS_SORT_CUMULATIVE,
  CS_SORT_FILE,
  CS_SORT_LINE,
  CS_SORT_NAME,
  CS_SORT_STANDARD_NAME,
};

#define CS_SORT_MAX 64u

struct cs_sort {
  uint8_t fields[CS_SORT_MAX]; /* enum cs_sort_field, most significant first */
  uint32_t count;
  bool reversed;
  char title[CS_SORT_MAX * 24]; /* "cumulative time, function name" */
};

/* Parses keys separated by commas. -EINVAL after a message that lists the keys. */
int cs_sort_parse(const char *keys, struct cs_sort *sort);

/* The key with this number, in pstats's order, and what it means; NULL behind the last. */
const char *cs_sort_key(size_t number, const char **meaning);

/* Sorts the row numbers in `order`. Rows that are equal by the keys stay in the order of cs_row_compare(). 0 or
 * -ENOMEM. */
int cs_sort_rows(const struct cs_sort *sort, const struct cs_rows *rows, const struct cs_names *names, uint32_t *order,
                 uint32_t count);

#endif
