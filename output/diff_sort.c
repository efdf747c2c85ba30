#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "diff_print.h"

struct order {
  const struct cs_diff *diff;
  enum cs_diff_key key;
  struct cs_names names;
  struct cs_arguments scratch[2];
};

static const struct cs_diff_row *row_at(const struct cs_diff *diff, uint32_t number)
{
  return cs_vector_at(&diff->rows, number);
}

/* What rows are sorted by, the largest first. */
static double weight(const struct order *order, const struct cs_diff_change *change)
{
  enum cs_diff_metric metric = order->diff->options.metric;
  switch (order->key) {
  case CS_DIFF_BY_CHANGE:
    return fabs(cs_diff_amount(change, metric));
  case CS_DIFF_BY_RELATIVE:
    return fabs(cs_diff_relative(change, metric));
  case CS_DIFF_BY_OLD:
    return cs_diff_value(&change->old, metric);
  case CS_DIFF_BY_NEW:
    return cs_diff_value(&change->new, metric);
  case CS_DIFF_BY_CALLS:
    return change->old.calls + change->new.calls;
  case CS_DIFF_BY_P:
    return -change->p;
  default:
    return 0;
  }
}

static int compare(const void *left, const void *right, void *data)
{
  struct order *order = data;
  const struct cs_diff_row *a = row_at(order->diff, *(const uint32_t *)left);
  const struct cs_diff_row *b = row_at(order->diff, *(const uint32_t *)right);
  double heavy = weight(order, &a->change), light = weight(order, &b->change);
  if (heavy != light)
    return heavy > light ? -1 : 1;
  return cs_row_compare(&order->names, &a->key, &b->key, order->scratch);
}

int cs_diff_order(const struct cs_diff *diff, const struct cs_diff_view *view, uint32_t **list, uint32_t *count)
{
  uint32_t *rows = malloc((diff->rows.count + 1u) * sizeof *rows);
  if (!rows)
    return -ENOMEM;
  *count = 0;
  for (uint32_t i = 0; i < diff->rows.count; i++) {
    if (view->all || row_at(diff, i)->change.verdict != CS_DIFF_SAME)
      rows[(*count)++] = i;
  }
  struct order order = {.diff = diff, .key = view->key, .names = cs_diff_names(diff)};
  qsort_r(rows, *count, sizeof *rows, compare, &order);
  cs_arguments_free(&order.scratch[0]);
  cs_arguments_free(&order.scratch[1]);
  if (*count > view->top)
    *count = (uint32_t)view->top;
  *list = rows;
  return 0;
}
