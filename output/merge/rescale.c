/* From ticks to nanoseconds. */
#include "output/merge/rescale.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/edge_time.h"

/* Nanoseconds a tick of the process's clock; 0: it is not rescaled. */
static double factor_of(const struct out_profile *profile, const bool *chosen, uint32_t process)
{
  const struct out_recording_info *info = out_profile_recording(profile, process);
  return chosen[process] && info->clock == FMT_CLOCK_TSC ? info->tick * 1e9 : 0;
}

static void scale(uint64_t *ticks, double factor)
{
  if (*ticks != UINT64_MAX)
    *ticks = out_ticks((double)*ticks * factor);
}

/* The whole part, between 0 and OUT_MOST_TICKS: a damaged recording's clock may be anything. */
static uint64_t whole_part(double value)
{
  return (uint64_t)fmin(fmax(value, 0), (double)OUT_MOST_TICKS);
}

/* An edge's own time is rounded, and what is left of its whole time is that of its callees: it stays what it was. */
static void scale_edge(struct out_profile *profile, struct out_edge *edge, double factor)
{
  const uint64_t own = edge->total > edge->children ? edge->total - edge->children : 0;
  uint64_t own_scaled = own;
  scale(&own_scaled, factor);
  if (own > 0) {
    scale(&edge->total, factor);
    edge->children = edge->total > own_scaled ? edge->total - own_scaled : 0;
  } else {
    scale(&edge->total, factor);
    scale(&edge->children, factor);
  }
  scale(&edge->min, factor);
  scale(&edge->max, factor);
  scale(&edge->overhead, factor);
  if (edge->recursion != FMT_NONE) {
    struct out_recursion *recursion = out_profile_recursion(profile, edge->recursion);
    scale(&recursion->total, factor);
    scale(&recursion->apart_total, factor);
    for (int i = 0; i < FMT_GROUP_COUNT; i++)
      scale(&recursion->cumulative[i], factor);
  }
  if (edge->sampling != FMT_NONE) {
    struct out_sampling *sampling = out_profile_sampling(profile, edge->sampling);
    const double squares = ((double)sampling->squares_high * 0x1p64 + (double)sampling->squares_low) * factor * factor;
    scale(&sampling->timed_total, factor);
    scale(&sampling->imputed, factor);
    sampling->squares_high = whole_part(squares / 0x1p64);
    const double low = squares - (double)sampling->squares_high * 0x1p64;
    sampling->squares_low = low < 0x1p64 ? (uint64_t)low : UINT64_MAX;
    if (sampling->sleep != FMT_NONE) {
      struct out_sleep *sleep = out_profile_sleep(profile, sampling->sleep);
      scale(&sleep->ticks, factor);
      scale(&sleep->unsure, factor);
      scale(&sleep->drawn, factor);
    }
  }
}

/* The middle of a bucket: see docs/recording-format.md. */
static double middle_of(uint32_t number, uint32_t sub_bits)
{
  const uint32_t size = UINT32_C(1) << sub_bits, octave = number >> sub_bits;
  const double width = octave > 1 ? ldexp(1, (int)octave - 1) : 1;
  const double low = octave > 0 ? (double)(size + (number & (size - 1))) * width : number;
  return low + (width - 1) / 2;
}

static uint32_t bucket_of(uint64_t value, uint32_t sub_bits)
{
  const uint64_t size = UINT64_C(1) << sub_bits;
  uint32_t shift = 0;
  while (value >> shift >= 2 * size)
    shift++;
  return value < size ? (uint32_t)value : ((shift + 1) << sub_bits) + (uint32_t)((value >> shift) - size);
}

/* The calls of each bucket go to that of its middle; buckets stay in their order, and some become one. */
static void scale_times(struct out_profile *profile, uint32_t edge, double factor)
{
  const uint32_t number =
      edge < profile->times_of.count ? *(uint32_t *)base_vector_at(&profile->times_of, edge) : FMT_NONE;
  if (number == FMT_NONE)
    return;
  struct out_times *times = base_vector_at(&profile->times, number);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < times->count; i++) {
    struct out_bucket bucket = *(struct out_bucket *)base_vector_at(&profile->buckets, times->first + i);
    bucket.number = bucket_of(whole_part(middle_of(bucket.number, times->sub_bits) * factor), times->sub_bits);
    struct out_bucket *last = kept > 0 ? base_vector_at(&profile->buckets, times->first + kept - 1) : NULL;
    if (last && last->number == bucket.number)
      last->count += bucket.count;
    else
      *(struct out_bucket *)base_vector_at(&profile->buckets, times->first + kept++) = bucket;
  }
  times->count = kept;
}

static void scale_point(struct fmt_rec_clock_point *point)
{
  point->ticks = point->monotonic_ns;
}

static void scale_short(uint32_t *ticks, double factor)
{
  uint64_t scaled = *ticks;
  scale(&scaled, factor);
  *ticks = scaled < UINT32_MAX ? (uint32_t)scaled : UINT32_MAX;
}

static void scale_process(struct out_recording_info *info, double factor)
{
  struct fmt_rec_process *process = &info->process;
  scale(&info->hook_inner, factor);
  scale(&info->hook_outer, factor);
  scale(&process->sample_price, factor);
  scale_short(&process->hook_hidden, factor);
  scale_short(&process->hook_floor, factor);
  scale(&info->loss[FMT_LOSS_WAITED], factor);
  process->hook_inner = info->hook_inner;
  process->hook_outer = info->hook_outer;
  process->loss[FMT_LOSS_WAITED] = info->loss[FMT_LOSS_WAITED];
  scale_point(&process->start);
  scale_point(&process->last);
  info->clock = process->clock = FMT_CLOCK_MONOTONIC;
  process->counter_khz = 0;
  info->tick = 1e-9;
}

/* A process's slots of time are of its own clock, and not kept. */
static void scale_counters(struct out_profile *profile, const double *factors)
{
  const struct base_vector *uses = &profile->stage_records.counter_uses;
  for (uint32_t i = 0; i < uses->count; i++) {
    struct out_counter_use_record *use = base_vector_at(uses, i);
    const uint32_t process = out_profile_thread(profile, use->thread)->recording;
    const struct fmt_rec_clock_point *start = &out_profile_recording(profile, process)->process.start;
    if (factors[process] <= 0)
      continue;
    if (use->record.last_ticks)
      use->record.last_ticks = whole_part((double)start->monotonic_ns +
                                          ((double)use->record.last_ticks - (double)start->ticks) * factors[process]);
    use->record.shift = 0;
    memset(use->record.slots, 0, sizeof use->record.slots);
  }
}

int out_rescale(struct out_profile *profile, const bool *chosen)
{
  double *factors = calloc(profile->recordings.count + 1u, sizeof *factors);
  if (!factors)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    factors[i] = factor_of(profile, chosen, i);
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    struct out_edge *edge = out_profile_edge(profile, i);
    const double factor = factors[out_profile_thread(profile, edge->thread)->recording];
    if (factor > 0) {
      scale_edge(profile, edge, factor);
      scale_times(profile, i, factor);
    }
  }
  for (uint32_t i = 0; i < profile->threads.count; i++) {
    struct out_known_thread *thread = out_profile_thread(profile, i);
    struct out_recording_info *info = out_profile_recording(profile, thread->recording);
    if (factors[thread->recording] <= 0)
      continue;
    /* From the process's start on, so that no digits are lost. */
    const double began = (double)info->process.start.monotonic_ns;
    thread->start_ticks = whole_part(began + ((double)thread->start_ticks - (double)info->process.start.ticks) *
                                                 factors[thread->recording]);
    if (thread->end_ticks)
      thread->end_ticks = whole_part(began + ((double)thread->end_ticks - (double)info->process.start.ticks) *
                                                 factors[thread->recording]);
  }
  scale_counters(profile, factors);
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    if (factors[i] > 0)
      scale_process(out_profile_recording(profile, i), factors[i]);
  free(factors);
  return 0;
}
