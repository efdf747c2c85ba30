/* Adds up what threads slept in the calls of edges into what they slept in those of rows. */
#include "output/stats/row_sleep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/beside/beside.h"
#include "output/stats/edge_share.h"

/* What a look costs that finds how long a thread slept, and what going to sleep and waking up takes, which the clocks
 * count for the one or the other. */
#define LOOK_SECONDS 2e-6

struct summing {
  const struct out_profile *profile;
  const struct out_grouping *grouping;
  const struct out_rows *rows;
  struct out_row_sleep *list;
  /* By edge, in ticks of its recording. */
  double *own, *inclusive, *error, *inclusive_error;
};

static const struct out_recording_info *recording_of(const struct out_profile *profile, const struct out_edge *edge)
{
  return out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
}

static bool is_told(const struct out_recording_info *info)
{
  return info->flags & FMT_REC_SLEEP && !(info->flags & FMT_REC_WAITS_UNKNOWN);
}

/* What the calls of the edge slept themselves. Calls that were drawn stand for those that were not timed: of few sleeps
 * among them as many more or none may be among the others (Poisson). */
static void find_own(struct summing *summing, uint32_t number)
{
  const struct out_profile *profile = summing->profile;
  const struct out_edge *edge = out_profile_edge(profile, number);
  if (edge->to == FMT_NONE || edge->sampling == FMT_NONE) {
    /* A task, an action, or an edge whose calls began before a fork: nobody noted it. */
    summing->error[number] = edge->to == FMT_NONE ? 0 : (double)out_edge_own(profile, edge);
    return;
  }
  const struct out_sampling *sampling = out_profile_sampling(profile, edge->sampling);
  if (sampling->sleep == FMT_NONE)
    return;
  const struct out_sleep *sleep = out_profile_sleep(profile, sampling->sleep);
  const double tick = recording_of(profile, edge)->tick;
  const double untimed = (double)out_edge_sampling(profile, edge).untimed;
  const double more = sampling->timed > 0 ? (double)sleep->drawn * (untimed / (double)sampling->timed) : 0;
  const double few = sleep->drawn_times > 0 ? 2 * more / sqrt((double)sleep->drawn_times) : 0;
  const double looks = tick > 0 ? (double)sleep->times * LOOK_SECONDS / tick : 0;
  summing->own[number] = (double)sleep->ticks + more;
  summing->error[number] = (double)sleep->unsure + few + looks;
}

/* What is not sure of where a thread slept is off in one row and the other way in another, so that it is no error of a
 * call that both are in: no more than all of it is added up. */
static int find_inclusive(struct summing *summing, struct out_profile *profile)
{
  int result = 0;
  for (uint32_t i = 0; i < profile->recordings.count && result == 0; i++) {
    struct out_beside_times sleep = {
        .profile = profile, .recording = i, .own = summing->own, .inclusive = summing->inclusive};
    struct out_beside_times error = {
        .profile = profile, .recording = i, .own = summing->error, .inclusive = summing->inclusive_error};
    if (!is_told(out_profile_recording(profile, i)))
      continue;
    result = out_beside_inclusive(&sleep);
    if (result == 0)
      result = out_beside_inclusive(&error);
  }
  return result;
}

static void add_edge(struct summing *summing, uint32_t number)
{
  const struct out_profile *profile = summing->profile;
  const struct out_grouping *grouping = summing->grouping;
  const struct out_edge *edge = out_profile_edge(profile, number);
  const uint32_t row = edge->to == FMT_NONE ? FMT_NONE : out_rows_of_edge(profile, grouping, summing->rows, number);
  if (row == FMT_NONE)
    return;
  struct out_row_sleep *sum = &summing->list[row];
  const struct out_recording_info *info = recording_of(profile, edge);
  if (!is_told(info)) {
    *sum = (struct out_row_sleep){NAN, NAN, NAN, NAN};
    return;
  }
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  const struct out_share share = out_edge_share(profile, grouping, edge, out_edge_group(profile, grouping, context));
  const double scale = info->tick / grouping->tick, total = (double)out_edge_total(profile, edge) * scale;
  const double read = (double)share.cumulative + (double)share.subtraction.cumulative;
  const double part = total > 0 ? fmin(read / total, 1) : 0;
  sum->own += edge->sampling == FMT_NONE ? NAN : summing->own[number] * scale;
  sum->own_error += edge->sampling == FMT_NONE ? NAN : summing->error[number] * scale;
  sum->cumulative += part * summing->inclusive[number] * scale;
  sum->cumulative_error += part * summing->inclusive_error[number] * scale;
}

/* No thread slept longer than a time is; what was more is not known to be less by as much. Less than a tick is what
 * differences leave of nothing. */
static void bound(double *slept, double *error, double time)
{
  *slept = fabs(*slept) < 1 ? 0 : *slept;
  *error = fabs(*error) < 1 ? 0 : *error;
  if (*slept > time) {
    *error += *slept - time;
    *slept = time;
  }
  *error = fmin(*error, time);
}

static int sum_up(struct summing *summing, struct out_profile *profile)
{
  if (!summing->list || !summing->own || !summing->inclusive || !summing->error || !summing->inclusive_error)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    find_own(summing, i);
  int result = find_inclusive(summing, profile);
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++)
    add_edge(summing, i);
  for (uint32_t i = 0; i < summing->rows->list.count && result == 0; i++) {
    const struct out_row *row = out_rows_at(summing->rows, i);
    struct out_row_sleep *sleep = &summing->list[i];
    bound(&sleep->own, &sleep->own_error, (double)row->own);
    bound(&sleep->cumulative, &sleep->cumulative_error, (double)row->cumulative);
  }
  return result;
}

int out_row_sleep_make(struct out_profile *profile, const struct out_grouping *grouping, const struct out_rows *rows,
                       struct out_row_sleep **list)
{
  bool any = false;
  *list = NULL;
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    any |= is_told(out_profile_recording(profile, i));
  if (!any)
    return 0;
  const size_t edges = profile->edges.count + 1u;
  struct summing summing = {.profile = profile,
                            .grouping = grouping,
                            .rows = rows,
                            .list = calloc(rows->list.count + 1u, sizeof *summing.list),
                            .own = calloc(edges, sizeof *summing.own),
                            .inclusive = calloc(edges, sizeof *summing.inclusive),
                            .error = calloc(edges, sizeof *summing.error),
                            .inclusive_error = calloc(edges, sizeof *summing.inclusive_error)};
  int result = sum_up(&summing, profile);
  free(summing.own);
  free(summing.inclusive);
  free(summing.error);
  free(summing.inclusive_error);
  if (result < 0)
    free(summing.list);
  else
    *list = summing.list;
  return result;
}
