/* Judges what bounds a pipeline, and by what. */
#include "output/pipeline/bottleneck.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/pipeline/outside_waits.h"
#include "output/pipeline/shared_pool.h"
#include "output/text/message.h"

#define AS_BUSY 0.03 /* a difference that does not count */
#define MOSTLY  0.50 /* of what a stage does */

static struct out_window find_window(const struct callsig_pipeline *pipeline, uint32_t first_stage, uint32_t count)
{
  struct out_window window = {.first = UINT64_MAX};
  for (uint32_t i = 0; i < count; i++) {
    const struct out_stage *stage = out_pipeline_stage_at(pipeline, first_stage + i);
    window.first = stage->first_ticks < window.first ? stage->first_ticks : window.first;
    window.last = stage->last_ticks > window.last ? stage->last_ticks : window.last;
  }
  if (window.last <= window.first)
    return window;
  const uint64_t paused = out_pauses_within(&pipeline->pauses, window.first, window.last);
  window.span = (double)(window.last - window.first) * pipeline->tick;
  window.seconds = (double)(window.last - window.first - paused) * pipeline->tick;
  if (!pipeline->pauses.known && pipeline->recorded > 0)
    window.seconds = fmin(window.seconds, pipeline->recorded);
  return window;
}

/* The stage that is active most, if it is for most of its time; the busiest one when none is. */
static const struct out_stage_view *most_busy(const struct out_bottleneck *bottleneck)
{
  const struct out_stage_view *busy = NULL, *most = NULL;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (!out_bottleneck_counts(bottleneck, view))
      continue;
    if (!busy || view->busy > busy->busy)
      busy = view;
    if (out_stage_active(view) >= MOSTLY && (!most || out_stage_active(view) > out_stage_active(most)))
      most = view;
  }
  return most ? most : busy;
}

/* The busiest stage; of stages that are as busy, the one at the step from occupied to empty queues. */
static void find_busiest(struct out_bottleneck *bottleneck)
{
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (!bottleneck->step && view->input && view->output && out_queue_is_occupied(view->input) &&
        !out_queue_is_occupied(view->output))
      bottleneck->step = view;
  }
  bottleneck->stage = most_busy(bottleneck);
  for (uint32_t i = 0; bottleneck->stage && i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (view == bottleneck->stage || out_stage_active(view) < out_stage_active(bottleneck->stage) - AS_BUSY ||
        view->busy == 0 || !out_bottleneck_counts(bottleneck, view))
      continue;
    bottleneck->equal = view;
    if (view == bottleneck->step) {
      bottleneck->equal = bottleneck->stage;
      bottleneck->stage = view;
    }
    break;
  }
}

/* The kernel counts what threads do whether it is recorded or not: the share of that which was. */
static double recorded_share(const struct out_bottleneck *bottleneck)
{
  return bottleneck->span > 0 ? bottleneck->window / bottleneck->span : 1;
}

/* The processors that the stages may use, and how many their threads did. */
static void find_processors(struct out_bottleneck *bottleneck)
{
  double used = 0;
  bool known = bottleneck->window > 0;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    const struct out_task_work *work = &view->stage->work;
    bottleneck->processors = fmax(bottleneck->processors, view->stage->processors);
    if (out_stage_begun(view) == 0)
      continue;
    known = known && view->shares.known;
    /* What a thread did before the first task, or behind the last one, is none of the pipeline's. */
    const double idle = fmax(0, view->available - work->own), tasks = view->shares.cpu * work->own;
    used += fmin(fmax(work->thread_cpu * recorded_share(bottleneck), tasks), tasks + idle);
  }
  bottleneck->used = known ? used / bottleneck->window : 0;
}

/* What a replica adds to the unit that its thread is. False: it is none of these stages. */
static bool add_to_unit(const struct out_bottleneck *bottleneck, uint32_t first_stage,
                        const struct out_replica *replica, struct out_unit *unit)
{
  if (replica->folded || replica->stage < first_stage || replica->stage - first_stage >= bottleneck->count ||
      replica->own_time < 0)
    return false;
  const struct out_stage_view *view = &bottleneck->views[replica->stage - first_stage];
  const double working = replica->own_time * (1 - view->condition);
  const double busy = out_bottleneck_counts(bottleneck, view) ? working / fmax(bottleneck->window, 1e-12) : 0;
  unit->busy += busy;
  if (!unit->most || busy > unit->most_busy) {
    unit->most = view;
    unit->most_busy = busy;
  }
  return true;
}

/* The thread whose stages, one after the other, take most of its time. Threads that were folded together are none. */
static void find_unit(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck, uint32_t first_stage)
{
  struct out_unit unit = {0};
  unsigned stages = 0;
  for (uint32_t i = 0; i < pipeline->replicas.count; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (!unit.replica || replica->first != unit.replica->first) {
      unit = (struct out_unit){.replica = replica};
      stages = 0;
    }
    stages += add_to_unit(bottleneck, first_stage, replica, &unit);
    if (stages > 1 && unit.busy > bottleneck->unit.busy)
      bottleneck->unit = unit;
  }
}

/* How many of the stages' threads were ready and waited for a processor, on average: inside of their tasks or not. */
static double threads_ready(const struct out_bottleneck *bottleneck)
{
  double queued = 0;
  for (uint32_t i = 0; i < bottleneck->count; i++)
    queued += bottleneck->views[i].stage->work.queued;
  return bottleneck->span > 0 ? queued / bottleneck->span : 0;
}

/* Does the work of the stage hang on processors, of which there are no more? Either all are wanted by the stages'
 * threads, which others may keep from some, or it waits for one longer than it has one. */
static bool lacks_processors(const struct out_bottleneck *bottleneck, const struct out_stage_view *view)
{
  const struct out_task_shares *shares = &view->shares;
  if (!shares->known || bottleneck->processors <= 0)
    return false;
  const double wanted = bottleneck->used + threads_ready(bottleneck);
  return shares->cpu + shares->ready >= MOSTLY &&
         (wanted >= OUT_ALL_USED * bottleneck->processors || shares->ready >= fmax(shares->cpu, 0.3));
}

/* A stage that works little although items wait for it, and that waits for no queue: it waits between its tasks. */
static const struct out_stage_view *find_outside(const struct out_bottleneck *bottleneck)
{
  for (uint32_t i = bottleneck->count; i-- > 0;) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (view->input && out_queue_is_occupied(view->input) && (!view->output || !out_queue_is_occupied(view->output)) &&
        view->state != OUT_STAGE_FINISHED && !view->shared && !view->pooled &&
        out_bottleneck_counts(bottleneck, view) &&
        1 - view->busy - view->get_wait - view->put_wait - view->ended >= MOSTLY)
      return view;
  }
  return NULL;
}

/* Are a stage's threads ready, and wait for a processor, most of their time? Many threads that each wait a little are
 * none. */
static bool waits_for_processors(const struct out_bottleneck *bottleneck)
{
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (view->available > 0 && view->stage->work.queued * recorded_share(bottleneck) >= MOSTLY * view->available)
      return true;
  }
  return false;
}

/* Nothing is busy: what is outside of the stages bounds the pipeline, if a queue shows it. */
static void look_outside(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck)
{
  bottleneck->bound = OUT_BOUND_UNKNOWN;
  bottleneck->untold = out_stage_untold(pipeline, bottleneck, &bottleneck->untold_share);
  const struct callsig_queue_stats *ring = out_ring_lacking(pipeline, bottleneck, !bottleneck->untold);
  const struct out_stage_view *first = bottleneck->count > 0 ? &bottleneck->views[0] : NULL;
  const struct out_stage_view *last = bottleneck->count > 0 ? &bottleneck->views[bottleneck->count - 1] : NULL;
  const struct out_stage_view *outside = find_outside(bottleneck);
  if (last && last->output && last->state == OUT_STAGE_BLOCKED && out_queue_is_occupied(last->output)) {
    bottleneck->bound = OUT_BOUND_SINK;
    bottleneck->before = last->output;
  } else if (outside) {
    bottleneck->bound = OUT_BOUND_STAGE;
    bottleneck->outside = true;
    bottleneck->stage = outside;
    bottleneck->equal = NULL;
    bottleneck->before = outside->input;
    bottleneck->behind = outside->output;
  } else if (ring) {
    bottleneck->bound = OUT_BOUND_RING;
    bottleneck->before = ring;
  } else if (first && first->input && first->state == OUT_STAGE_STARVED && !out_queue_is_occupied(first->input)) {
    bottleneck->bound = OUT_BOUND_SOURCE;
    bottleneck->behind = first->input;
  } else if (bottleneck->processors > 0 &&
             (bottleneck->used >= OUT_ALL_USED * bottleneck->processors || waits_for_processors(bottleneck)))
    bottleneck->bound = OUT_BOUND_PROCESSOR;
}

/* Without stages: the first step from an occupied to an empty queue. */
static void judge_queues(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck, uint32_t first,
                         uint32_t end)
{
  for (uint32_t i = first; i < end; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, i)->stats;
    const struct callsig_queue_stats *behind = i + 1 < end ? &out_pipeline_queue_at(pipeline, i + 1)->stats : NULL;
    if (out_queue_is_occupied(queue) && (!behind || !out_queue_is_occupied(behind))) {
      bottleneck->bound = behind ? OUT_BOUND_GAP : OUT_BOUND_SINK;
      bottleneck->before = queue;
      bottleneck->behind = behind;
      return;
    }
  }
  if (end > first && out_pipeline_queue_at(pipeline, first)->stats.num_items > 0) {
    bottleneck->bound = OUT_BOUND_SOURCE;
    bottleneck->behind = &out_pipeline_queue_at(pipeline, first)->stats;
  }
}

static bool waits_inside(const struct out_stage_view *view)
{
  return view->shares.known && view->shares.waiting >= MOSTLY;
}

/* Which other stage waits inside of its tasks for what the bounding one waits for: it was seen, or it may be, as far
 * as is known. */
static void find_shared(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck,
                        uint32_t first_stage)
{
  const struct out_stage_view *stage = bottleneck->stage;
  const uint32_t number = first_stage + (uint32_t)(stage - bottleneck->views);
  const bool known = out_waits_tell(&stage->waits);
  double most = OUT_SHARED;
  bool may_be = false;
  bottleneck->locked = stage->lock >= OUT_LOCKED;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (view == stage)
      continue;
    if (known && out_waits_tell(&view->waits)) {
      const double common = out_stage_waits_common(pipeline, number, first_stage + i);
      if (common >= most) {
        most = common;
        bottleneck->shares_wait = view;
        bottleneck->shares_seen = true;
      }
    } else if (!bottleneck->shares_seen && !may_be && view->busy >= OUT_BUSY_ENOUGH && waits_inside(stage) &&
               waits_inside(view)) {
      bottleneck->shares_wait = view;
      may_be = true;
    }
  }
}

/* Finds the busiest of the other stages, of those that no queue connects with the bounding one, if one of both waits
 * inside of its tasks: what is handed on between them was not told, so it may be for the other one. 0 or -ENOMEM. */
static int find_either(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck)
{
  const struct out_stage_view *either = NULL;
  uint32_t *parts = out_stages_parts(pipeline, bottleneck);
  if (!parts)
    return out_stats_no_memory();
  const uint32_t own = parts[bottleneck->stage - bottleneck->views];
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    const bool wait = waits_inside(bottleneck->stage) || waits_inside(view);
    if (parts[i] != own && view->busy >= (either ? either->busy : MOSTLY) && wait &&
        out_bottleneck_counts(bottleneck, view))
      either = view;
  }
  bottleneck->either = either;
  free(parts);
  return 0;
}

/* With a stage, or a thread of several, that is busy enough. 0 or -ENOMEM, here and below. */
static int judge_busy(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck, uint32_t first_stage)
{
  int result = 0;
  const struct out_stage_view *stage = bottleneck->stage;
  bottleneck->before = stage->input;
  bottleneck->behind = stage->output;
  find_shared(pipeline, bottleneck, first_stage);
  /* Who of those that wait for one lock is the busiest is chance. */
  if (bottleneck->phases.count > 0 && !(bottleneck->locked && bottleneck->shares_seen))
    bottleneck->bound = OUT_BOUND_MOVING;
  else if (lacks_processors(bottleneck, stage))
    bottleneck->bound = OUT_BOUND_PROCESSOR;
  else if (stage->busy < OUT_BUSY_ENOUGH)
    bottleneck->bound = OUT_BOUND_THREAD;
  else
    bottleneck->bound = OUT_BOUND_STAGE;
  if (bottleneck->bound == OUT_BOUND_STAGE && !bottleneck->shares_seen)
    result = find_either(pipeline, bottleneck);
  if (bottleneck->bound != OUT_BOUND_STAGE) {
    bottleneck->shares_wait = NULL;
    bottleneck->shares_seen = bottleneck->locked = false;
  }
  return result;
}

/* With threads that other pipelines use, too: they, or the processors that they use. */
static void judge_pool(struct out_bottleneck *bottleneck)
{
  const struct out_stage_view *stage = bottleneck->stage = bottleneck->pool.most;
  bottleneck->equal = NULL;
  bottleneck->before = stage->input;
  bottleneck->behind = stage->output;
  const bool all_used =
      bottleneck->processors > 0 && bottleneck->pool.computes >= OUT_ALL_USED * bottleneck->processors;
  bottleneck->bound = all_used || lacks_processors(bottleneck, stage) ? OUT_BOUND_PROCESSOR : OUT_BOUND_POOL;
}

static int judge_stages(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck,
                        uint32_t first_stage)
{
  int result = 0;
  const bool thread = bottleneck->unit.busy >= OUT_BUSY_ENOUGH;
  /* A stage that does little but wait for others is not what they wait for. */
  const bool idle = out_stage_active(bottleneck->stage) < MOSTLY && bottleneck->unit.busy >= MOSTLY;
  if (idle) {
    bottleneck->stage = bottleneck->unit.most;
    bottleneck->equal = NULL;
  }
  /* Where the busiest stage's tasks lack processors, more items only wait for these. */
  const bool lacks = bottleneck->stage->busy >= OUT_BUSY_ENOUGH && lacks_processors(bottleneck, bottleneck->stage);
  const struct callsig_queue_stats *ring = lacks ? NULL : out_ring_lacking(pipeline, bottleneck, false);
  if (out_shared_pool_bounds(bottleneck))
    judge_pool(bottleneck);
  else if (ring && bottleneck->phases.count == 0) {
    bottleneck->bound = OUT_BOUND_RING;
    bottleneck->before = ring;
  } else if (bottleneck->stage->busy >= OUT_BUSY_ENOUGH || bottleneck->phases.count > 0)
    result = judge_busy(pipeline, bottleneck, first_stage);
  else if (thread || idle) {
    bottleneck->stage = bottleneck->unit.most;
    result = judge_busy(pipeline, bottleneck, first_stage);
  } else
    look_outside(pipeline, bottleneck);
  bottleneck->throughput =
      bottleneck->window > 0 ? (double)bottleneck->stage->stage->stats.num_tasks / bottleneck->window : 0;
  return result;
}

/* Does the thread that bounds the pipeline do as much of the stage as its other threads, at least half of that? */
static bool is_of_unit(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                       const struct out_stage_view *view)
{
  double own = 0, all = 0;
  unsigned threads = 0;
  for (uint32_t i = 0; i < pipeline->replicas.count; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (replica->stage != view->number || replica->own_time <= 0)
      continue;
    all += replica->own_time;
    threads++;
    own += replica->first == bottleneck->unit.replica->first ? replica->own_time : 0;
  }
  return own > 0 && 2 * own * threads >= all;
}

static bool is_of_phases(const struct out_bottleneck *bottleneck, const struct out_stage_view *view)
{
  for (uint32_t i = 0; i < bottleneck->phases.count; i++)
    if (((const struct out_phase *)base_vector_at(&bottleneck->phases, i))->view == view)
      return true;
  return false;
}

/* Is it the stage, or one of those, that the others wait for? */
static bool bounds(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                   const struct out_stage_view *view)
{
  switch (bottleneck->bound) {
  case OUT_BOUND_STAGE:
    return view == bottleneck->stage || (view == bottleneck->equal && view->busy >= OUT_BUSY_ENOUGH);
  case OUT_BOUND_PROCESSOR:
    return view == bottleneck->stage && view->busy >= OUT_BUSY_ENOUGH;
  case OUT_BOUND_THREAD:
    return is_of_unit(pipeline, bottleneck, view);
  case OUT_BOUND_MOVING:
    return is_of_phases(bottleneck, view);
  default:
    return false;
  }
}

/* What the others wait for does not wait for them. */
static void settle_states(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck)
{
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    struct out_stage_view *view = &bottleneck->views[i];
    const bool waits = view->state == OUT_STAGE_STARVED || view->state == OUT_STAGE_BLOCKED;
    if (bounds(pipeline, bottleneck, view) && (waits || (view->state == OUT_STAGE_IDLE && !bottleneck->outside)))
      view->state = bottleneck->outside ? OUT_STAGE_IDLE : OUT_STAGE_BUSY;
  }
}

static int judge(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck, uint32_t first_stage,
                 uint32_t first_queue, uint32_t end_queue)
{
  bottleneck->views = calloc(bottleneck->count + 1u, sizeof *bottleneck->views);
  if (!bottleneck->views)
    return out_stats_no_memory();
  const struct out_window window = find_window(pipeline, first_stage, bottleneck->count);
  bottleneck->window = window.seconds;
  bottleneck->span = window.span;
  bottleneck->is_cpu_clock = pipeline->is_cpu_clock;
  for (uint32_t i = 0; i < bottleneck->count; i++)
    out_stage_view_fill(pipeline, first_stage + i, &window, &bottleneck->views[i]);
  if (pipeline->is_cpu_clock)
    return 0;
  if (out_time_course(pipeline, bottleneck) < 0)
    return out_stats_no_memory();
  for (uint32_t i = 0; i < bottleneck->count; i++)
    out_stage_view_judge(pipeline, &window, &bottleneck->views[i]);
  find_processors(bottleneck);
  find_busiest(bottleneck);
  if (bottleneck->stage) {
    find_unit(pipeline, bottleneck, first_stage);
    if (out_shared_pool_find(pipeline, bottleneck, first_stage) < 0)
      return out_stats_no_memory();
    if (judge_stages(pipeline, bottleneck, first_stage) < 0)
      return -ENOMEM;
    settle_states(pipeline, bottleneck);
  } else
    judge_queues(pipeline, bottleneck, first_queue, end_queue);
  return out_stragglers_find(pipeline, bottleneck, first_stage);
}

int out_bottleneck_next(const struct callsig_pipeline *pipeline, uint32_t *stage, uint32_t *queue,
                        struct out_bottleneck *bottleneck)
{
  bool stages = *stage < pipeline->stages.count, queues = *queue < pipeline->queues.count;
  if (!stages && !queues)
    return 0;
  unsigned of_stage = stages ? out_pipeline_stage_at(pipeline, *stage)->stats.pipeline : 0;
  unsigned of_queue = queues ? out_pipeline_queue_at(pipeline, *queue)->stats.pipeline : 0;
  *bottleneck = (struct out_bottleneck){.phases = BASE_VECTOR_OF(struct out_phase),
                                        .stragglers = BASE_VECTOR_OF(struct out_straggler),
                                        .turns = BASE_VECTOR_OF(struct out_turns)};
  bottleneck->pipeline = stages && (!queues || of_stage <= of_queue) ? of_stage : of_queue;
  uint32_t first_stage = *stage, first_queue = *queue;
  while (*stage < pipeline->stages.count &&
         out_pipeline_stage_at(pipeline, *stage)->stats.pipeline == bottleneck->pipeline)
    ++*stage;
  while (*queue < pipeline->queues.count &&
         out_pipeline_queue_at(pipeline, *queue)->stats.pipeline == bottleneck->pipeline)
    ++*queue;
  bottleneck->count = *stage - first_stage;
  int result = judge(pipeline, bottleneck, first_stage, first_queue, *queue);
  if (result < 0)
    out_bottleneck_free(bottleneck);
  return result < 0 ? result : 1;
}

void out_bottleneck_free(struct out_bottleneck *bottleneck)
{
  free(bottleneck->views);
  base_vector_free(&bottleneck->phases);
  base_vector_free(&bottleneck->stragglers);
  base_vector_free(&bottleneck->turns);
  bottleneck->views = NULL;
}
