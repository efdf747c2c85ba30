/* Chooses the rows of a comparison that a view shows, and sorts them. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/diff/print.h"

struct order {
  const struct out_diff *diff;
  enum callsig_diff_sort sort;
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
  enum callsig_diff_metric metric = order->diff->options.metric;
  switch (order->sort) {
  case CALLSIG_DIFF_BY_CHANGE:
    return fabs(out_diff_amount(change, metric));
  case CALLSIG_DIFF_BY_RELATIVE:
    return fabs(out_diff_relative(change, metric));
  case CALLSIG_DIFF_BY_OLD:
    return out_diff_value(&change->old, metric);
  case CALLSIG_DIFF_BY_NEW:
    return out_diff_value(&change->new, metric);
  case CALLSIG_DIFF_BY_NCALLS:
    return change->old.calls + change->new.calls;
  case CALLSIG_DIFF_BY_P:
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

int out_diff_show(const struct out_diff *diff, const struct callsig_diff_view *view, struct out_diff_shown *shown)
{
  uint32_t *rows = malloc((diff->rows.count + 1u) * sizeof *rows), count = 0;
  if (!rows)
    return -ENOMEM;
  for (uint32_t i = 0; i < diff->rows.count; i++) {
    if (view->all || row_at(diff, i)->change.verdict != CALLSIG_DIFF_SAME)
      rows[count++] = i;
  }
  struct order order = {.diff = diff, .sort = view->sort, .names = out_diff_names(diff)};
  if (view->sort != CALLSIG_DIFF_UNSORTED)
    qsort_r(rows, count, sizeof *rows, compare, &order);
  out_arguments_free(&order.scratch[0]);
  out_arguments_free(&order.scratch[1]);
  if (view->has_limit && count > view->limit)
    count = (uint32_t)view->limit;
  *shown = (struct out_diff_shown){.view = *view, .list = rows, .count = count};
  return 0;
}
