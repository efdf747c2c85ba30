/* Judges which stage bounds a pipeline, and by what. */
#include "output/pipeline/bottleneck.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/text/message.h"

/* Shares of time, and ratios, from which on something is said. docs/pipeline-statistics.md gives them too. */
#define BUSY_ENOUGH  0.70 /* of its time: a stage bounds the pipeline */
#define AS_BUSY      0.03 /* a difference that does not count */
#define WAITS        0.10 /* of its time: a stage is starved or blocked */
#define OCCUPIED     0.50 /* of the time: a queue counts as full; below as empty */
#define CONCERN      0.05 /* of its tasks failed */
#define CRITICAL     0.20
#define PAUSES       3.0 /* p90 over the median */
#define ENOUGH_TASKS 20  /* for a median to mean anything */
#define AGGREGATES   1.5 /* items in for each item out */

static uint64_t successes(const struct callsig_stage_stats *stats)
{
  return stats->num_tasks - stats->num_failures;
}

/* The first queue at or behind a place. Queues are sorted. */
static uint32_t lower_bound(const struct callsig_pipeline *pipeline, unsigned number, unsigned index)
{
  uint32_t low = 0, high = pipeline->queues.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, middle)->stats;
    if (queue->pipeline < number || (queue->pipeline == number && queue->index < index))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const struct callsig_queue_stats *queue_at(const struct callsig_pipeline *pipeline, uint32_t index,
                                                  unsigned number)
{
  if (index >= pipeline->queues.count)
    return NULL;
  const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, index)->stats;
  return queue->pipeline == number ? queue : NULL;
}

static void find_queues(const struct callsig_pipeline *pipeline, struct out_stage_view *view)
{
  const struct callsig_stage_stats *stats = &view->stage->stats;
  uint32_t at = lower_bound(pipeline, stats->pipeline, stats->index);
  if (at > 0)
    view->input = queue_at(pipeline, at - 1, stats->pipeline);
  view->output = queue_at(pipeline, at, stats->pipeline);
  if (view->output && view->output->index != stats->index)
    view->output = NULL;
}

/* How many tasks the stage worked on at a time: what it was opened with, unless more time was worked than that. */
static double replicas_of(const struct callsig_stage_stats *stats, double work, double window)
{
  double used = window > 0 ? ceil(work / window - 0.05) : 0;
  return used > stats->concurrency ? used : stats->concurrency;
}

static bool is_occupied(const struct callsig_queue_stats *queue)
{
  return queue->occupancy_rate >= OCCUPIED;
}

/* What a stage waits for when it does not work. A wait counts when it ends, so that a thread which waits for good has
 * none: time that nothing accounts for is put down to the queue that explains it. */
static enum out_stage_state find_state(const struct out_stage_view *view)
{
  double starved = view->get_wait, blocked = view->put_wait;
  double unexplained = fmax(0, 1 - view->busy - starved - blocked);
  if (view->input && !is_occupied(view->input))
    starved += unexplained;
  else if (view->output && is_occupied(view->output))
    blocked += unexplained;
  if (fmax(starved, blocked) >= WAITS)
    return starved >= blocked ? OUT_STAGE_STARVED : OUT_STAGE_BLOCKED;
  return view->busy >= OCCUPIED ? OUT_STAGE_BUSY : OUT_STAGE_IDLE;
}

static void judge_stage(struct out_stage_view *view, double window)
{
  const struct callsig_stage_stats *stats = &view->stage->stats;
  double work = stats->total_time + stats->failed_time;
  view->replicas = replicas_of(stats, work, window);
  double available = view->replicas * window;
  if (available > 0) {
    view->get_wait = view->stage->get_wait / available;
    view->put_wait = view->stage->put_wait / available;
    /* A program may wait inside its tasks, whose times then hold the wait: work is what is left. */
    view->busy = fmax(0, fmin(work / available, 1 - view->get_wait - view->put_wait));
  }
  if (stats->ave_time > 0)
    view->rate = view->replicas / stats->ave_time;
  view->state = find_state(view);
  if (stats->num_tasks > 0)
    view->failure_rate = (double)stats->num_failures / (double)stats->num_tasks;
  view->failures = view->failure_rate > CRITICAL  ? OUT_FAILURES_CRITICAL
                   : view->failure_rate > CONCERN ? OUT_FAILURES_CONCERN
                                                  : OUT_FAILURES_FEW;
  view->pauses = successes(stats) >= ENOUGH_TASKS && stats->p90_time >= PAUSES * stats->p50_time;
  view->aggregates = view->input && view->output && view->output->puts > 0 &&
                     (double)view->input->num_items >= AGGREGATES * (double)view->output->puts;
}

/* The window of the pipeline: from its first task to the end of its last. */
static double find_window(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck)
{
  uint64_t first = UINT64_MAX, last = 0;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage *stage = bottleneck->views[i].stage;
    first = stage->first_ticks < first ? stage->first_ticks : first;
    last = stage->last_ticks > last ? stage->last_ticks : last;
  }
  return last > first ? (double)(last - first) * pipeline->tick : 0;
}

/* The busiest stage; of stages that are as busy, the one at the step from occupied to empty queues. */
static void find_busiest(struct out_bottleneck *bottleneck)
{
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (!bottleneck->step && view->input && view->output && is_occupied(view->input) && !is_occupied(view->output))
      bottleneck->step = view;
    if (view->stage->stats.num_tasks + view->stage->stats.open > 0 &&
        (!bottleneck->stage || view->busy > bottleneck->stage->busy))
      bottleneck->stage = view;
  }
  for (uint32_t i = 0; bottleneck->stage && i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (view == bottleneck->stage || view->busy < bottleneck->stage->busy - AS_BUSY || view->busy == 0)
      continue;
    bottleneck->equal = view;
    if (view == bottleneck->step) {
      bottleneck->equal = bottleneck->stage;
      bottleneck->stage = view;
    }
    break;
  }
}

/* Nothing is busy: what is outside of the stages bounds the pipeline, if a queue shows it. */
static void look_outside(struct out_bottleneck *bottleneck)
{
  bottleneck->bound = OUT_BOUND_UNKNOWN;
  const struct out_stage_view *first = bottleneck->count > 0 ? &bottleneck->views[0] : NULL;
  const struct out_stage_view *last = bottleneck->count > 0 ? &bottleneck->views[bottleneck->count - 1] : NULL;
  if (last && last->output && last->state == OUT_STAGE_BLOCKED && is_occupied(last->output)) {
    bottleneck->bound = OUT_BOUND_SINK;
    bottleneck->before = last->output;
  } else if (first && first->input && first->state == OUT_STAGE_STARVED && !is_occupied(first->input)) {
    bottleneck->bound = OUT_BOUND_SOURCE;
    bottleneck->behind = first->input;
  }
}

/* Without stages: the first step from an occupied to an empty queue. */
static void judge_queues(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck, uint32_t first,
                         uint32_t end)
{
  for (uint32_t i = first; i < end; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, i)->stats;
    const struct callsig_queue_stats *behind = i + 1 < end ? &out_pipeline_queue_at(pipeline, i + 1)->stats : NULL;
    if (is_occupied(queue) && (!behind || !is_occupied(behind))) {
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

/* With twice the replicas a stage needs half the share of its time for the same work; the throughput grows until it, or
 * the next one, has no time left. */
static void find_gain(struct out_bottleneck *bottleneck)
{
  const struct out_stage_view *bounding = bottleneck->stage;
  bottleneck->throughput = bottleneck->window > 0 ? (double)bounding->stage->stats.num_tasks / bottleneck->window : 0;
  bottleneck->gain = fmax(1, 2 / fmax(bounding->busy, BUSY_ENOUGH));
  if (bottleneck->gain > 2)
    bottleneck->gain = 2;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    double most = view->busy > 0 ? fmax(1, bounding->busy / view->busy) : INFINITY;
    if (view != bounding && most < bottleneck->gain) {
      bottleneck->gain = most;
      bottleneck->next = view;
    }
  }
}

static int add_straggler(struct out_bottleneck *bottleneck, const struct out_stage_view *view,
                         const struct out_replica *replica, double mean, double others)
{
  struct out_straggler *added = base_vector_add(&bottleneck->stragglers, 1);
  if (!added)
    return out_stats_no_memory();
  *added = (struct out_straggler){.view = view, .replica = replica, .mean = mean, .others = others};
  return 0;
}

static int find_stragglers(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck,
                           uint32_t first_stage)
{
  int result = 0;
  for (uint32_t i = 0; i < pipeline->replicas.count && result == 0; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (replica->stage < first_stage || replica->stage - first_stage >= bottleneck->count || replica->folded)
      continue;
    const struct out_stage_view *view = &bottleneck->views[replica->stage - first_stage];
    uint64_t own = replica->tasks - replica->failures, all = successes(&view->stage->stats);
    if (own < OUT_STRAGGLER_TASKS || all < own + OUT_STRAGGLER_TASKS)
      continue;
    double mean = replica->total_time / (double)own;
    double others = (view->stage->stats.total_time - replica->total_time) / (double)(all - own);
    if (others > 0 && mean >= OUT_STRAGGLER_RATIO * others)
      result = add_straggler(bottleneck, view, replica, mean, others);
  }
  return result;
}

static int judge(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck, uint32_t first_stage,
                 uint32_t first_queue, uint32_t end_queue)
{
  bottleneck->views = calloc(bottleneck->count + 1u, sizeof *bottleneck->views);
  if (!bottleneck->views)
    return out_stats_no_memory();
  for (uint32_t i = 0; i < bottleneck->count; i++)
    bottleneck->views[i].stage = out_pipeline_stage_at(pipeline, first_stage + i);
  bottleneck->window = find_window(pipeline, bottleneck);
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    find_queues(pipeline, &bottleneck->views[i]);
    judge_stage(&bottleneck->views[i], bottleneck->window);
  }
  find_busiest(bottleneck);
  if (!bottleneck->stage)
    judge_queues(pipeline, bottleneck, first_queue, end_queue);
  else if (bottleneck->stage->busy < BUSY_ENOUGH)
    look_outside(bottleneck);
  else {
    bottleneck->bound = OUT_BOUND_STAGE;
    bottleneck->before = bottleneck->stage->input;
    bottleneck->behind = bottleneck->stage->output;
  }
  if (bottleneck->stage)
    find_gain(bottleneck);
  return find_stragglers(pipeline, bottleneck, first_stage);
}

int out_bottleneck_next(const struct callsig_pipeline *pipeline, uint32_t *stage, uint32_t *queue,
                        struct out_bottleneck *bottleneck)
{
  bool stages = *stage < pipeline->stages.count, queues = *queue < pipeline->queues.count;
  if (!stages && !queues)
    return 0;
  unsigned of_stage = stages ? out_pipeline_stage_at(pipeline, *stage)->stats.pipeline : 0;
  unsigned of_queue = queues ? out_pipeline_queue_at(pipeline, *queue)->stats.pipeline : 0;
  *bottleneck = (struct out_bottleneck){.stragglers = BASE_VECTOR_OF(struct out_straggler)};
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
  base_vector_free(&bottleneck->stragglers);
  bottleneck->views = NULL;
}
