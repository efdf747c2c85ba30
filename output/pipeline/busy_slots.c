/* Finds how busy each stage of a pipeline was, slot by slot. */
#include "output/pipeline/busy_slots.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

double out_busy_slots_overlap(const struct out_busy_slots *slots, unsigned slot)
{
  double from = fmax(slots->begin, slot * slots->slot);
  double until = fmin(slots->begin + slots->length, (slot + 1) * slots->slot);
  return fmax(0, until - from);
}

double out_busy_slots_share(const struct out_busy_slots *slots, uint32_t view, unsigned first, unsigned end)
{
  double own = 0, time = 0;
  for (unsigned i = first; i < end; i++) {
    own += (double)slots->works[view].slots[i].own;
    time += out_busy_slots_overlap(slots, i);
  }
  own *= ldexp(slots->slot, -(int)slots->shift);
  return time > 0 ? fmin(1, own / (time * slots->bottleneck->views[view].replicas)) : 0;
}

/* False: it is not known when the stages worked. */
static bool begin(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                  struct out_busy_slots *slots)
{
  uint64_t first = UINT64_MAX;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage *stage = bottleneck->views[i].stage;
    if (!stage->work.known && stage->stats.num_tasks > 0)
      return false;
    first = stage->first_ticks < first ? stage->first_ticks : first;
    slots->shift = stage->work.known && stage->work.shift > slots->shift ? stage->work.shift : slots->shift;
  }
  slots->slot = ldexp(pipeline->tick, (int)slots->shift);
  slots->begin = first > pipeline->start_ticks && first != UINT64_MAX
                     ? (double)(first - pipeline->start_ticks) * pipeline->tick
                     : 0;
  slots->length = bottleneck->window;
  return slots->length > 0 && slots->slot > 0;
}

int out_busy_slots_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                        struct out_busy_slots *slots)
{
  *slots = (struct out_busy_slots){.bottleneck = bottleneck};
  if (pipeline->is_cpu_clock || pipeline->steps || !begin(pipeline, bottleneck, slots))
    return 0;
  slots->works = calloc(bottleneck->count + 1u, sizeof *slots->works);
  if (!slots->works)
    return -ENOMEM;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    slots->works[i] = bottleneck->views[i].stage->work;
    out_task_work_widen(&slots->works[i], slots->shift);
  }
  return 1;
}

void out_busy_slots_free(struct out_busy_slots *slots)
{
  free(slots->works);
  slots->works = NULL;
}
