/* Sums over ranks that can be put together in any order. */
#include "output/profile/rank_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/profile.h"

typedef unsigned __int128 wide;

static wide joined(uint64_t low, uint64_t high)
{
  return (wide)high << 64 | low;
}

static const wide too_many = ~(wide)0;

/* The sum, which stays at the most once it got there. */
static wide added(wide left, wide right)
{
  return left > too_many - right ? too_many : left + right;
}

void out_rank_value_of(struct fmt_rec_rank_value *value, uint64_t amount, int64_t rank)
{
  const wide square = (wide)amount * amount;
  *value = (struct fmt_rec_rank_value){.min = amount,
                                       .max = amount,
                                       .min_at = rank,
                                       .max_at = rank,
                                       .sum_low = amount,
                                       .squares_low = (uint64_t)square,
                                       .squares_high = (uint64_t)(square >> 64)};
}

/* Adds the values of other ranks. */
static void add_value(struct fmt_rec_rank_value *value, const struct fmt_rec_rank_value *other)
{
  const wide sum = added(joined(value->sum_low, value->sum_high), joined(other->sum_low, other->sum_high));
  const wide squares =
      added(joined(value->squares_low, value->squares_high), joined(other->squares_low, other->squares_high));
  if (other->min < value->min || (other->min == value->min && other->min_at < value->min_at)) {
    value->min = other->min;
    value->min_at = other->min_at;
  }
  if (other->max > value->max || (other->max == value->max && other->max_at < value->max_at)) {
    value->max = other->max;
    value->max_at = other->max_at;
  }
  value->sum_low = (uint64_t)sum;
  value->sum_high = (uint64_t)(sum >> 64);
  value->squares_low = (uint64_t)squares;
  value->squares_high = (uint64_t)(squares >> 64);
}

double out_rank_value_mean(const struct fmt_rec_rank_value *value, uint32_t ranks)
{
  return (double)joined(value->sum_low, value->sum_high) / ranks;
}

double out_rank_value_deviation(const struct fmt_rec_rank_value *value, uint32_t ranks)
{
  const wide squares = joined(value->squares_low, value->squares_high), sum = joined(value->sum_low, value->sum_high);
  if (squares == too_many || sum == too_many)
    return NAN;
  /* About a whole number near the mean, modulo 2^128, in which the sum of so much smaller squares is exact. */
  const wide middle = sum / ranks, about = squares - 2 * middle * sum + ranks * middle * middle;
  const double rest = (double)(sum - middle * ranks) / ranks, variance = (double)about / ranks - rest * rest;
  return variance > 0 ? sqrt(variance) : 0;
}

/* What rows are told apart by. */
struct key {
  uint32_t process, what;
  bool of_signature;
};

static uint64_t hash(const struct key *key)
{
  return out_hash_mix((uint64_t)key->process << 1 | key->of_signature, key->what);
}

static bool equal_row(const void *rows, uint32_t number, const void *wanted)
{
  const struct out_rank_row *row = base_vector_at(rows, number);
  const struct key *key = wanted;
  return row->process == key->process && row->what == key->what && row->of_signature == key->of_signature;
}

/* Rows on their way. */
struct folding {
  struct base_vector rows;  /* struct out_rank_row, of processes after */
  struct base_vector parts; /* uint32_t by row: the process before that was added last, and 1 */
  struct out_idset set;
  int64_t *seen_first; /* by process after: the lowest rank of the parts that were added, FMT_NO_RANK before */
};

/* Adds a row of the process before with number `part`. */
static int add_row(struct folding *folding, const struct out_rank_row *row, uint32_t part, uint32_t process)
{
  const struct key key = {process, row->what, row->of_signature};
  uint32_t number = out_idset_find(&folding->set, hash(&key), &folding->rows, &key, equal_row);
  if (number == FMT_NONE) {
    struct out_rank_row *added_row = base_vector_add(&folding->rows, 1);
    uint32_t *last = base_vector_add(&folding->parts, 1);
    if (!added_row || !last)
      return -ENOMEM;
    *added_row = *row;
    added_row->process = process;
    if (folding->seen_first[process] < added_row->first_lacking)
      added_row->first_lacking = folding->seen_first[process];
    *last = part + 1;
    return out_idset_add(&folding->set, hash(&key), folding->rows.count - 1);
  }
  struct out_rank_row *sum = base_vector_at(&folding->rows, number);
  sum->have = row->have > UINT32_MAX - sum->have ? UINT32_MAX : sum->have + row->have;
  if (row->first_lacking < sum->first_lacking)
    sum->first_lacking = row->first_lacking;
  for (int i = 0; i < FMT_RANK_QUANTITIES; i++)
    add_value(&sum->values[i], &row->values[i]);
  *(uint32_t *)base_vector_at(&folding->parts, number) = part + 1;
  return 0;
}

/* All rows of one process before; those of the process after that it has no calls of lack its ranks. */
static int add_part(struct folding *folding, const struct out_profile *profile, uint32_t part, uint32_t process)
{
  const int64_t first = out_profile_recording(profile, part)->process.rank;
  int result = 0;
  for (uint32_t i = 0; i < profile->rank_rows.count && result == 0; i++) {
    const struct out_rank_row *row = base_vector_at(&profile->rank_rows, i);
    if (row->process == part && row->have > 0)
      result = add_row(folding, row, part, process);
  }
  for (uint32_t i = 0; i < folding->rows.count && result == 0; i++) {
    struct out_rank_row *row = base_vector_at(&folding->rows, i);
    if (row->process == process && *(uint32_t *)base_vector_at(&folding->parts, i) != part + 1 &&
        first < row->first_lacking)
      row->first_lacking = first;
  }
  if (first < folding->seen_first[process])
    folding->seen_first[process] = first;
  return result;
}

int out_rank_rows_fold(struct out_profile *profile, const uint32_t *process_of, uint32_t count)
{
  struct folding folding = {.rows = BASE_VECTOR_OF(struct out_rank_row),
                            .parts = BASE_VECTOR_OF(uint32_t),
                            .seen_first = malloc((count + 1u) * sizeof(int64_t))};
  int result = folding.seen_first ? 0 : -ENOMEM;
  if (profile->rank_rows.count == 0) {
    free(folding.seen_first);
    return 0;
  }
  for (uint32_t i = 0; i < count && result == 0; i++)
    folding.seen_first[i] = FMT_NO_RANK;
  for (uint32_t i = 0; i < count && result == 0; i++)
    result = add_part(&folding, profile, i, process_of[i]);
  if (result == 0) {
    base_vector_free(&profile->rank_rows);
    profile->rank_rows = folding.rows;
  } else {
    base_vector_free(&folding.rows);
  }
  base_vector_free(&folding.parts);
  out_idset_free(&folding.set);
  free(folding.seen_first);
  return result;
}

int out_rank_rows_index(const struct out_profile *profile, struct out_idset *set)
{
  int result = 0;
  for (uint32_t i = 0; i < profile->rank_rows.count && result == 0; i++) {
    const struct out_rank_row *row = base_vector_at(&profile->rank_rows, i);
    const struct key key = {row->process, row->what, row->of_signature};
    result = row->have > 0 ? out_idset_add(set, hash(&key), i) : 0;
  }
  return result;
}

const struct out_rank_row *out_rank_row_find(const struct out_profile *profile, const struct out_idset *set,
                                             uint32_t process, uint32_t what, bool of_signature)
{
  const struct key key = {process, what, of_signature};
  const uint32_t number = out_idset_find(set, hash(&key), &profile->rank_rows, &key, equal_row);
  return number == FMT_NONE ? NULL : base_vector_at(&profile->rank_rows, number);
}
