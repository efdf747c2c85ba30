/* Finds own times by samples of the profiled run. */
#include "output/beside/in_place.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/beside/hidden.h"
#include "output/sampling/edge_sleep.h"
#include "output/sampling/hook_cost.h"

/* How far what the clock read is from the truth, once the hooks' average cost is off it: as a part of the larger of the
 * two, a standard deviation. It counts where there are hardly any samples. */
#define CLOCK_ERROR 0.5

/* Half the width of an interval of 95 %, in standard deviations. */
#define HALF_WIDTH 1.959964

/* Halvings of the interval in which a bound is sought: as many as a double has bits, and more. */
#define HALVINGS 64u

/* So many samples in callsig's own code, and more or less, may be of its beginning and its end: they are no hook's. */
#define BEGINNING 80.0

/* Hooks take so many times what was calibrated, more or less: a standard deviation. */
#define CALIBRATION_ERROR 4.0

/* The part of what the clock reads that samples may take themselves. */
#define INTERRUPTED 0.1

/* What a function computed, by its samples and by what is left of its own time when the hooks cost it as much as on
 * average, each by how certain it is. The number of samples is drawn from a Poisson distribution; one more than there
 * are is what is certain of none. Of many short calls the clock may have read next to nothing, whatever they took. */
static double computed(const struct out_in_place *function, double average, double period)
{
  if (!(function->own > 0) && !(function->samples > 0))
    return 0;
  const double cost = function->cost * average, left = fmax(function->own - cost, 0);
  const double deviation = hypot(CLOCK_ERROR * fmax(cost, left), function->misread / HALF_WIDTH),
               left_variance = deviation * deviation;
  const double samples_variance = period * (function->samples + function->known + period);
  /* A clock that read nothing, where hooks cost nothing, is sure of nothing. */
  if (!(left_variance > 0))
    return function->samples;
  return (function->samples * left_variance + left * samples_variance) / (left_variance + samples_variance);
}

/* What all functions together have beyond their samples, when hooks took `bound` times what was calibrated of each. */
static double unexplained(const struct out_in_place *functions, uint32_t count, double bound)
{
  double sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += fmax(functions[i].own - functions[i].samples - bound * functions[i].cost, 0);
  return sum;
}

/* The multiple of the calibrated costs with which no more is unexplained than `waited`. */
static double find_bound(const struct out_in_place *functions, uint32_t count, double waited)
{
  double least = 0, most = 1;
  while (most < 1e18 && unexplained(functions, count, most) > waited)
    most *= 2;
  for (unsigned i = 0; i < HALVINGS; i++) {
    const double middle = (least + most) / 2;
    *(unexplained(functions, count, middle) > waited ? &least : &most) = middle;
  }
  return most;
}

/* How many times their calibrated costs hooks took on average, by the samples in them and by the calibration, each by
 * how certain it is: of a program that ends at once, samples tell of callsig's beginning. */
static double average_cost(const struct out_in_place *all, const struct out_in_place_run *run)
{
  if (!(all->cost > 0))
    return 0;
  const double sampled = run->hooks / all->cost, error = BEGINNING * run->period / all->cost;
  const double variance = error * error, calibrated_variance = CALIBRATION_ERROR * CALIBRATION_ERROR;
  return (sampled * calibrated_variance + variance) / (variance + calibrated_variance);
}

/* The clock also read what the samples themselves took: time in which the program was nowhere, a tenth at the most. All
 * functions have that alike. */
static void leave_out_interrupts(struct out_in_place *functions, uint32_t count, const struct out_in_place_run *run,
                                 struct out_in_place *all)
{
  const double there = all->samples + run->hooks + run->beyond;
  const double part = all->own > there ? fmax(there / all->own, 1 - INTERRUPTED) : 1;
  for (uint32_t i = 0; i < count; i++)
    functions[i].own *= part;
  all->own *= part;
}

void out_in_place_solve(struct out_in_place *functions, uint32_t count, const struct out_in_place_run *run)
{
  struct out_in_place all = {0};
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    all.own += functions[i].own;
    all.cost += functions[i].cost;
    all.samples += functions[i].samples;
    all.known += functions[i].known;
    all.misread += functions[i].misread;
  }
  leave_out_interrupts(functions, count, run, &all);
  const double average = average_cost(&all, run);
  const double waited = fmin(fmax(all.own - all.samples - run->hooks, 0), run->beyond);
  const double bound = find_bound(functions, count, waited);
  /* Functions without hooks keep more than there is. */
  const double left = unexplained(functions, count, bound), part = left > waited ? waited / left : 1;
  for (uint32_t i = 0; i < count; i++)
    sum += computed(&functions[i], average, run->period);
  /* What was waited is no part of what all of them computed. */
  all.own -= waited;
  const double whole = computed(&all, average, run->period);
  for (uint32_t i = 0; i < count; i++) {
    struct out_in_place *function = &functions[i];
    const double beyond = fmax(function->own - function->samples - bound * function->cost, 0);
    const double share = sum > 0 ? computed(function, average, run->period) / sum : 0;
    function->samples = beyond * part + share * whole;
  }
}

const struct out_sampled_run *out_in_place_run(const struct out_profile *profile, const struct out_recording_info *info)
{
  const struct out_sampled_run *run =
      info->sampled == FMT_NONE ? NULL : out_profile_sampled_run(profile, info->sampled);
  return run && run->head.flags & FMT_SAMPLES_OWN_RUN && run->head.samples > 0 ? run : NULL;
}

const struct out_sampled_run *out_in_place_timed_run(const struct out_profile *profile,
                                                     const struct out_recording_info *info)
{
  const bool is_own_clock = info->clock == FMT_CLOCK_INJECTED && !(info->flags & FMT_REC_SAMPLED);
  return is_own_clock ? NULL : out_in_place_run(profile, info);
}

struct out_in_place_runs out_in_place_runs(const struct out_profile *profile)
{
  struct out_in_place_runs runs = {0, 0};
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    runs.all += (info->flags & FMT_REC_SAMPLED) != 0;
    runs.lacking += info->flags & FMT_REC_SAMPLED && !out_in_place_run(profile, info);
  }
  return runs;
}

static bool is_module(const struct out_profile *profile, const struct out_place *place, const char *name)
{
  return place->parent == FMT_NONE && strcmp(out_profile_string(profile, place->name), name) == 0;
}

struct out_in_place_samples out_in_place_samples(const struct out_profile *profile, const struct out_sampled_run *run)
{
  struct out_in_place_samples samples = {.all = run->head.samples};
  for (uint32_t i = 0; i < run->count; i++) {
    const struct out_place *place = out_profile_place(profile, run->first + i);
    if (is_module(profile, place, FMT_OWN_CODE))
      samples.hooks += place->samples;
    else if (is_module(profile, place, FMT_KERNEL) || is_module(profile, place, FMT_WAITING))
      samples.all -= place->samples;
  }
  return samples;
}

struct out_in_place_samples out_in_place_of_recording(const struct out_profile *profile,
                                                      const struct out_recording_info *info)
{
  const struct out_sampled_run *run = info->clock == FMT_CLOCK_INJECTED ? NULL : out_in_place_run(profile, info);
  return run ? out_in_place_samples(profile, run) : (struct out_in_place_samples){0};
}

/* What is in no row and in no hook. */
static uint64_t samples_beyond(const struct out_profile *profile, const struct out_sampled_run *run)
{
  uint64_t samples = run->head.unmapped;
  for (uint32_t i = 0; i < run->count; i++) {
    const struct out_place *place = out_profile_place(profile, run->first + i);
    if (place->row == FMT_NONE && !is_module(profile, place, FMT_OWN_CODE))
      samples += place->samples;
  }
  return samples;
}

/* Is the edge what calls waited, as was told when they had ended? That is known to the clock's precision: no hook is in
 * it, and a rank that looks for another again and again is in its samples by chance. */
static bool is_told(const struct out_profile *profile, const struct out_edge *edge)
{
  const uint32_t context = out_profile_variant(profile, edge->to)->context;
  const uint32_t callable = out_profile_context(profile, context)->callable;
  return edge->sampling != FMT_NONE &&
         out_profile_function(profile, out_profile_callable(profile, callable)->function)->is_action;
}

static double sleep_of(const struct out_beside_times *times, const struct out_edge *edge)
{
  const struct out_profile *profile = times->profile;
  return out_sleep_is_told(out_profile_recording(profile, times->recording))
             ? out_edge_sleep(profile, edge, (double)out_edge_own(profile, edge)).ticks
             : 0;
}

/* What the clock read of each function, its calls' sides, and what its hooks were calibrated to cost; where that came
 * to nothing, as on a machine that was too busy, as much for each call. */
static void add_edges(const struct out_beside_times *times, const double *sides, struct out_in_place *functions)
{
  const struct out_profile *profile = times->profile;
  const struct out_recording_info *info = out_profile_recording(profile, times->recording);
  const bool is_calibrated = info->hook_inner > 0 || info->hook_outer > 0;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!out_beside_has(times, edge))
      continue;
    const struct out_hook_cost cost = is_calibrated
                                          ? out_hook_cost(profile, edge)
                                          : (struct out_hook_cost){.callee = (double)out_edge_calls(profile, edge)};
    if (is_told(profile, edge)) {
      functions[out_beside_function(profile, edge->to)].known += times->slept[i] - sleep_of(times, edge);
      continue;
    }
    functions[out_beside_function(profile, edge->to)].own += (double)out_edge_own(profile, edge) - times->slept[i];
    functions[out_beside_function(profile, edge->to)].cost += cost.callee;
    functions[out_beside_function(profile, edge->to)].sides += sides[i];
    functions[out_beside_function(profile, edge->to)].misread += out_hidden_misread(sides[i], info->tick);
    if (edge->from != FMT_NONE && out_profile_is_call(profile, edge->from))
      functions[out_beside_function(profile, edge->from)].cost += cost.caller;
  }
}

/* What the hooks hid is the program's own, and no more than half of what was seen in them. What it takes longer beside
 * them is theirs, and no more than what they hid: so the sum changes where they hid more. */
static void add_hidden(struct out_in_place *functions, uint32_t count, double tick, struct out_in_place_run *run)
{
  double hidden = 0, slowed = 0;
  for (uint32_t i = 0; i < count; i++) {
    hidden += out_hidden_time(functions[i].sides, tick);
    slowed += out_hidden_slowed(functions[i].samples, functions[i].sides, tick);
  }
  const double most = run->hooks / 2, part = hidden > most ? most / hidden : 1;
  const double part_slowed = slowed > part * hidden ? part * hidden / slowed : 1;
  for (uint32_t i = 0; i < count; i++)
    functions[i].samples += part * out_hidden_time(functions[i].sides, tick) -
                            part_slowed * out_hidden_slowed(functions[i].samples, functions[i].sides, tick);
  run->hooks += part_slowed * slowed - part * hidden;
}

/* Of times with callees, a call's two sides are in the same time, but for the outermost calls' own: which is more is
 * found for a function with its signature, whatever edges its calls are on. */
static void find_inclusive(const struct out_beside_times *within, const struct out_in_place_doubts *doubts,
                           double *more)
{
  const struct out_profile *profile = within->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_beside_has(within, out_profile_edge(profile, i)))
      more[out_profile_variant(profile, out_profile_edge(profile, i)->to)->signature] +=
          within->inclusive[i] - doubts->own[i];
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_beside_has(within, out_profile_edge(profile, i)))
      doubts->inclusive[i] = more[out_profile_variant(profile, out_profile_edge(profile, i)->to)->signature] > 0
                                 ? within->inclusive[i]
                                 : doubts->own[i];
}

static int find_doubts(const struct out_beside_times *times, const double *sides,
                       const struct out_in_place_doubts *doubts)
{
  const struct out_profile *profile = times->profile;
  struct out_beside_times within = *times;
  within.own = calloc(profile->edges.count + 1u, sizeof *within.own);
  within.inclusive = calloc(profile->edges.count + 1u, sizeof *within.inclusive);
  double *more = calloc(profile->signatures.count + 1u, sizeof *more);
  int result = within.own && within.inclusive && more ? out_hidden_doubts(times, sides, doubts->own) : -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++)
    if (out_beside_has(times, out_profile_edge(profile, i)))
      within.own[i] = doubts->own[i] * OUT_HIDDEN_IN_SUMS;
  if (result == 0)
    result = out_beside_inclusive(&within);
  if (result == 0)
    find_inclusive(&within, doubts, more);
  free(within.own);
  free(within.inclusive);
  free(more);
  return result;
}

/* Own times by functions, and those of edges by these. */
static int find_own(struct out_beside_times *times, const double *sides, struct out_in_place *functions, double *ticks)
{
  const struct out_profile *profile = times->profile;
  const struct out_recording_info *info = out_profile_recording(profile, times->recording);
  const struct out_sampled_run *run = out_in_place_run(profile, info);
  const double period = (double)run->head.period / 1024e9 / info->tick;
  struct out_in_place_run whole = {.hooks = (double)out_in_place_samples(profile, run).hooks * period,
                                   .beyond = (double)samples_beyond(profile, run) * period,
                                   .period = period};
  const uint32_t count = profile->functions.count;
  out_beside_ticks(times, run, ticks);
  add_edges(times, sides, functions);
  for (uint32_t i = 0; i < count; i++) {
    functions[i].samples = fmax(ticks[i] - functions[i].known, 0);
    whole.beyond -= fmax(functions[i].known - ticks[i], 0);
  }
  add_hidden(functions, count, info->tick, &whole);
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_beside_has(times, out_profile_edge(profile, i)))
      whole.beyond -= sleep_of(times, out_profile_edge(profile, i));
  whole.beyond = fmax(whole.beyond, 0);
  out_in_place_solve(functions, count, &whole);
  for (uint32_t i = 0; i < count; i++)
    ticks[i] = functions[i].samples;
  int result = out_beside_own(times, ticks);
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++)
    times->own[i] += times->slept[i];
  return result;
}

/* What threads slept is known of each edge: it is in no sample, and the hooks' neither. So is all that was told. */
static void find_slept(const struct out_beside_times *times, double *slept)
{
  const struct out_profile *profile = times->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (out_beside_has(times, edge))
      slept[i] = is_told(profile, edge) ? (double)out_edge_own(profile, edge) : sleep_of(times, edge);
  }
}

int out_in_place_times(struct out_beside_times *times, const struct out_in_place_doubts *doubts)
{
  const struct out_profile *profile = times->profile;
  struct out_in_place *functions = calloc(profile->functions.count + 1u, sizeof *functions);
  double *ticks = calloc(profile->functions.count + 1u, sizeof *ticks);
  double *sides = calloc(profile->edges.count + 1u, sizeof *sides);
  double *slept = calloc(profile->edges.count + 1u, sizeof *slept);
  int result = functions && ticks && sides && slept ? out_hidden_sides(times, sides) : -ENOMEM;
  times->slept = slept;
  if (result == 0) {
    find_slept(times, slept);
    result = find_own(times, sides, functions, ticks);
  }
  if (result == 0)
    result = out_beside_inclusive(times);
  if (result == 0)
    result = find_doubts(times, sides, doubts);
  free(functions);
  free(ticks);
  free(sides);
  free(slept);
  times->slept = NULL;
  return result;
}
