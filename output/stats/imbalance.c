/* Compares the times of processes, or ranks, row by row. */
#include "output/stats/imbalance.h"

#include <errno.h>
#include <string.h>

#include "output/profile/process.h"

/* What rows are put together by: a spread's key, and the numbers of the rows so far. */
struct gathering {
  const struct callsig_stats *stats;
  struct out_imbalances *imbalances;
  struct base_vector parts; /* uint32_t by spread: how many rows it has */
  struct out_idset set;
};

void out_imbalances_free(struct out_imbalances *imbalances)
{
  base_vector_free(&imbalances->list);
}

/* The key of what a row is put together with. */
static struct out_row_key shared_key(const struct out_row_key *key)
{
  struct out_row_key shared = *key;
  shared.process = shared.rank = FMT_NONE;
  return shared;
}

static bool equal_imbalance(const void *owner, uint32_t number, const void *key)
{
  const struct gathering *gathering = owner;
  const struct out_imbalance *imbalance = base_vector_at(&gathering->imbalances->list, number);
  struct out_row_key there = shared_key(&out_rows_at(&gathering->stats->rows, imbalance->row)->key);
  return memcmp(&there, key, sizeof there) == 0;
}

static int find_imbalance(struct gathering *gathering, uint32_t row, uint32_t *number)
{
  struct out_row_key key = shared_key(&out_rows_at(&gathering->stats->rows, row)->key);
  uint64_t hash = out_hash_mix((uint64_t)key.what << 32 | key.stage, (uint64_t)key.thread << 32 | key.module);
  *number = out_idset_find(&gathering->set, hash, gathering, &key, equal_imbalance);
  if (*number != FMT_NONE)
    return 0;
  struct out_imbalance *added = base_vector_add(&gathering->imbalances->list, 1);
  if (!added || !base_vector_add(&gathering->parts, 1))
    return -ENOMEM;
  *added = (struct out_imbalance){.row = row, .own = {.slowest = row}, .cumulative = {.slowest = row}};
  added->own.min = added->cumulative.min = UINT64_MAX;
  *number = gathering->imbalances->list.count - 1;
  return out_idset_add(&gathering->set, hash, *number);
}

static bool comes_before(const struct gathering *gathering, uint32_t left, uint32_t right)
{
  const struct out_profile *profile = &gathering->stats->profile;
  const struct out_row_key *a = &out_rows_at(&gathering->stats->rows, left)->key,
                           *b = &out_rows_at(&gathering->stats->rows, right)->key;
  if (gathering->imbalances->of_ranks)
    return out_process_compare_ranks(profile, a->rank, b->rank) < 0;
  return out_process_compare(profile, a->process, b->process) < 0;
}

/* `mean` is the sum until all are there. */
static void add_time(const struct gathering *gathering, struct out_imbalance_time *time, uint32_t row, uint64_t ticks)
{
  if (ticks > time->max || (ticks == time->max && comes_before(gathering, row, time->slowest)))
    time->slowest = row;
  if (ticks > time->max)
    time->max = ticks;
  if (ticks < time->min)
    time->min = ticks;
  time->mean += (double)ticks;
}

static int add_row(struct gathering *gathering, uint32_t number)
{
  const struct out_row *row = out_rows_at(&gathering->stats->rows, number);
  uint32_t imbalance_number;
  int result = find_imbalance(gathering, number, &imbalance_number);
  if (result < 0)
    return result;
  struct out_imbalance *imbalance = base_vector_at(&gathering->imbalances->list, imbalance_number);
  add_time(gathering, &imbalance->own, number, row->own);
  add_time(gathering, &imbalance->cumulative, number, row->cumulative);
  ++*(uint32_t *)base_vector_at(&gathering->parts, imbalance_number);
  return 0;
}

static void finish_time(struct out_imbalance_time *time, uint32_t parts, uint32_t count)
{
  if (parts < count)
    time->min = 0;
  time->mean /= count;
}

/* How many processes there are, or ranks: those without one are no rank, unless none has one. */
static uint32_t count_members(const struct callsig_stats *stats, bool of_ranks, bool *any_rank)
{
  uint32_t ranks = 0, members = stats->profile.recordings.count;
  *any_rank = false;
  if (!of_ranks)
    return members;
  for (uint32_t i = 0; i < members; i++) {
    bool has_rank = out_process_has_rank(&stats->profile, i);
    ranks += has_rank && stats->ranks[i] == i;
    *any_rank |= has_rank;
  }
  return *any_rank ? ranks : 1;
}

int out_imbalances_make(const struct callsig_stats *stats, const uint32_t *rows, uint32_t count,
                        struct out_imbalances *imbalances)
{
  *imbalances = (struct out_imbalances){.list = BASE_VECTOR_OF(struct out_imbalance),
                                        .of_ranks = !(stats->by & CALLSIG_BY_PROCESS) && stats->by & CALLSIG_BY_RANK};
  if (!(stats->by & (CALLSIG_BY_PROCESS | CALLSIG_BY_RANK)))
    return 0;
  struct gathering gathering = {.stats = stats, .imbalances = imbalances, .parts = BASE_VECTOR_OF(uint32_t)};
  bool any_rank;
  int result = 0;
  imbalances->count = count_members(stats, imbalances->of_ranks, &any_rank);
  for (uint32_t i = 0; i < count && result == 0; i++) {
    uint32_t rank = out_rows_at(&stats->rows, rows[i])->key.rank;
    if (imbalances->of_ranks && any_rank && !out_process_has_rank(&stats->profile, rank))
      continue;
    result = add_row(&gathering, rows[i]);
  }
  for (uint32_t i = 0; i < imbalances->list.count && result == 0; i++) {
    struct out_imbalance *imbalance = base_vector_at(&imbalances->list, i);
    uint32_t parts = *(uint32_t *)base_vector_at(&gathering.parts, i);
    finish_time(&imbalance->own, parts, imbalances->count);
    finish_time(&imbalance->cumulative, parts, imbalances->count);
  }
  base_vector_free(&gathering.parts);
  out_idset_free(&gathering.set);
  return result;
}
