/* Gathers what a picture shows of a process. */
#include "output/plot/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/bottleneck.h"
#include "output/text/message.h"
#include "output/verdict/verdict_text.h"

static const struct out_node unknown = {.each = NAN,
                                        .mean = NAN,
                                        .replicas = NAN,
                                        .busy = NAN,
                                        .get_wait = NAN,
                                        .put_wait = NAN,
                                        .occupancy = NAN,
                                        .input = -1,
                                        .output = -1};

static struct out_node *add_node(struct out_picture *picture, const char *label, enum out_series_kind kind)
{
  struct out_node *node = base_vector_add(&picture->nodes, 1);
  if (!node)
    return NULL;
  *node = unknown;
  node->label = label;
  node->kind = kind;
  return node;
}

static bool bounds(const struct out_bottleneck *bottleneck, const struct out_stage_view *view)
{
  if (bottleneck->bound == OUT_BOUND_STAGE || bottleneck->bound == OUT_BOUND_POOL)
    return view == bottleneck->stage;
  if (bottleneck->bound == OUT_BOUND_THREAD)
    return view == bottleneck->unit.most;
  for (uint32_t i = 0; i < bottleneck->phases.count && bottleneck->bound == OUT_BOUND_MOVING; i++)
    if (((const struct out_phase *)base_vector_at(&bottleneck->phases, i))->view == view)
      return true;
  return false;
}

static int add_stage(struct out_picture *picture, const struct out_bottleneck *bottleneck,
                     const struct out_stage_view *view)
{
  static const char *const states[] = {"busy", "starved", "blocked", "idle", "finished"};
  const struct callsig_stage_stats *stats = &view->stage->stats;
  struct out_node *node = add_node(picture, stats->label, OUT_SERIES_STAGE);
  if (!node)
    return -ENOMEM;
  node->pipeline = stats->pipeline;
  node->index = stats->index;
  node->count = stats->num_tasks;
  node->failures = stats->num_failures;
  node->mean = view->mean;
  node->replicas = view->replicas;
  node->each = view->replicas > 0 ? view->mean / view->replicas : NAN;
  if (!bottleneck->is_cpu_clock) {
    node->busy = view->busy;
    node->get_wait = view->get_wait;
    node->put_wait = view->put_wait;
    node->state = states[view->state];
  }
  node->bounds = bounds(bottleneck, view);
  return 0;
}

static int add_verdict(struct out_picture *picture, const struct out_bottleneck *bottleneck)
{
  struct out_text text = {0};
  struct out_verdict *verdict = base_vector_add(&picture->verdicts, 1);
  out_put_verdict(&text, bottleneck);
  if (verdict && !text.failed) {
    verdict->pipeline = bottleneck->pipeline;
    verdict->sentence = base_arena_copy(&picture->strings, out_text_string(&text), text.length);
  }
  out_text_free(&text);
  return verdict && verdict->sentence ? 0 : -ENOMEM;
}

static int32_t find_queue(const struct out_picture *picture, const struct callsig_queue_stats *queue)
{
  for (uint32_t i = 0; queue && i < picture->nodes.count; i++)
    if (out_node_at(picture, i)->queue == queue)
      return (int32_t)i;
  return -1;
}

static int compare_nodes(const void *one, const void *other)
{
  const struct out_node *a = one, *b = other;
  if (a->pipeline != b->pipeline)
    return a->pipeline < b->pipeline ? -1 : 1;
  if (a->index != b->index)
    return a->index < b->index ? -1 : 1;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  return strcmp(a->label, b->label);
}

static int add_queues(struct out_picture *picture)
{
  for (uint32_t i = 0; i < picture->pipeline->queues.count; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(picture->pipeline, i)->stats;
    struct out_node *node = add_node(picture, queue->label, OUT_SERIES_QUEUE);
    if (!node)
      return -ENOMEM;
    node->queue = queue;
    node->pipeline = queue->pipeline;
    node->index = queue->index;
    node->count = queue->num_items;
    node->occupancy = queue->occupancy_rate;
  }
  if (picture->nodes.count > 0)
    qsort(picture->nodes.data, picture->nodes.count, sizeof(struct out_node), compare_nodes);
  return 0;
}

static void link_stage(struct out_picture *picture, const struct out_stage_view *view)
{
  for (uint32_t i = 0; i < picture->nodes.count; i++) {
    struct out_node *node = base_vector_at(&picture->nodes, i);
    if (out_node_is_queue(node) || node->label != view->stage->stats.label)
      continue;
    node->input = find_queue(picture, view->input);
    node->output = find_queue(picture, view->output);
  }
}

typedef int bottleneck_fn(struct out_picture *picture, const struct out_bottleneck *bottleneck);

static int add_bottleneck(struct out_picture *picture, const struct out_bottleneck *bottleneck)
{
  int result = add_verdict(picture, bottleneck);
  for (uint32_t i = 0; i < bottleneck->count && result == 0; i++)
    result = add_stage(picture, bottleneck, &bottleneck->views[i]);
  return result;
}

static int link_bottleneck(struct out_picture *picture, const struct out_bottleneck *bottleneck)
{
  for (uint32_t i = 0; i < bottleneck->count; i++)
    link_stage(picture, &bottleneck->views[i]);
  return 0;
}

static int each_bottleneck(struct out_picture *picture, bottleneck_fn *take)
{
  struct out_bottleneck bottleneck;
  uint32_t stage = 0, queue = 0;
  int result;
  while ((result = out_bottleneck_next(picture->pipeline, &stage, &queue, &bottleneck)) > 0) {
    result = take(picture, &bottleneck);
    out_bottleneck_free(&bottleneck);
    if (result < 0)
      return out_stats_no_memory();
  }
  return result;
}

static int fill_by_recording(struct out_picture *picture)
{
  int result = each_bottleneck(picture, add_bottleneck);
  if (result == 0 && add_queues(picture) < 0)
    result = out_stats_no_memory();
  if (result == 0)
    result = each_bottleneck(picture, link_bottleneck);
  return result == 0 ? out_recording_course(picture->pipeline, &picture->slots) : result;
}

/* The mean over a series' points, by how much each stands for. */
static double mean_of(const struct out_series *series, unsigned measure, unsigned weight, bool by_time)
{
  double sum = 0, weights = 0;
  for (uint32_t i = 0; i < series->points.count; i++) {
    const struct out_point *point = base_vector_at(&series->points, i);
    double part = by_time ? point->until - point->from : point->values[weight];
    if (!by_time && series->kind != OUT_SERIES_QUEUE)
      part -= point->values[OUT_STAGE_FAILED];
    if (!(part > 0) || isnan(point->values[measure]))
      continue;
    sum += part * point->values[measure];
    weights += part;
  }
  return weights > 0 ? sum / weights : NAN;
}

static uint64_t sum_of(const struct out_series *series, unsigned measure)
{
  double sum = 0;
  for (uint32_t i = 0; i < series->points.count; i++)
    sum += ((const struct out_point *)base_vector_at(&series->points, i))->values[measure];
  return (uint64_t)fmin(fmax(sum, 0), 1e18);
}

/* A database tells nothing of who uses which queue: what has the next index takes from it. */
static void link_in_order(struct out_picture *picture)
{
  for (uint32_t i = 0; i < picture->nodes.count; i++) {
    struct out_node *node = base_vector_at(&picture->nodes, i);
    const struct out_node *before = i > 0 ? out_node_at(picture, i - 1) : NULL;
    const struct out_node *behind = i + 1 < picture->nodes.count ? out_node_at(picture, i + 1) : NULL;
    if (out_node_is_queue(node))
      continue;
    if (before && out_node_is_queue(before) && before->pipeline == node->pipeline && before->index < node->index)
      node->input = (int32_t)i - 1;
    if (behind && out_node_is_queue(behind) && behind->pipeline == node->pipeline && behind->index == node->index)
      node->output = (int32_t)i + 1;
  }
}

static bool is_counter(const struct out_series *series)
{
  return series->kind == OUT_SERIES_COUNTER || series->kind == OUT_SERIES_LEVEL;
}

static bool has_counters(const struct out_course *course)
{
  for (uint32_t i = 0; i < course->series.count; i++)
    if (is_counter(base_vector_at(&course->series, i)))
      return true;
  return false;
}

static int add_counters(struct out_picture *picture, const struct out_course *course)
{
  for (uint32_t i = 0; i < course->series.count; i++) {
    const struct out_series *series = base_vector_at(&course->series, i);
    if (!is_counter(series))
      continue;
    struct out_node *node = base_vector_add(&picture->counters, 1);
    if (!node)
      return out_stats_no_memory();
    *node = unknown;
    node->label = series->label;
    node->kind = series->kind;
    node->pipeline = series->pipeline;
    node->index = series->index;
  }
  return 0;
}

static int fill_by_run(struct out_picture *picture)
{
  const struct out_course *course = &picture->run.course;
  for (uint32_t i = 0; i < course->series.count; i++) {
    const struct out_series *series = base_vector_at(&course->series, i);
    const bool is_queue = series->kind == OUT_SERIES_QUEUE;
    if (is_counter(series))
      continue;
    struct out_node *node = add_node(picture, series->label, series->kind);
    if (!node)
      return out_stats_no_memory();
    node->pipeline = series->pipeline;
    node->index = series->index;
    node->count = sum_of(series, is_queue ? (unsigned)OUT_QUEUE_ITEMS : (unsigned)OUT_STAGE_TASKS);
    if (is_queue) {
      node->occupancy = mean_of(series, OUT_QUEUE_OCCUPANCY, 0, true);
      continue;
    }
    node->failures = sum_of(series, OUT_STAGE_FAILED);
    node->mean = mean_of(series, OUT_STAGE_AVE, OUT_STAGE_TASKS, false);
    node->replicas = series->concurrency;
    node->each = node->mean / node->replicas;
  }
  link_in_order(picture);
  return 0;
}

int out_picture_fill(struct out_picture *picture)
{
  int result = picture->pipeline ? fill_by_recording(picture) : fill_by_run(picture);
  const struct out_course *slots = &picture->slots, *run = &picture->run.course;
  if (result == 0)
    result = add_counters(picture, picture->has_run && has_counters(run) ? run : slots);
  const bool has_slots = slots->end > 0, has_run = picture->has_run && run->end > 0;
  picture->start = has_slots && (!has_run || slots->start < run->start) ? slots->start : run->start;
  picture->end = fmax(has_slots ? slots->end : 0, has_run ? run->end : 0);
  return result;
}

void out_picture_free(struct out_picture *picture)
{
  callsig_pipeline_free(picture->pipeline);
  out_course_free(&picture->slots);
  if (picture->has_run)
    out_course_free(&picture->run.course);
  base_vector_free(&picture->nodes);
  base_vector_free(&picture->counters);
  base_vector_free(&picture->verdicts);
  base_arena_free(&picture->strings);
}
