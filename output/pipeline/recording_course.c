/* What the stages of a recording did over time, as far as the runtime counted it by slots. */
#include <errno.h>
#include <math.h>

#include "output/pipeline/busy_slots.h"
#include "output/pipeline/course.h"
#include "output/text/message.h"

static int add_point(const struct callsig_pipeline *pipeline, const struct out_busy_slots *slots, uint32_t view,
                     unsigned slot, struct out_series *series)
{
  const double length = out_busy_slots_overlap(slots, slot);
  const uint64_t tasks = slots->works[view].slots[slot].tasks;
  if (length <= 0 && tasks == 0)
    return 0;
  struct out_point *point = base_vector_add(&series->points, 1);
  if (!point)
    return -ENOMEM;
  for (unsigned i = 0; i < OUT_MEASURES; i++)
    point->values[i] = NAN;
  const double from = fmin(fmax(slots->begin, slot * slots->slot), slots->begin + slots->length);
  point->from = pipeline->info.start + from;
  point->until = point->from + length;
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
    struct out_series *series = out_course_add(course, bottleneck->views[i].stage->stats.label, false);
    if (!series)
      result = -ENOMEM;
    for (unsigned j = 0; j < FMT_TASK_SLOTS && result == 0; j++)
      result = add_point(pipeline, &slots, i, j, series);
  }
  out_busy_slots_free(&slots);
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
  out_course_finish(course);
  return result;
}
