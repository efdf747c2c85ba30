/* Adds up the errors of edges' times into those of rows. */
#include "output/stats/row_errors.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "callsig/stats.h"
#include "output/beside/hidden.h"
#include "output/beside/in_place.h"
#include "output/profile/edge_time.h"
#include "output/sampling/hook_cost.h"
#include "output/sampling/sampling_error.h"
#include "output/stats/edge_share.h"
#include "output/text/idset.h"

/* Of a row's times by samples of their own run: the times, their variances as draws, and the calls. */
struct draw {
  double own, cumulative;
  double own_square, cumulative_square;
  double period; /* that a sample stands for */
  double calls;
  double one_more; /* the time that a sample more would be */
  double split;    /* how far it may be off as the time of its functions is split */
};

/* A row, or a function, in one recording that has samples of its own run. */
struct part {
  struct part_key {
    uint32_t recording, what;
  } key;
  double own, calls;
  double period; /* that a sample stands for */
};

struct parts {
  struct base_vector list; /* struct part */
  struct out_idset set;
};

/* What the sums are made of; `list` has squares of half widths until all edges are in. */
struct summing {
  const struct out_profile *profile;
  const struct out_grouping *grouping;
  const struct out_rows *rows;
  struct out_row_error *list;
  struct draw *draws;        /* by row */
  struct parts of_rows;      /* by recording, what is shown of each row */
  struct parts of_functions; /* by recording, all of each function */
  bool failed;               /* no memory for them */
  double *of_callers; /* by row key's `what`, where rows are by site: of callees, whose callers' sites are not known */
};

#define Z 1.959964 /* half the width of an interval of 95 %, in standard deviations */

static bool equal_part(const void *owner, uint32_t number, const void *key)
{
  const struct part *part = base_vector_at((const struct base_vector *)owner, number);
  const struct part_key *wanted = key;
  return part->key.recording == wanted->recording && part->key.what == wanted->what;
}

static uint64_t hash_of(const struct part_key *key)
{
  return out_hash_mix(key->recording, key->what);
}

static struct part *find_part(const struct parts *parts, const struct part_key *key)
{
  const uint32_t number = out_idset_find(&parts->set, hash_of(key), &parts->list, key, equal_part);
  return number == FMT_NONE ? NULL : base_vector_at(&parts->list, number);
}

/* NULL without memory. */
static struct part *part_at(struct summing *summing, struct parts *parts, uint32_t recording, uint32_t what)
{
  const struct part_key key = {recording, what};
  struct part *part = find_part(parts, &key);
  if (part)
    return part;
  part = base_vector_add(&parts->list, 1);
  if (!part || out_idset_add(&parts->set, hash_of(&key), parts->list.count - 1) < 0) {
    summing->failed = true;
    return NULL;
  }
  *part = (struct part){.key = key};
  return part;
}

/* Samples are a draw (Poisson): of a time of n of them, 95 of 100 are within 1.96 sqrt(n). `period` is in ticks of the
 * recording. */
static void add_samples(struct summing *summing, const struct out_edge *edge, uint32_t row, double period)
{
  const struct out_profile *profile = summing->profile;
  const struct out_grouping *grouping = summing->grouping;
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  struct out_share share = out_edge_share(profile, grouping, edge, out_edge_group(profile, grouping, context));
  const struct out_recording_info *info =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
  period *= info->tick / grouping->tick;
  if (!out_in_place_run(profile, info)) {
    summing->list[row].own += Z * Z * period * (double)share.own;
    summing->list[row].cumulative += Z * Z * period * (double)share.cumulative;
    return;
  }
  struct draw *draw = &summing->draws[row];
  draw->own += (double)share.own;
  draw->cumulative += (double)share.cumulative;
  draw->own_square += period * (double)share.own;
  draw->cumulative_square += period * (double)share.cumulative;
  draw->period = fmax(draw->period, period);
  draw->calls += (double)share.calls;
  struct part *part = part_at(summing, &summing->of_rows, out_profile_thread(profile, edge->thread)->recording, row);
  if (!part)
    return;
  part->own += (double)share.own;
  part->calls += (double)share.calls;
  part->period = fmax(part->period, period);
}

/* Adds an edge to its function, whatever is shown of it: samples tell the time of all its calls. */
static void add_whole(struct summing *summing, uint32_t number)
{
  const struct out_profile *profile = summing->profile;
  const struct out_edge *edge = out_profile_edge(profile, number);
  const struct out_compensation *compensation = summing->grouping->compensation;
  if (edge->to == FMT_NONE || !compensation)
    return;
  const uint32_t recording = out_profile_thread(profile, edge->thread)->recording;
  const struct out_recording_info *info = out_profile_recording(profile, recording);
  if (!out_in_place_timed_run(profile, info))
    return;
  struct part *whole = part_at(summing, &summing->of_functions, recording,
                               out_variant_callable(profile, out_profile_variant(profile, edge->to))->function);
  if (!whole)
    return;
  whole->own += fmax(0, (double)out_edge_own(profile, edge) - (double)compensation->own[number]) * info->tick /
                summing->grouping->tick;
  whole->calls += (double)out_edge_calls(profile, edge);
}

/* The time of a function is that of samples; how it is split among rows that have a part of its calls each is known by
 * what the clock read of these. Those of the row may have taken longer than that, or those of the others. */
static double split_error(const struct part *row, const struct part *whole, double tick)
{
  if (row->calls <= 0 || whole->own <= 0)
    return 0;
  const double part = fmin(row->own / whole->own, 1), longer = (1 - part) * out_hidden_misread(row->calls, tick),
               shorter = part * out_hidden_misread(fmax(0, whole->calls - row->calls), tick);
  return fmax(fmin(longer, (1 - part) * whole->own), fmin(shorter, row->own));
}

/* The part that a row has of its function's time, which samples tell. */
static double part_of_function(const struct part *row, const struct part *whole)
{
  if (!(whole->own > 0 || whole->calls > 0))
    return 1;
  return fmin(whole->own > 0 ? row->own / whole->own : row->calls / whole->calls, 1);
}

/* Each recording's samples tell the time that its functions have in it, whatever others did. The clock is off alike in
 * all of them; one sample more there may be of all together. */
static void add_parts(struct summing *summing)
{
  static const struct part none = {0};
  for (uint32_t i = 0; i < summing->of_rows.list.count; i++) {
    const struct part *row = base_vector_at(&summing->of_rows.list, i);
    const uint32_t function = out_rows_at(summing->rows, row->key.what)->function;
    const struct part *found =
        function == FMT_NONE ? NULL
                             : find_part(&summing->of_functions, &(struct part_key){row->key.recording, function});
    const struct part *whole = found ? found : &none;
    struct draw *draw = &summing->draws[row->key.what];
    draw->one_more = fmax(draw->one_more, row->period * part_of_function(row, whole));
    draw->split += split_error(row, whole, summing->grouping->tick);
  }
}

/* Of a time of no more than a few samples, none perhaps, there may have been one more; but what the clock read tells as
 * much: output/beside/in_place.c has how far that may be off, of which hooks took `taken`. The clock is off alike in
 * all edges of a row, so that this is of the row's whole time. */
static double square_of(double time, double square, double one_more, double taken, double misread)
{
  const double clock = hypot(Z / 2 * fmax(time, taken), misread);
  return fmin(Z * Z * (square + one_more * one_more), clock * clock);
}

static void add_draws(struct summing *summing)
{
  const struct out_rows *rows = summing->rows;
  for (uint32_t i = 0; i < rows->list.count; i++) {
    const struct draw *draw = &summing->draws[i];
    if (!(draw->period > 0))
      continue;
    const struct out_subtraction none = {0},
                                 *taken = rows->subtractions.count ? base_vector_at(&rows->subtractions, i) : &none;
    const double misread = out_hidden_misread(draw->calls, summing->grouping->tick);
    summing->list[i].own += square_of(draw->own, draw->own_square, draw->one_more, (double)taken->own, misread);
    summing->list[i].cumulative +=
        square_of(draw->cumulative, draw->cumulative_square, draw->one_more, (double)taken->cumulative, misread);
  }
}

/* Samples of the recording's own run tell nothing of what its clock read. */
static double period_of(const struct out_profile *profile, const struct out_grouping *grouping,
                        const struct out_edge *edge)
{
  const struct out_recording_info *info =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
  const bool is_told = grouping->compensation && out_in_place_timed_run(profile, info);
  return !is_told && out_in_place_run(profile, info) ? 0 : out_sample_period(profile, edge);
}

static uint32_t what_of_caller(const struct summing *summing, const struct out_edge *edge)
{
  const struct out_variant *from = out_profile_variant(summing->profile, edge->from);
  return out_rows_key(summing->profile, summing->grouping, from, edge->thread).what;
}

/* A call's time is part of its own row's, and is taken off its caller's: an error of it stands in the own time of both,
 * unless they are one row, where it cancels. */
static void add_edge(struct summing *summing, uint32_t number)
{
  const struct out_profile *profile = summing->profile;
  const struct out_grouping *grouping = summing->grouping;
  const struct out_edge *edge = out_profile_edge(profile, number);
  double period = edge->to == FMT_NONE ? 0 : period_of(profile, grouping, edge);
  uint64_t untimed = edge->to == FMT_NONE ? 0 : out_edge_sampling(profile, edge).untimed;
  if (untimed == 0 && !(period > 0))
    return;
  uint32_t row = out_rows_of_edge(profile, grouping, summing->rows, number), caller = FMT_NONE;
  if (period > 0) {
    if (row != FMT_NONE) {
      add_samples(summing, edge, row, period);
      summing->list[row].untimed += untimed;
    }
    return;
  }
  if (edge->from != FMT_NONE)
    caller = out_rows_of_variant(profile, grouping, summing->rows, edge->from, edge->thread);
  double scale =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording)->tick / grouping->tick;
  double square = out_sampling_error(profile, edge, (double)untimed) * scale * scale;
  if (row != caller && row != FMT_NONE)
    summing->list[row].own += square;
  if (row != caller && caller != FMT_NONE)
    summing->list[caller].own += square;
  if (summing->of_callers && edge->from != FMT_NONE)
    summing->of_callers[what_of_caller(summing, edge)] += square;
  if (row == FMT_NONE)
    return;
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  struct out_share share = out_edge_share(profile, grouping, edge, out_edge_group(profile, grouping, context));
  double primitive = (double)untimed * ((double)share.primitive / (double)share.calls);
  summing->list[row].untimed += untimed;
  summing->list[row].cumulative += out_sampling_error(profile, edge, primitive) * scale * scale;
}

/* What samples do not tell of hooks, and what hooks took where their calibration alone tells it, is off in the same way
 * for all calls of a row. */
static void add_guess(struct out_row_error *error, const struct out_row *row, const struct out_subtraction *taken)
{
  const double cumulative = fmin((double)taken->guessed_cumulative, (double)taken->cumulative);
  error->own = hypot(error->own, taken->own_doubt);
  error->cumulative = hypot(error->cumulative, taken->cumulative_doubt);
  error->own = hypot(error->own, out_guess_error((double)taken->guessed_own, (double)row->own));
  error->cumulative = hypot(error->cumulative, out_guess_error(cumulative, (double)row->cumulative));
}

/* The squares that were summed become errors, with what is off alike for all calls of a row. */
static void finish_row(const struct summing *summing, uint32_t number)
{
  const struct out_rows *rows = summing->rows;
  const struct out_row *row = out_rows_at(rows, number);
  struct out_row_error *error = &summing->list[number];
  const double split = summing->draws[number].split;
  error->own = error->drawn_own = sqrt(error->own);
  error->cumulative = error->drawn_cumulative = sqrt(error->cumulative);
  if (rows->subtractions.count > 0)
    add_guess(error, row, base_vector_at(&rows->subtractions, number));
  error->own = hypot(error->own, split);
  error->cumulative = hypot(error->cumulative, split);
  error->is_uncertain = !(error->own <= (double)row->own) || !(error->cumulative <= (double)row->cumulative);
}

static void release(struct summing *summing)
{
  free(summing->draws);
  base_vector_free(&summing->of_rows.list);
  out_idset_free(&summing->of_rows.set);
  base_vector_free(&summing->of_functions.list);
  out_idset_free(&summing->of_functions.set);
  free(summing->of_callers);
}

struct out_row_error *out_row_errors_make(const struct out_profile *profile, const struct out_grouping *grouping,
                                          const struct out_rows *rows)
{
  struct summing summing = {.profile = profile,
                            .grouping = grouping,
                            .rows = rows,
                            .list = calloc(rows->list.count + 1u, sizeof *summing.list),
                            .draws = calloc(rows->list.count + 1u, sizeof *summing.draws),
                            .of_rows.list = BASE_VECTOR_OF(struct part),
                            .of_functions.list = BASE_VECTOR_OF(struct part)};
  if (grouping->by & CALLSIG_BY_SITE)
    summing.of_callers = calloc((size_t)profile->signatures.count + profile->functions.count + 1, sizeof(double));
  summing.failed = !summing.list || !summing.draws || (grouping->by & CALLSIG_BY_SITE && !summing.of_callers);
  for (uint32_t i = 0; i < profile->edges.count && !summing.failed; i++) {
    add_edge(&summing, i);
    add_whole(&summing, i);
  }
  if (summing.failed) {
    free(summing.list);
    release(&summing);
    return NULL;
  }
  add_parts(&summing);
  add_draws(&summing);
  /* Each of a function's sites may have called what the error is of. */
  for (uint32_t i = 0; summing.of_callers && i < rows->list.count; i++)
    summing.list[i].own += summing.of_callers[out_rows_at(rows, i)->key.what];
  for (uint32_t i = 0; i < rows->list.count; i++)
    finish_row(&summing, i);
  release(&summing);
  return summing.list;
}
