/* Adds up the histograms of each row's calls and reads percentiles off them. */
#include "output/stats/percentile.h"

#include <math.h>
#include <stdlib.h>

#include "output/profile/edge_time.h"

/* So many calls took about so long. */
struct times {
  double ticks; /* of the grouping */
  uint64_t count;
};

/* What the rows' times are gathered in: those of row i are list[starts[i]] up to list[starts[i + 1]]. */
struct gathering {
  const struct out_profile *profile;
  const struct out_grouping *grouping;
  struct out_rows *rows;
  uint64_t *starts;
  struct times *list;
  uint8_t *missing; /* by row: some of its calls are in no histogram */
  uint8_t *open;    /* by row: some of its calls had not ended */
};

/* The middle of a bucket, as format/recording.h numbers them. */
static double middle_of(uint32_t bucket, uint32_t sub_bits)
{
  uint64_t sub_buckets = UINT64_C(1) << sub_bits;
  if (bucket < 2 * sub_buckets)
    return (double)bucket;
  uint32_t shift = (bucket >> sub_bits) - 1;
  double low = ldexp((double)((bucket & (sub_buckets - 1)) + sub_buckets), (int)shift);
  return low + (ldexp(1, (int)shift) - 1) / 2;
}

/* Notes what an edge lacks, and how many of its buckets there are for its row. */
static void count_edge(struct gathering *gathering, uint32_t number, uint32_t row)
{
  const struct out_profile *profile = gathering->profile;
  const struct out_edge *edge = out_profile_edge(profile, number);
  const struct out_times *times = out_profile_times(profile, number);
  uint64_t ended = edge->calls;
  if (edge->recursion != FMT_NONE) {
    const struct out_recursion *recursion = out_profile_recursion(profile, edge->recursion);
    ended += recursion->calls - recursion->open;
    gathering->open[row] |= recursion->open > 0;
  }
  gathering->missing[row] |= ended > 0 && !times;
  gathering->starts[row + 1] += times ? times->count : 0;
}

/* How many calls of the edge each call in its histogram stands for: edges that were timed more seldom count no less. */
static double weight_of(const struct out_profile *profile, const struct out_edge *edge, const struct out_times *times)
{
  struct out_edge_sampling sampling = out_edge_sampling(profile, edge);
  uint64_t kept = 0;
  if (sampling.untimed == 0)
    return 1;
  for (uint32_t i = 0; i < times->count; i++)
    kept += ((const struct out_bucket *)base_vector_at(&profile->buckets, times->first + i))->count;
  return kept > 0 ? 1 + (double)sampling.untimed / (double)kept : 1;
}

/* Whole calls, as many as can be told: those of a damaged recording may be more than there are numbers. */
static uint64_t counted(double calls)
{
  return calls < 0x1p64 ? (uint64_t)(calls + 0.5) : UINT64_MAX;
}

static void place_edge(struct gathering *gathering, uint32_t number, uint32_t row)
{
  const struct out_profile *profile = gathering->profile;
  const struct out_times *times = out_profile_times(profile, number);
  uint32_t recording = out_profile_thread(profile, out_profile_edge(profile, number)->thread)->recording;
  double scale = out_profile_recording(profile, recording)->tick / gathering->grouping->tick;
  double weight = times ? weight_of(profile, out_profile_edge(profile, number), times) : 1;
  for (uint32_t i = 0; times && i < times->count; i++) {
    const struct out_bucket *bucket = base_vector_at(&profile->buckets, times->first + i);
    gathering->list[gathering->starts[row]++] = (struct times){
        .ticks = middle_of(bucket->number, times->sub_bits) * scale, .count = counted((double)bucket->count * weight)};
  }
}

/* Calls `visit` for each edge that is part of a row. */
static void each_edge(struct gathering *gathering, void (*visit)(struct gathering *, uint32_t, uint32_t))
{
  for (uint32_t i = 0; i < gathering->profile->edges.count; i++) {
    uint32_t row = out_rows_of_edge(gathering->profile, gathering->grouping, gathering->rows, i);
    if (row != FMT_NONE)
      visit(gathering, i, row);
  }
}

static int compare_times(const void *left, const void *right)
{
  const struct times *a = left, *b = right;
  return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

/* The time at `permille` of the sorted list. The ends are known exactly, but for calls that had not ended. */
static double at_permille(const struct times *list, uint64_t count, uint64_t total, unsigned permille,
                          const struct out_row *row, bool is_exact)
{
  uint64_t rank = total / 1000 * permille + total % 1000 * permille / 1000;
  if (is_exact && rank >= total - 1)
    return (double)row->max;
  if (is_exact && rank == 0)
    return (double)row->min;
  uint64_t i = 0;
  for (uint64_t before = 0; i + 1 < count && list[i].count <= rank - before; i++)
    before += list[i].count;
  double ticks = list[i].ticks;
  return ticks < (double)row->min ? (double)row->min : ticks > (double)row->max ? (double)row->max : ticks;
}

static void find_percentiles(const struct gathering *gathering, uint32_t number, struct times *list, uint64_t count,
                             struct out_percentiles *percentiles)
{
  static const unsigned permilles[OUT_PERCENTILES] = {[OUT_P50] = 500, [OUT_P90] = 900, [OUT_P99] = 990};
  uint64_t total = 0;
  for (uint64_t i = 0; i < count; i++)
    total = list[i].count < UINT64_MAX - total ? total + list[i].count : UINT64_MAX;
  if (count > 0)
    qsort(list, count, sizeof *list, compare_times);
  for (unsigned i = 0; i < OUT_PERCENTILES; i++)
    percentiles->value[i] = gathering->missing[number] || total == 0
                                ? NAN
                                : at_permille(list, count, total, permilles[i], out_rows_at(gathering->rows, number),
                                              !gathering->open[number]);
}

/* Sums the counts of `starts` into where each row's times begin; the result is how many there are. */
static uint64_t sum_starts(struct gathering *gathering)
{
  for (uint32_t i = 0; i < gathering->rows->list.count; i++)
    gathering->starts[i + 1] += gathering->starts[i];
  return gathering->starts[gathering->rows->list.count];
}

struct out_percentiles *out_percentiles_make(const struct out_profile *profile, const struct out_grouping *grouping,
                                             struct out_rows *rows)
{
  uint32_t count = rows->list.count;
  struct gathering gathering = {.profile = profile,
                                .grouping = grouping,
                                .rows = rows,
                                .starts = calloc(count + 2u, sizeof *gathering.starts),
                                .missing = calloc(count + 1u, 1),
                                .open = calloc(count + 1u, 1)};
  struct out_percentiles *percentiles = calloc(count + 1u, sizeof *percentiles);
  bool complete = gathering.starts && gathering.missing && gathering.open && percentiles;
  if (complete) {
    each_edge(&gathering, count_edge);
    gathering.list = calloc(sum_starts(&gathering) + 1, sizeof *gathering.list);
    complete = gathering.list != NULL;
  }
  if (complete) {
    /* Placing moves each row's start up to the next one's. */
    each_edge(&gathering, place_edge);
    for (uint32_t i = 0; i < count; i++) {
      uint64_t first = i ? gathering.starts[i - 1] : 0;
      find_percentiles(&gathering, i, gathering.list + first, gathering.starts[i] - first, &percentiles[i]);
    }
  } else {
    free(percentiles);
    percentiles = NULL;
  }
  free(gathering.starts);
  free(gathering.missing);
  free(gathering.open);
  free(gathering.list);
  return percentiles;
}
