/* Finds the threads that run tasks of a pipeline and of others, and how busy they are with all of them. */
#include "output/pipeline/shared_pool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/pipeline/pipeline_text.h"

#define BESIDE 0.10 /* of a pipeline's time: so long another one's stage works beside it */
#define ROUNDS 4u   /* from the threads of a stage to their other stages, and on to the threads of these */

struct finder {
  const struct callsig_pipeline *pipeline;
  struct out_bottleneck *bottleneck;
  uint32_t first_stage;
  bool *pooled; /* by stage */
  uint64_t first, last;
};

static const struct out_replica *replica_at(const struct finder *finder, uint32_t number)
{
  return base_vector_at(&finder->pipeline->replicas, number);
}

static bool is_own(const struct finder *finder, uint32_t stage)
{
  return stage >= finder->first_stage && stage - finder->first_stage < finder->bottleneck->count;
}

/* Does a stage of another pipeline work while this one does? */
static bool is_beside(const struct finder *finder, const struct out_stage *stage)
{
  const uint64_t from = stage->first_ticks > finder->first ? stage->first_ticks : finder->first;
  const uint64_t until = stage->last_ticks < finder->last ? stage->last_ticks : finder->last;
  return until > from && (double)(until - from) >= BESIDE * (double)(finder->last - finder->first);
}

/* Is a replica one of a thread by itself, with work that is known, of a stage that counts here? */
static bool counts(const struct finder *finder, const struct out_replica *replica)
{
  if (replica->folded || replica->own_time < 0 || replica->tasks == 0)
    return false;
  return is_own(finder, replica->stage)
             ? out_bottleneck_counts(finder->bottleneck,
                                     &finder->bottleneck->views[replica->stage - finder->first_stage])
             : is_beside(finder, out_pipeline_stage_at(finder->pipeline, replica->stage));
}

static uint32_t end_of_thread(const struct finder *finder, uint32_t begin)
{
  uint32_t end = begin;
  while (end < finder->pipeline->replicas.count && replica_at(finder, end)->first == replica_at(finder, begin)->first)
    end++;
  return end;
}

/* Does the thread run stages of this pipeline and of others; or, once stages are known, one of these? */
static bool is_in_pool(const struct finder *finder, uint32_t begin, uint32_t end, bool by_stages)
{
  bool own = false, other = false, pooled = false;
  for (uint32_t i = begin; i < end; i++) {
    const struct out_replica *replica = replica_at(finder, i);
    if (!counts(finder, replica))
      continue;
    own |= is_own(finder, replica->stage);
    other |= !is_own(finder, replica->stage);
    pooled |= finder->pooled[replica->stage];
  }
  return by_stages ? pooled : own && other;
}

/* Marks the stages of the pool's threads. True: there was another. */
static bool mark_stages(const struct finder *finder, bool by_stages)
{
  bool more = false;
  for (uint32_t i = 0, end; i < finder->pipeline->replicas.count; i = end) {
    end = end_of_thread(finder, i);
    const bool in_pool = is_in_pool(finder, i, end, by_stages);
    for (uint32_t j = i; j < end && in_pool; j++)
      if (counts(finder, replica_at(finder, j))) {
        more |= !finder->pooled[replica_at(finder, j)->stage];
        finder->pooled[replica_at(finder, j)->stage] = true;
      }
  }
  return more;
}

/* Adds what a thread of the pool did. */
static void add_thread(const struct finder *finder, uint32_t begin, uint32_t end, struct out_pool *pool)
{
  pool->threads++;
  for (uint32_t i = begin; i < end; i++) {
    const struct out_replica *replica = replica_at(finder, i);
    if (!counts(finder, replica))
      continue;
    const struct out_stage *stage = out_pipeline_stage_at(finder->pipeline, replica->stage);
    pool->busy += replica->own_time;
    pool->here += is_own(finder, replica->stage) ? replica->own_time : 0;
    pool->computes += replica->own_time * out_task_shares(&stage->work).cpu;
  }
}

/* The pipelines beside this one, the first few of them, and the seconds from the first task of the pool's stages to the
 * last; the stage of this one that the pool works on most. */
static double describe(const struct finder *finder, struct out_pool *pool)
{
  uint64_t first = finder->first, last = finder->last;
  unsigned before = finder->bottleneck->pipeline;
  for (uint32_t i = 0; i < finder->pipeline->stages.count; i++) {
    const struct out_stage *stage = out_pipeline_stage_at(finder->pipeline, i);
    if (!finder->pooled[i])
      continue;
    first = stage->first_ticks < first ? stage->first_ticks : first;
    last = stage->last_ticks > last ? stage->last_ticks : last;
    if (!is_own(finder, i) && stage->stats.pipeline != before) {
      before = stage->stats.pipeline;
      if (pool->num_others < OUT_POOL_NAMED)
        pool->others[pool->num_others] = before;
      pool->num_others++;
    }
    struct out_stage_view *view = is_own(finder, i) ? &finder->bottleneck->views[i - finder->first_stage] : NULL;
    if (view && (!pool->most || stage->work.own > pool->most->stage->work.own))
      pool->most = view;
    if (view)
      view->pooled = true;
  }
  const double seconds = (double)(last - first) * finder->pipeline->tick;
  return finder->pipeline->recorded > 0 ? fmin(seconds, finder->pipeline->recorded) : seconds;
}

static void find_pool(struct finder *finder)
{
  struct out_pool *pool = &finder->bottleneck->pool;
  if (!mark_stages(finder, false))
    return;
  for (unsigned i = 0; i < ROUNDS && mark_stages(finder, true); i++)
    ;
  for (uint32_t i = 0, end; i < finder->pipeline->replicas.count; i = end) {
    end = end_of_thread(finder, i);
    if (is_in_pool(finder, i, end, true))
      add_thread(finder, i, end, pool);
  }
  const double seconds = describe(finder, pool), worked = pool->busy;
  if (!(seconds > 0) || !(worked > 0) || !pool->most)
    return;
  pool->here /= worked;
  pool->computes /= seconds;
  pool->busy = fmin(1, worked / (pool->threads * seconds));
}

int out_shared_pool_find(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck,
                         uint32_t first_stage)
{
  struct finder finder = {
      .pipeline = pipeline, .bottleneck = bottleneck, .first_stage = first_stage, .first = UINT64_MAX};
  if (bottleneck->count == pipeline->stages.count)
    return 0;
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage *stage = bottleneck->views[i].stage;
    finder.first = stage->first_ticks < finder.first ? stage->first_ticks : finder.first;
    finder.last = stage->last_ticks > finder.last ? stage->last_ticks : finder.last;
  }
  finder.pooled = calloc(pipeline->stages.count + 1u, sizeof *finder.pooled);
  if (!finder.pooled)
    return -ENOMEM;
  if (finder.last > finder.first)
    find_pool(&finder);
  free(finder.pooled);
  return 0;
}

bool out_shared_pool_bounds(const struct out_bottleneck *bottleneck)
{
  return bottleneck->pool.most && bottleneck->pool.busy >= OUT_BUSY_ENOUGH &&
         (bottleneck->stage->pooled || bottleneck->stage->busy < OUT_BUSY_ENOUGH);
}

void out_put_shared_pool(struct out_text *text, const struct out_bottleneck *bottleneck)
{
  const struct out_pool *pool = &bottleneck->pool;
  out_text_printf(text, "the pool of %u thread%s that it shares with pipeline", pool->threads,
                  pool->threads == 1 ? "" : "s");
  out_text_puts(text, pool->num_others == 1 ? "" : "s");
  for (unsigned i = 0; i < pool->num_others && i < OUT_POOL_NAMED; i++)
    out_text_printf(text, "%s %u", i > 0 ? "," : "", pool->others[i]);
  if (pool->num_others > OUT_POOL_NAMED)
    out_text_printf(text, " and %u more", pool->num_others - OUT_POOL_NAMED);
  out_put_percent(text, " bounds it: its threads work ", pool->busy, " of their time");
  out_put_percent(text, ", ", pool->here, " of that in this pipeline");
  out_text_printf(text, ", most of it in %s", pool->most->stage->stats.label);
}
