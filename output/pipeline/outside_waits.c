/* Finds rings that have too few items, waits between tasks of which nothing is told, and stages that no queue connects.
 */
#include "output/pipeline/outside_waits.h"

#include <math.h>
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

/* Up to which it is looked for what queues connect. */
enum { MOST_STAGES = 256, MOST_LINKS = 4096 };

/* Each stage's number in the pipeline, or that of another one that it is connected with. */
struct parts {
  uint16_t of[MOST_STAGES];
};

static uint16_t root_of(const struct parts *parts, uint32_t stage)
{
  uint16_t root = (uint16_t)stage;
  while (parts->of[root] != root)
    root = parts->of[root];
  return root;
}

static void join(struct parts *parts, uint32_t one, uint32_t other)
{
  parts->of[root_of(parts, one)] = root_of(parts, other);
}

static bool uses(const struct out_stage_view *view, const char *queue)
{
  return (view->input && strcmp(view->input->label, queue) == 0) ||
         (view->output && strcmp(view->output->label, queue) == 0);
}

/* By the queues that a stage's view has, which may be those of its place. */
static void join_by_views(const struct out_bottleneck *bottleneck, struct parts *parts)
{
  for (uint32_t i = 0; i < bottleneck->count; i++)
    for (uint32_t j = 0; j < i; j++) {
      const struct out_stage_view *view = &bottleneck->views[i], *other = &bottleneck->views[j];
      if ((view->input && uses(other, view->input->label)) || (view->output && uses(other, view->output->label)))
        join(parts, i, j);
    }
}

/* By all that their threads were seen to use. */
static void join_by_links(const struct callsig_pipeline *pipeline, uint32_t first, uint32_t count, struct parts *parts)
{
  for (uint32_t i = 0; i < pipeline->links.count; i++) {
    const struct out_link *link = base_vector_at(&pipeline->links, i);
    for (uint32_t j = 0; j < i && link->stage >= first && link->stage - first < count; j++) {
      const struct out_link *before = base_vector_at(&pipeline->links, j);
      if (before->stage >= first && before->stage - first < count && strcmp(before->queue, link->queue) == 0)
        join(parts, link->stage - first, before->stage - first);
    }
  }
}

bool out_stages_connected(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                          const struct out_stage_view *one, const struct out_stage_view *other)
{
  struct parts parts;
  if (bottleneck->count > MOST_STAGES || pipeline->links.count > MOST_LINKS)
    return true;
  for (uint32_t i = 0; i < bottleneck->count; i++)
    parts.of[i] = (uint16_t)i;
  join_by_views(bottleneck, &parts);
  join_by_links(pipeline, bottleneck->views[0].number, bottleneck->count, &parts);
  return root_of(&parts, (uint32_t)(one - bottleneck->views)) == root_of(&parts, (uint32_t)(other - bottleneck->views));
}
