/* Finds rings that have too few items, waits between tasks of which nothing is told, and stages that no queue connects.
 */
#include "output/pipeline/outside_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/rings.h"

#define ALL_AT_WORK 0.85 /* of a ring's items: there is none that waits for a stage */
#define ALL_BUSY    0.90 /* of its time: a stage that is needs faster tasks, and not more items */
#define WAITED      0.10 /* of the time: a thread waits for an item of a ring */

/* How many tasks are worked on at a time, on average. */
static double at_work(const struct out_bottleneck *bottleneck)
{
  double sum = 0;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    if (view->busy >= ALL_BUSY)
      return 0;
    sum += out_stage_active(view) * view->at_once;
  }
  return sum;
}

const struct callsig_queue_stats *out_ring_lacking(const struct callsig_pipeline *pipeline,
                                                   const struct out_bottleneck *bottleneck, bool waited)
{
  const double working = at_work(bottleneck);
  const struct callsig_queue_stats *found = NULL;
  for (uint32_t i = 0; i < pipeline->queues.count; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, i)->stats;
    const double items = out_ring_items(queue);
    if (queue->pipeline != bottleneck->pipeline || !(items > 0) || out_queue_is_occupied(queue))
      continue;
    const bool lacks = working >= ALL_AT_WORK * items || (waited && queue->get_time >= WAITED * bottleneck->window);
    if (lacks && (!found || queue->get_time > found->get_time))
      found = queue;
  }
  return found;
}

/* The seconds from the last part of the time in which a thread had tasks of its stage to the stage's last task. */
static double behind_last(const struct callsig_pipeline *pipeline, const struct out_replica *replica, uint64_t last)
{
  unsigned end = FMT_TASK_SLOTS;
  while (end > 0 && replica->slots[end - 1].tasks == 0 && replica->slots[end - 1].own == 0)
    end--;
  if (end == 0 || replica->own_time < 0 || replica->shift >= 64 || last <= pipeline->start_ticks)
    return 0;
  const uint64_t from = pipeline->start_ticks + (uint64_t)ldexp((double)end, (int)replica->shift);
  return out_pipeline_recorded(pipeline, from, last);
}

double out_stage_presence(const struct callsig_pipeline *pipeline, const struct out_stage *stage, double all)
{
  const double span = out_pipeline_recorded(pipeline, stage->first_ticks, stage->last_ticks);
  double there = fmin(all, stage->work.known ? stage->work.lifetime : stage->stats.threads * span);
  for (uint32_t i = 0; i < pipeline->replicas.count; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (!replica->folded && out_pipeline_stage_at(pipeline, replica->stage) == stage)
      there -= behind_last(pipeline, replica, stage->last_ticks);
  }
  return there;
}

/* The share of its threads' time that neither tasks, nor queues, nor a processor explain. */
static double untold(const struct callsig_pipeline *pipeline, const struct out_stage_view *view)
{
  const struct out_task_work *work = &view->stage->work;
  const double all = view->available;
  if (!(all > 0) || view->shared || view->pooled)
    return 0;
  const double ready = view->shares.known ? view->shares.ready * view->busy : 0;
  const double there = out_stage_presence(pipeline, view->stage, (1 - view->ended) * all) / all;
  return there - view->busy - view->get_wait - view->put_wait - fmax(0, work->queued / all - ready);
}

const struct out_stage_view *out_stage_untold(const struct callsig_pipeline *pipeline,
                                              const struct out_bottleneck *bottleneck, double *share)
{
  const struct out_stage_view *found = NULL;
  *share = OUT_UNTOLD;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    const double waits = out_bottleneck_counts(bottleneck, view) ? untold(pipeline, view) : 0;
    if (waits >= *share) {
      *share = waits;
      found = view;
    }
  }
  return found;
}

/* A stage uses a queue. */
struct use {
  const char *queue;
  uint32_t stage; /* of the pipeline's */
};

static int compare_uses(const void *left, const void *right)
{
  return strcmp(((const struct use *)left)->queue, ((const struct use *)right)->queue);
}

static bool add_use(struct base_vector *uses, const char *queue, uint32_t stage)
{
  struct use *use = base_vector_add(uses, 1);
  if (use)
    *use = (struct use){queue, stage};
  return use != NULL;
}

/* By the queues that a stage's view has, which may be those of its place, and by all that its threads were seen to use.
 */
static bool find_uses(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                      struct base_vector *uses)
{
  const uint32_t first = bottleneck->views[0].number;
  bool has_room = true;
  for (uint32_t i = 0; i < bottleneck->count && has_room; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    has_room = (!view->input || add_use(uses, view->input->label, i)) &&
               (!view->output || add_use(uses, view->output->label, i));
  }
  for (uint32_t i = 0; i < pipeline->links.count && has_room; i++) {
    const struct out_link *link = base_vector_at(&pipeline->links, i);
    if (link->stage >= first && link->stage - first < bottleneck->count)
      has_room = add_use(uses, link->queue, link->stage - first);
  }
  return has_room;
}

/* The stage that stands for all that this one is connected with; the way to it becomes short. */
static uint32_t root_of(uint32_t *parts, uint32_t stage)
{
  while (parts[stage] != stage)
    stage = parts[stage] = parts[parts[stage]];
  return stage;
}

uint32_t *out_stages_parts(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck)
{
  struct base_vector uses = BASE_VECTOR_OF(struct use);
  uint32_t *parts = calloc(bottleneck->count + 1u, sizeof *parts);
  if (!parts || (bottleneck->count > 0 && !find_uses(pipeline, bottleneck, &uses))) {
    free(parts);
    base_vector_free(&uses);
    return NULL;
  }
  for (uint32_t i = 0; i < bottleneck->count; i++)
    parts[i] = i;
  if (uses.count > 0)
    qsort(uses.data, uses.count, sizeof(struct use), compare_uses);
  for (uint32_t i = 1; i < uses.count; i++) {
    const struct use *before = base_vector_at(&uses, i - 1), *use = base_vector_at(&uses, i);
    if (strcmp(before->queue, use->queue) == 0)
      parts[root_of(parts, before->stage)] = root_of(parts, use->stage);
  }
  for (uint32_t i = 0; i < bottleneck->count; i++)
    parts[i] = root_of(parts, i);
  base_vector_free(&uses);
  return parts;
}
