#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/diff/diff_print.h"

struct order {
  const struct out_diff *diff;
  enum out_diff_key key;
  struct out_names names;
  struct out_arguments scratch[2];
};

static const struct out_diff_row *row_at(const struct out_diff *diff, uint32_t number)
{
  return base_vector_at(&diff->rows, number);
}

/* What rows are sorted by, the largest first. */
static double weight(const struct order *order, const struct out_diff_change *change)
{
  enum out_diff_metric metric = order->diff->options.metric;
  switch (order->key) {
  case OUT_DIFF_BY_CHANGE:
    return fabs(out_diff_amount(change, metric));
  case OUT_DIFF_BY_RELATIVE:
    return fabs(out_diff_relative(change, metric));
  case OUT_DIFF_BY_OLD:
    return out_diff_value(&change->old, metric);
  case OUT_DIFF_BY_NEW:
    return out_diff_value(&change->new, metric);
  case OUT_DIFF_BY_CALLS:
    return change->old.calls + change->new.calls;
  case OUT_DIFF_BY_P:
    return -change->p;
  default:
    return 0;
  }
}

static int compare(const void *left, const void *right, void *data)
{
  struct order *order = data;
  const struct out_diff_row *a = row_at(order->diff, *(const uint32_t *)left);
  const struct out_diff_row *b = row_at(order->diff, *(const uint32_t *)right);
  double heavy = weight(order, &a->change), light = weight(order, &b->change);
  if (heavy != light)
    return heavy > light ? -1 : 1;
  return out_row_compare(&order->names, &a->key, &b->key, order->scratch);
}

int out_diff_order(const struct out_diff *diff, const struct out_diff_view *view, uint32_t **list, uint32_t *count)
{
  uint32_t *rows = malloc((diff->rows.count + 1u) * sizeof *rows);
  if (!rows)
    return -ENOMEM;
  *count = 0;
  for (uint32_t i = 0; i < diff->rows.count; i++) {
    if (view->all || row_at(diff, i)->change.verdict != OUT_DIFF_SAME)
      rows[(*count)++] = i;
  }
  struct order order = {.diff = diff, .key = view->key, .names = out_diff_names(diff)};
  qsort_r(rows, *count, sizeof *rows, compare, &order);
  out_arguments_free(&order.scratch[0]);
  out_arguments_free(&order.scratch[1]);
  if (*count > view->top)
    *count = (uint32_t)view->top;
  *list = rows;
  return 0;
}
