/* Finds how busy each stage of a pipeline was, slot by slot. */
#include "output/pipeline/busy_slots.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/pipeline/threads_seen.h"

double out_busy_slots_span(const struct out_busy_slots *slots, unsigned slot, double *from, double *until)
{
  const struct callsig_pipeline *pipeline = slots->pipeline;
  const double end = slots->begin + slots->length;
  *from = fmin(end, fmax(slots->begin, slot * slots->slot));
  *until = fmax(*from, fmin(end, (slot + 1) * slots->slot));
  const uint64_t first = pipeline->start_ticks + (uint64_t)(*from / pipeline->tick),
                 last = pipeline->start_ticks + (uint64_t)(*until / pipeline->tick);
  return fmax(0, *until - *from - (double)out_pauses_within(&pipeline->pauses, first, last) * pipeline->tick);
}

/* Threads times seconds in which the stage of a view could work in a slot. */
static double available_in(const struct out_busy_slots *slots, uint32_t view, unsigned slot)
{
  const struct out_stage_view *stage = &slots->bottleneck->views[view];
  double from, until;
  const double time = out_busy_slots_span(slots, slot, &from, &until);
  if (!stage->varies)
    return time * stage->at_once;
  const double declared = stage->stage->stats.concurrency;
  return time * fmin(fmax(declared, stage->replicas), slots->there[view * FMT_TASK_SLOTS + slot]);
}

double out_busy_slots_share(const struct out_busy_slots *slots, uint32_t view, unsigned first, unsigned end)
{
  double own = 0, time = 0;
  for (unsigned i = first; i < end; i++) {
    own += (double)slots->works[view].slots[i].own;
    time += available_in(slots, view, i);
  }
  own *= ldexp(slots->slot, -(int)slots->shift);
  return time > 0 ? fmin(1, own / time) : 0;
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
  slots->length = bottleneck->span;
  return slots->length > 0 && slots->slot > 0;
}

/* Where threads of a stage came and went: how many were there. */
static int find_there(struct out_busy_slots *slots)
{
  const struct out_bottleneck *bottleneck = slots->bottleneck;
  const uint64_t start = slots->pipeline->start_ticks, length = UINT64_C(1) << slots->shift;
  bool varies = false;
  for (uint32_t i = 0; i < bottleneck->count; i++)
    varies |= bottleneck->views[i].varies;
  if (!varies)
    return 0;
  slots->there = calloc(bottleneck->count, FMT_TASK_SLOTS * sizeof *slots->there);
  if (!slots->there)
    return -ENOMEM;
  for (uint32_t i = 0; i < bottleneck->count; i++)
    for (unsigned slot = 0; slot < FMT_TASK_SLOTS; slot++) {
      const struct out_stage_view *view = &bottleneck->views[i];
      slots->there[i * FMT_TASK_SLOTS + slot] =
          view->varies
              ? out_threads_there(slots->pipeline, view->number, start + slot * length, start + (slot + 1) * length)
              : view->replicas;
    }
  return 0;
}

int out_busy_slots_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                        struct out_busy_slots *slots)
{
  *slots = (struct out_busy_slots){.pipeline = pipeline, .bottleneck = bottleneck};
  /* Of a schedule it may not be known when it recorded. */
  const bool known = pipeline->pauses.known || pipeline->steps == 0;
  if (pipeline->is_cpu_clock || !known || !begin(pipeline, bottleneck, slots))
    return 0;
  slots->works = calloc(bottleneck->count + 1u, sizeof *slots->works);
  if (!slots->works)
    return -ENOMEM;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    slots->works[i] = bottleneck->views[i].stage->work;
    out_task_work_widen(&slots->works[i], slots->shift);
  }
  if (find_there(slots) == 0)
    return 1;
  out_busy_slots_free(slots);
  return -ENOMEM;
}

void out_busy_slots_free(struct out_busy_slots *slots)
{
  free(slots->works);
  free(slots->there);
  slots->works = NULL;
  slots->there = NULL;
}
