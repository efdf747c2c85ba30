/* Counts the functions that moved without being called more or less often. */
#include "output/diff/moved_together.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* What is known of a function. */
enum { COUNTS = 1u << 0, SLOWER = 1u << 1, FASTER = 1u << 2 };

/* A few functions move together by chance, or as one change touched them. */
enum { LEAST = 4 };

static uint8_t mark_of(const struct out_diff *diff, const struct out_diff_change *change)
{
  const double more = fabs(change->new.calls - change->old.calls);
  if (change->old.own < 0.01 * diff->total.old.own || change->old.calls == 0 || more > 0.001 * change->old.calls)
    return 0;
  switch (change->verdict) {
  case CALLSIG_DIFF_SLOWER:
    return COUNTS | SLOWER;
  case CALLSIG_DIFF_FASTER:
    return COUNTS | FASTER;
  default:
    return COUNTS;
  }
}

int out_diff_moved_count(const struct out_diff *diff, struct out_diff_moved *moved)
{
  *moved = (struct out_diff_moved){0};
  if (!diff->judged || diff->options.metric == CALLSIG_DIFF_CUMTIME)
    return 0;
  const struct out_profile *profile = &diff->stats->profile;
  const struct out_names names = out_diff_names(diff);
  uint8_t *marks = calloc(profile->functions.count + 1u, 1);
  if (!marks)
    return -ENOMEM;
  for (uint32_t i = 0; i < diff->rows.count; i++) {
    const struct out_diff_row *row = base_vector_at(&diff->rows, i);
    const struct out_known_function *function = out_row_function(&names, &row->key);
    if (function)
      marks[function - (const struct out_known_function *)profile->functions.data] |= mark_of(diff, &row->change);
  }
  for (uint32_t i = 0; i < profile->functions.count; i++) {
    moved->functions += (marks[i] & COUNTS) != 0;
    moved->slower += marks[i] == (COUNTS | SLOWER);
    moved->faster += marks[i] == (COUNTS | FASTER);
  }
  free(marks);
  return 0;
}

bool out_diff_moved_together(const struct out_diff_moved *moved)
{
  const uint32_t most = moved->slower > moved->faster ? moved->slower : moved->faster;
  return most >= LEAST && most >= moved->functions - moved->functions / 4;
}
