/* What the stages of a recording did, and what was counted, over time, as far as the runtime kept it by slots. */
#include <errno.h>
#include <math.h>

#include "output/pipeline/busy_slots.h"
#include "output/pipeline/counters.h"
#include "output/pipeline/course.h"
#include "output/text/message.h"

static int add_point(const struct callsig_pipeline *pipeline, const struct out_busy_slots *slots, uint32_t view,
                     unsigned slot, struct out_series *series)
{
  double from, until;
  const double length = out_busy_slots_span(slots, slot, &from, &until);
  const uint64_t tasks = slots->works[view].slots[slot].tasks;
  if (length <= 0 && tasks == 0)
    return 0;
  struct out_point *point = base_vector_add(&series->points, 1);
  if (!point)
    return -ENOMEM;
  for (unsigned i = 0; i < OUT_MEASURES; i++)
    point->values[i] = NAN;
  point->from = pipeline->info.start + from;
  point->until = pipeline->info.start + until;
  point->values[OUT_STAGE_TASKS] = (double)tasks;
  /* What has only begun, or just ended, has shares and rates by chance. */
  if (length >= slots->slot / 4) {
    point->values[OUT_STAGE_RATE] = (double)tasks / length;
    point->values[OUT_STAGE_BUSY_SHARE] = out_busy_slots_share(slots, view, slot, slot + 1);
  }
  series->intervals++;
  return 0;
}

static int add_slots(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                     struct out_course *course)
{
  struct out_busy_slots slots;
  int result = out_busy_slots_make(pipeline, bottleneck, &slots);
  if (result <= 0)
    return result;
  result = 0;
  for (uint32_t i = 0; i < bottleneck->count && result == 0; i++) {
    struct out_series *series = out_course_add(course, bottleneck->views[i].stage->stats.label, OUT_SERIES_STAGE);
    if (!series)
      result = -ENOMEM;
    for (unsigned j = 0; j < FMT_TASK_SLOTS && result == 0; j++)
      result = add_point(pipeline, &slots, i, j, series);
  }
  out_busy_slots_free(&slots);
  return result;
}

/* A point of a counter or level. */
static int add_counted(const struct callsig_counter_stats *stats, double from, double until,
                       const struct fmt_rec_counter_slot *slot, struct out_series *series)
{
  struct out_point *point = base_vector_add(&series->points, 1);
  if (!point)
    return -ENOMEM;
  *point = (struct out_point){.from = from, .until = until};
  for (unsigned i = 0; i < OUT_MEASURES; i++)
    point->values[i] = NAN;
  point->values[OUT_COUNTER_COUNT] = (double)slot->count;
  if (stats->is_level)
    point->values[OUT_COUNTER_MEAN] = (double)(int64_t)slot->amount / (double)slot->count;
  else {
    point->values[OUT_COUNTER_AMOUNT] = (double)slot->amount;
    point->values[OUT_COUNTER_RATE] = (double)slot->amount / (until - from);
  }
  series->intervals++;
  return 0;
}

/* By slots: of a level those in which it was set; of a counter all, and the rest of the time, in which nothing was
 * added to it. */
static int add_counter(const struct callsig_pipeline *pipeline, const struct out_counter *counter,
                       struct out_course *course)
{
  const struct callsig_counter_stats *stats = &counter->stats;
  const double start = pipeline->info.start, elapsed = pipeline->info.elapsed;
  const double length = ldexp(pipeline->tick, (int)counter->shift);
  struct out_series *series = out_course_add_counter(course, stats->key, stats->stage, stats->is_level);
  int result = series ? 0 : -ENOMEM;
  for (unsigned i = 0; i < FMT_COUNTER_SLOTS && i * length < elapsed && result == 0; i++)
    if (counter->slots[i].count > 0 || !stats->is_level)
      result =
          add_counted(stats, start + i * length, start + fmin((i + 1) * length, elapsed), &counter->slots[i], series);
  const double end = FMT_COUNTER_SLOTS * length;
  if (result == 0 && !stats->is_level && end < elapsed)
    result = add_counted(stats, start + end, start + elapsed, &(struct fmt_rec_counter_slot){0}, series);
  return result;
}

int out_recording_course(const struct callsig_pipeline *pipeline, struct out_course *course)
{
  struct out_bottleneck bottleneck;
  uint32_t stage = 0, queue = 0;
  int result;
  while ((result = out_bottleneck_next(pipeline, &stage, &queue, &bottleneck)) > 0) {
    result = add_slots(pipeline, &bottleneck, course);
    out_bottleneck_free(&bottleneck);
    if (result < 0)
      return out_stats_no_memory();
  }
  for (uint32_t i = 0; i < pipeline->counters.count && result == 0; i++)
    if (add_counter(pipeline, out_counter_at(pipeline, i), course) < 0)
      return out_stats_no_memory();
  out_course_finish(course);
  return result;
}
