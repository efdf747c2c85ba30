/* Adds up what threads slept in the calls of edges into what they slept in those of rows, and finds the threads that
 * did nothing else. */
#include "output/stats/row_sleep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/beside/beside.h"
#include "output/profile/edge_time.h"
#include "output/sampling/edge_sleep.h"
#include "output/stats/edge_share.h"
#include "output/stats/stats_object.h"

#define COMPUTED_MOST 0.01 /* of the time of a thread that sleeps */
#define WORKED_LEAST  0.01 /* of what all threads computed, for one that works */
#define UNTOLD_MOST   0.01 /* of a row's time, in recordings that do not tell, where it is known all the same */

struct summing {
  const struct out_profile *profile;
  const struct out_grouping *grouping;
  const struct out_rows *rows;
  struct out_row_sleep *list;
  double *untold; /* by row, the time in recordings that do not tell; in ticks of the grouping */
  struct out_sleep_total total;
  /* By edge, in ticks of its recording. */
  double *own, *inclusive, *error, *inclusive_error;
};

static const struct out_recording_info *recording_of(const struct out_profile *profile, const struct out_edge *edge)
{
  return out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
}

/* The own time of the edge's calls, as it is to be shown. */
static double own_time(const struct summing *summing, uint32_t number)
{
  const struct out_compensation *compensation = summing->grouping->compensation;
  const double taken = compensation ? (double)compensation->own[number] : 0;
  return (double)out_edge_own(summing->profile, out_profile_edge(summing->profile, number)) - taken;
}

/* What the calls of the edge slept themselves: no more than they take in any row, so that sums do not depend on how
 * calls are grouped. */
static void find_own(struct summing *summing, uint32_t number)
{
  const struct out_edge *edge = out_profile_edge(summing->profile, number);
  const struct out_edge_sleep sleep = out_edge_sleep(summing->profile, edge, own_time(summing, number));
  summing->own[number] = sleep.ticks;
  summing->error[number] = sleep.error;
}

static bool has_any(const double *ticks, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (ticks[i] != 0)
      return true;
  return false;
}

/* What is not sure of where a thread slept is off in one row and the other way in another, so that it is no error of a
 * call that both are in: no more than all of it is added up. Where nothing slept, as in most programs that compute, the
 * sums are the zeros that are there. */
static int find_inclusive(struct summing *summing, struct out_profile *profile)
{
  const bool any = has_any(summing->own, profile->edges.count), doubts = has_any(summing->error, profile->edges.count);
  int result = 0;
  for (uint32_t i = 0; i < profile->recordings.count && result == 0; i++) {
    struct out_beside_times sleep = {
        .profile = profile, .recording = i, .own = summing->own, .inclusive = summing->inclusive};
    struct out_beside_times error = {
        .profile = profile, .recording = i, .own = summing->error, .inclusive = summing->inclusive_error};
    if (!out_sleep_is_told(out_profile_recording(profile, i)))
      continue;
    if (any)
      result = out_beside_inclusive(&sleep);
    if (result == 0 && doubts)
      result = out_beside_inclusive(&error);
  }
  return result;
}

/* Adds to the row of an edge, unless the edge is of a recording that does not tell, which `untold` is then raised by.
 */
typedef void (*add_fn)(struct summing *summing, uint32_t number, double scale, struct out_row_sleep *sum,
                       double *untold);

static void add_own(struct summing *summing, uint32_t number, double scale, struct out_row_sleep *sum, double *untold)
{
  if (untold) {
    *untold += fmax(own_time(summing, number), 0) * scale;
    return;
  }
  sum->own += summing->own[number] * scale;
  sum->own_error += summing->error[number] * scale;
}

static void add_inclusive(struct summing *summing, uint32_t number, double scale, struct out_row_sleep *sum,
                          double *untold)
{
  const struct out_profile *profile = summing->profile;
  const struct out_edge *edge = out_profile_edge(profile, number);
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  const struct out_share share =
      out_edge_share(profile, summing->grouping, edge, out_edge_group(profile, summing->grouping, context));
  if (untold) {
    *untold += (double)share.cumulative;
    return;
  }
  const double total = (double)out_edge_total(profile, edge) * scale;
  const double read = (double)share.cumulative + (double)share.subtraction.cumulative;
  const double part = total > 0 ? fmin(read / total, 1) : 0;
  sum->cumulative += part * summing->inclusive[number] * scale;
  sum->cumulative_error += part * summing->inclusive_error[number] * scale;
}

static void add_edge(struct summing *summing, uint32_t number, add_fn add)
{
  const struct out_profile *profile = summing->profile;
  const struct out_grouping *grouping = summing->grouping;
  const struct out_edge *edge = out_profile_edge(profile, number);
  const uint32_t row = edge->to == FMT_NONE ? FMT_NONE : out_rows_of_edge(profile, grouping, summing->rows, number);
  if (row == FMT_NONE)
    return;
  const struct out_recording_info *info = recording_of(profile, edge);
  add(summing, number, info->tick / grouping->tick, &summing->list[row],
      out_sleep_is_told(info) ? NULL : &summing->untold[row]);
}

/* Adds an edge that is in a row to the sum of all. */
static void add_to_total(struct summing *summing, uint32_t number)
{
  const struct out_edge *edge = out_profile_edge(summing->profile, number);
  if (edge->to == FMT_NONE || out_rows_of_edge(summing->profile, summing->grouping, summing->rows, number) == FMT_NONE)
    return;
  const struct out_recording_info *info = recording_of(summing->profile, edge);
  const double scale = info->tick / summing->grouping->tick;
  if (out_sleep_is_told(info) && edge->sampling != FMT_NONE)
    summing->total.slept += summing->own[number] * scale;
  else
    summing->total.untold += own_time(summing, number) * scale;
}

/* No thread slept longer than a time is; what was more is not known to be less by as much. Less than a tick is what
 * differences leave of nothing. Of what no recording tells of it may be all, and where that is more than a little,
 * nothing is known. */
static void bound(double *slept, double *error, double untold, double time)
{
  if (untold > UNTOLD_MOST * time) {
    *slept = NAN;
    *error = time;
    return;
  }
  *slept = fabs(*slept) < 1 ? 0 : *slept;
  *error = fabs(*error) < 1 ? 0 : *error;
  if (*slept > time) {
    *error += *slept - time;
    *slept = time;
  }
  *error = fmin(*error + untold, time);
}

static void sum_up(struct summing *summing, add_fn add)
{
  for (uint32_t i = 0; i < summing->profile->edges.count; i++)
    add_edge(summing, i, add);
}

/* What the edges slept themselves. Finds no memory: -ENOMEM; summing_free() in either case. */
static int summing_init(struct summing *summing)
{
  const size_t edges = summing->profile->edges.count + 1u;
  summing->own = calloc(edges, sizeof *summing->own);
  summing->error = calloc(edges, sizeof *summing->error);
  summing->untold = calloc(summing->rows->list.count + 1u, sizeof *summing->untold);
  if (!summing->own || !summing->error || !summing->untold)
    return -ENOMEM;
  for (uint32_t i = 0; i < summing->profile->edges.count; i++)
    find_own(summing, i);
  return 0;
}

static void summing_free(struct summing *summing)
{
  free(summing->own);
  free(summing->inclusive);
  free(summing->error);
  free(summing->inclusive_error);
  free(summing->untold);
}

int out_row_sleep_make(const struct out_profile *profile, const struct out_grouping *grouping,
                       const struct out_rows *rows, struct out_row_sleep **list, struct out_sleep_total *total)
{
  bool any = false;
  *list = NULL;
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    any |= out_sleep_is_told(out_profile_recording(profile, i));
  if (!any)
    return 0;
  struct summing summing = {.profile = profile,
                            .grouping = grouping,
                            .rows = rows,
                            .list = calloc(rows->list.count + 1u, sizeof *summing.list)};
  int result = summing.list ? summing_init(&summing) : -ENOMEM;
  if (result == 0)
    sum_up(&summing, add_own);
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++)
    add_to_total(&summing, i);
  *total = summing.total;
  for (uint32_t i = 0; i < rows->list.count && result == 0; i++)
    bound(&summing.list[i].own, &summing.list[i].own_error, summing.untold[i], (double)out_rows_at(rows, i)->own);
  summing_free(&summing);
  if (result < 0)
    free(summing.list);
  else
    *list = summing.list;
  return result;
}

int out_row_sleep_inclusive(struct out_profile *profile, const struct out_grouping *grouping,
                            const struct out_rows *rows, struct out_row_sleep *list)
{
  const size_t edges = profile->edges.count + 1u;
  struct summing summing = {.profile = profile,
                            .grouping = grouping,
                            .rows = rows,
                            .list = list,
                            .inclusive = calloc(edges, sizeof *summing.inclusive),
                            .inclusive_error = calloc(edges, sizeof *summing.inclusive_error)};
  int result = summing.inclusive && summing.inclusive_error ? summing_init(&summing) : -ENOMEM;
  if (result == 0)
    result = find_inclusive(&summing, profile);
  if (result == 0)
    sum_up(&summing, add_inclusive);
  for (uint32_t i = 0; i < rows->list.count && result == 0; i++)
    bound(&list[i].cumulative, &list[i].cumulative_error, summing.untold[i], (double)out_rows_at(rows, i)->cumulative);
  summing_free(&summing);
  return result;
}

enum { AWAKE, WORKS, ASLEEP };

struct sleepers {
  uint8_t *threads; /* by thread, how it spent its time */
  bool any, any_works;
};

/* What was spent in calls, without their callees, in ticks of a recording. */
struct spent {
  double own, slept;
};

static double computed(const struct spent *spent)
{
  return spent->own - spent->slept;
}

static void sum_threads(const struct out_profile *profile, const struct out_grouping *grouping, struct spent *threads)
{
  const struct out_compensation *compensation = grouping->compensation;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    const double own = (double)out_edge_own(profile, edge) - (compensation ? (double)compensation->own[i] : 0);
    threads[edge->thread].own += own;
    threads[edge->thread].slept += out_edge_sleep(profile, edge, own).ticks;
  }
}

static void sum_recordings(const struct out_profile *profile, const struct spent *threads, double *recordings)
{
  for (uint32_t i = 0; i < profile->threads.count; i++)
    recordings[out_profile_thread(profile, i)->recording] += computed(&threads[i]);
}

static bool is_asleep(const struct out_profile *profile, const struct out_known_thread *thread,
                      const struct spent *spent)
{
  const struct out_recording_info *info = out_profile_recording(profile, thread->recording);
  const bool is_several = info->process.processes > 1 || info->process.ranks > 1;
  return thread->tid != info->pid && !is_several && out_sleep_is_told(info) && spent->own > 0 &&
         computed(spent) < COMPUTED_MOST * spent->own;
}

static void classify(const struct out_profile *profile, const struct spent *threads, const double *recordings,
                     struct sleepers *sleepers)
{
  for (uint32_t i = 0; i < profile->threads.count; i++) {
    const struct out_known_thread *thread = out_profile_thread(profile, i);
    const double all = recordings[thread->recording];
    if (!is_asleep(profile, thread, &threads[i]))
      continue;
    sleepers->threads[i] = all > 0 && computed(&threads[i]) >= WORKED_LEAST * all ? WORKS : ASLEEP;
    sleepers->any = true;
    sleepers->any_works |= sleepers->threads[i] == WORKS;
  }
}

static int find_sleepers(const struct out_profile *profile, const struct out_grouping *grouping,
                         struct sleepers *sleepers)
{
  struct spent *threads = calloc(profile->threads.count + 1u, sizeof *threads);
  double *recordings = calloc(profile->recordings.count + 1u, sizeof *recordings);
  *sleepers = (struct sleepers){.threads = calloc(profile->threads.count + 1u, sizeof *sleepers->threads)};
  const bool has_room = threads && recordings && sleepers->threads;
  if (has_room) {
    sum_threads(profile, grouping, threads);
    sum_recordings(profile, threads, recordings);
    classify(profile, threads, recordings, sleepers);
  }
  free(threads);
  free(recordings);
  return has_room ? 0 : -ENOMEM;
}

/* By row, whether it is among the others; NULL: no memory. */
static bool *find_front(const struct out_profile *profile, const struct out_grouping *grouping,
                        const struct out_rows *rows, const struct sleepers *sleepers, const struct out_row_sleep *sleep)
{
  bool *front = calloc(rows->list.count + 1u, sizeof *front);
  for (uint32_t i = 0; front && i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    const uint32_t row = edge->to == FMT_NONE ? FMT_NONE : out_rows_of_edge(profile, grouping, rows, i);
    if (row == FMT_NONE || front[row])
      continue;
    const uint8_t thread = sleepers->threads[edge->thread];
    front[row] =
        thread == AWAKE || (thread == WORKS && sleep[row].cumulative < (double)out_rows_at(rows, row)->cumulative / 2);
  }
  return front;
}

/* Returns how many rows are behind the others then. */
static uint32_t part(const bool *front, uint32_t *order, uint32_t *behind, uint32_t count)
{
  uint32_t first = 0, last = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (front[order[i]])
      order[first++] = order[i];
    else
      behind[last++] = order[i];
  }
  for (uint32_t i = 0; i < last; i++)
    order[first + i] = behind[i];
  return last;
}

/* As out_row_sleep_last(), of sleepers that there are. */
static int put_last(struct callsig_stats *stats, const struct sleepers *sleepers)
{
  if (sleepers->any_works && !stats->has_inclusive_sleep) {
    if (out_row_sleep_inclusive(&stats->profile, &stats->grouping, &stats->rows, stats->sleep) < 0)
      return -ENOMEM;
    stats->has_inclusive_sleep = true;
  }
  bool *front = find_front(&stats->profile, &stats->grouping, &stats->rows, sleepers, stats->sleep);
  uint32_t *behind = malloc((stats->listed + 1u) * sizeof *behind);
  const bool has_room = front && behind;
  if (has_room)
    stats->has_asleep = part(front, stats->order, behind, stats->listed) > 0;
  free(behind);
  free(front);
  return has_room ? 0 : -ENOMEM;
}

int out_row_sleep_last(struct callsig_stats *stats)
{
  struct sleepers sleepers;
  int result = find_sleepers(&stats->profile, &stats->grouping, &sleepers);
  if (result == 0 && sleepers.any)
    result = put_last(stats, &sleepers);
  free(sleepers.threads);
  return result;
}
