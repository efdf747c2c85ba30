/* The object behind callsig/pipeline.h: made, handed out, freed. */
#include "output/pipeline/pipeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/counters.h"
#include "output/stats/public_struct.h"
#include "output/text/message.h"

struct callsig_pipeline *out_pipeline_new(void)
{
  struct callsig_pipeline *pipeline = malloc(sizeof *pipeline);
  if (!pipeline) {
    out_stats_no_memory();
    return NULL;
  }
  *pipeline = (struct callsig_pipeline){
      .forecast_steps = OUT_FORECAST_STEPS,
      .stages = BASE_VECTOR_OF(struct out_stage),
      .queues = BASE_VECTOR_OF(struct out_queue),
      .events = BASE_VECTOR_OF(struct callsig_event_stats),
      .moments = BASE_VECTOR_OF(struct out_moment),
      .counters = BASE_VECTOR_OF(struct out_counter),
      .counter_parts = BASE_VECTOR_OF(struct out_counter_thread),
      .group = BASE_VECTOR_OF(struct callsig_group_stats),
      .actions = BASE_VECTOR_OF(struct callsig_action_stats),
      .replicas = BASE_VECTOR_OF(struct out_replica),
      .links = BASE_VECTOR_OF(struct out_link),
      .waits = BASE_VECTOR_OF(struct out_stage_wait),
      .functions = BASE_VECTOR_OF(struct callsig_function_stats),
  };
  return pipeline;
}

static void free_histograms(struct out_stage *stage)
{
  out_histogram_free(&stage->times);
  out_histogram_free(&stage->gaps);
}

void callsig_pipeline_free(struct callsig_pipeline *pipeline)
{
  if (!pipeline)
    return;
  for (uint32_t i = 0; i < pipeline->stages.count; i++)
    free_histograms(out_pipeline_stage_at(pipeline, i));
  for (uint32_t i = 0; i < pipeline->queues.count; i++) {
    out_histogram_free(&out_pipeline_queue_at(pipeline, i)->put);
    out_histogram_free(&out_pipeline_queue_at(pipeline, i)->get);
  }
  struct base_vector *vectors[] = {&pipeline->moments, &pipeline->counters, &pipeline->counter_parts,
                                   &pipeline->group,   &pipeline->stages,   &pipeline->queues,
                                   &pipeline->events,  &pipeline->actions,  &pipeline->replicas,
                                   &pipeline->links,   &pipeline->waits,    &pipeline->functions};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
  base_arena_free(&pipeline->strings);
  free(pipeline);
}

const char *out_pipeline_copy_text(struct callsig_pipeline *pipeline, const char *text, size_t length)
{
  struct out_text printable = {0};
  out_text_printable(&printable, text, length);
  const char *copy =
      printable.failed ? NULL : base_arena_copy(&pipeline->strings, out_text_string(&printable), printable.length);
  out_text_free(&printable);
  return copy;
}

static double ratio(double sum, double count)
{
  return count > 0 ? sum / count : 0;
}

static void derive_stage(struct out_stage *stage, double tick)
{
  struct callsig_stage_stats *stats = &stage->stats;
  const double low = stage->min_ticks, high = stage->max_ticks;
  stats->ave_time = ratio(stats->total_time, (double)(stats->num_tasks - stats->num_failures));
  stats->p50_time = out_histogram_percentile(&stage->times, 500, low, high) * tick;
  stats->p90_time = out_histogram_percentile(&stage->times, 900, low, high) * tick;
  stats->p99_time = out_histogram_percentile(&stage->times, 990, low, high) * tick;
  stats->min_time = low * tick;
  stats->max_time = high * tick;
}

double out_queue_occupancy(const struct callsig_queue_stats *queue)
{
  /* Differences of sums are off by their last digits. */
  return queue->elapsed > 0 ? fmin(1, fmax(0, 1 - queue->empty_time / queue->elapsed)) : 0;
}

/* Of a schedule of which it is not kept when it recorded, the part of all time that it did. */
static double recorded_of(const struct out_queue *queue, const struct callsig_pipeline *pipeline)
{
  const double elapsed = queue->stats.elapsed;
  if (pipeline->pauses.known)
    return queue->recorded;
  return pipeline->recorded > 0 && pipeline->recorded < elapsed ? pipeline->recorded : elapsed;
}

static void derive_queue(struct out_queue *queue, const struct callsig_pipeline *pipeline)
{
  struct callsig_queue_stats *stats = &queue->stats;
  const double tick = pipeline->tick;
  double low = queue->put_min_ticks, high = queue->put_max_ticks;
  stats->ave_put_time = ratio(stats->put_time, (double)stats->puts);
  stats->p50_put_time = out_histogram_percentile(&queue->put, 500, low, high) * tick;
  stats->p90_put_time = out_histogram_percentile(&queue->put, 900, low, high) * tick;
  stats->p99_put_time = out_histogram_percentile(&queue->put, 990, low, high) * tick;
  stats->min_put_time = low * tick;
  stats->max_put_time = high * tick;
  low = queue->get_min_ticks;
  high = queue->get_max_ticks;
  stats->ave_get_time = ratio(stats->get_time, (double)stats->num_items);
  stats->p50_get_time = out_histogram_percentile(&queue->get, 500, low, high) * tick;
  stats->p90_get_time = out_histogram_percentile(&queue->get, 900, low, high) * tick;
  stats->p99_get_time = out_histogram_percentile(&queue->get, 990, low, high) * tick;
  stats->min_get_time = low * tick;
  stats->max_get_time = high * tick;
  /* Items count while recording is on. */
  stats->qps = ratio((double)stats->num_items, recorded_of(queue, pipeline));
  stats->occupancy_rate = out_queue_occupancy(stats);
}

void out_pipeline_derive(struct callsig_pipeline *pipeline)
{
  for (uint32_t i = 0; i < pipeline->stages.count; i++)
    derive_stage(out_pipeline_stage_at(pipeline, i), pipeline->tick);
  for (uint32_t i = 0; i < pipeline->queues.count; i++)
    derive_queue(out_pipeline_queue_at(pipeline, i), pipeline);
}

int callsig_pipeline_info(const struct callsig_pipeline *pipeline, struct callsig_pipeline_info *info)
{
  out_struct_hand_out(info, &pipeline->info, sizeof pipeline->info);
  return 0;
}

/* One element of a vector, whose public structure comes first. */
static int hand_out_at(const struct base_vector *vector, size_t index, const char *what, void *to, size_t full)
{
  if (index >= vector->count)
    return out_stats_fail(-EINVAL, "there is no %s %zu: there are %u", what, index, vector->count);
  out_struct_hand_out(to, base_vector_at(vector, (uint32_t)index), full);
  return 0;
}

#define GETTERS(one, many, type)                                                                                       \
  size_t callsig_pipeline_##one##_count(const struct callsig_pipeline *pipeline)                                       \
  {                                                                                                                    \
    return pipeline->many.count;                                                                                       \
  }                                                                                                                    \
  int callsig_pipeline_##one(const struct callsig_pipeline *pipeline, size_t index, struct type *one)                  \
  {                                                                                                                    \
    return hand_out_at(&pipeline->many, index, #one, one, sizeof *one);                                                \
  }
GETTERS(stage, stages, callsig_stage_stats)
GETTERS(queue, queues, callsig_queue_stats)
GETTERS(event, events, callsig_event_stats)
GETTERS(counter, counters, callsig_counter_stats)
GETTERS(counter_part, counter_parts, callsig_counter_stats)
GETTERS(group, group, callsig_group_stats)
GETTERS(action, actions, callsig_action_stats)
GETTERS(function, functions, callsig_function_stats)

int callsig_pipeline_process(const struct callsig_pipeline *pipeline, struct callsig_process_stats *process)
{
  if (!pipeline->has_process)
    return -ENODATA;
  out_struct_hand_out(process, &pipeline->process, sizeof pipeline->process);
  return 0;
}
