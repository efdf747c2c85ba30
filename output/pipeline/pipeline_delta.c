/* What was added between two readings of one recording. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/counters.h"
#include "output/pipeline/function_sums.h"
#include "output/pipeline/pipeline.h"
#include "output/text/message.h"

static const char *copy(struct callsig_pipeline *delta, const char *string)
{
  return base_arena_copy(&delta->strings, string, strlen(string));
}

/* The narrower of what was known over the lifetime and what the interval's own buckets say. */
static void narrow(const struct out_histogram *histogram, double *low, double *high)
{
  uint64_t first, last;
  if (!out_histogram_range(histogram, &first, &last)) {
    *low = *high = 0;
    return;
  }
  *low = (double)first > *low ? (double)first : *low;
  *high = (double)last < *high ? (double)last : *high;
}

/* The element of an earlier reading with this name, or NULL. Readings list mostly the same in the same order: the
 * search begins behind the last one found. */
static const void *find_before(const struct base_vector *list, const char *name, uint32_t *hint)
{
  for (uint32_t i = 0; i < list->count; i++) {
    uint32_t at = (*hint + i) % list->count;
    const struct out_named_stats *found = base_vector_at(list, at);
    if (strcmp(found->name, name) == 0) {
      *hint = at + 1;
      return found;
    }
  }
  return NULL;
}

static int subtract_stage(struct callsig_pipeline *delta, const struct out_stage *before, const struct out_stage *now)
{
  struct out_stage *stage = base_vector_add(&delta->stages, 1);
  if (!stage)
    return -ENOMEM;
  stage->stats = now->stats;
  stage->stats.label = copy(delta, now->stats.label);
  stage->stats.name = copy(delta, now->stats.name);
  if (!stage->stats.label || !stage->stats.name)
    return -ENOMEM;
  stage->min_ticks = now->min_ticks;
  stage->max_ticks = now->max_ticks;
  int result = out_histogram_add(&stage->times, &now->times, 1);
  if (result == 0 && before) {
    struct callsig_stage_stats *stats = &stage->stats;
    stats->num_tasks -= before->stats.num_tasks;
    stats->num_failures -= before->stats.num_failures;
    stats->dropped -= before->stats.dropped;
    stats->total_time -= before->stats.total_time;
    stats->failed_time -= before->stats.failed_time;
    result = out_histogram_add(&stage->times, &before->times, -1);
    narrow(&stage->times, &stage->min_ticks, &stage->max_ticks);
  }
  return result;
}

void out_pipeline_follow(const struct callsig_pipeline *before, struct callsig_pipeline *now)
{
  uint32_t hint = 0;
  for (uint32_t i = 0; i < now->queues.count && before->period == now->period; i++) {
    struct callsig_queue_stats *queue = &out_pipeline_queue_at(now, i)->stats;
    const struct out_queue *known = find_before(&before->queues, queue->label, &hint);
    if (!known)
      continue;
    const double least = known->stats.empty_time;
    queue->elapsed = fmax(queue->elapsed, known->stats.elapsed);
    queue->empty_time = fmin(fmax(queue->empty_time, least), least + queue->elapsed - known->stats.elapsed);
    queue->occupancy_rate = out_queue_occupancy(queue);
  }
}

static int subtract_queue(struct callsig_pipeline *delta, const struct out_queue *before, const struct out_queue *now)
{
  struct out_queue *queue = base_vector_add(&delta->queues, 1);
  if (!queue)
    return -ENOMEM;
  queue->stats = now->stats;
  queue->stats.label = copy(delta, now->stats.label);
  queue->stats.name = copy(delta, now->stats.name);
  if (!queue->stats.label || !queue->stats.name)
    return -ENOMEM;
  queue->put_min_ticks = now->put_min_ticks;
  queue->put_max_ticks = now->put_max_ticks;
  queue->get_min_ticks = now->get_min_ticks;
  queue->get_max_ticks = now->get_max_ticks;
  queue->recorded = now->recorded;
  int result = out_histogram_add(&queue->put, &now->put, 1);
  if (result == 0)
    result = out_histogram_add(&queue->get, &now->get, 1);
  if (result < 0 || !before)
    return result;
  struct callsig_queue_stats *stats = &queue->stats;
  queue->recorded = fmin(stats->elapsed - before->stats.elapsed, fmax(0, now->recorded - before->recorded));
  stats->num_items -= before->stats.num_items;
  stats->puts -= before->stats.puts;
  stats->failed -= before->stats.failed;
  stats->elapsed -= before->stats.elapsed;
  stats->put_time -= before->stats.put_time;
  stats->get_time -= before->stats.get_time;
  stats->empty_time -= before->stats.empty_time;
  result = out_histogram_add(&queue->put, &before->put, -1);
  if (result == 0)
    result = out_histogram_add(&queue->get, &before->get, -1);
  narrow(&queue->put, &queue->put_min_ticks, &queue->put_max_ticks);
  narrow(&queue->get, &queue->get_min_ticks, &queue->get_max_ticks);
  return result;
}

static int subtract_event(struct callsig_pipeline *delta, const struct callsig_event_stats *before,
                          const struct callsig_event_stats *now)
{
  struct callsig_event_stats *event = base_vector_add(&delta->events, 1);
  if (!event)
    return -ENOMEM;
  *event = *now;
  event->name = copy(delta, now->name);
  if (before) {
    event->count -= before->count;
    event->total_time -= before->total_time;
  }
  return event->name ? 0 : -ENOMEM;
}

static int compare_moments(const void *one, const void *other)
{
  const struct out_moment *a = one, *b = other;
  return (a->start > b->start) - (a->start < b->start);
}

/* Those of the interval: which events these are the readings list in the same order. */
static int copy_moments(struct callsig_pipeline *delta, const struct callsig_pipeline *before,
                        const struct callsig_pipeline *now)
{
  uint32_t hint = 0;
  for (uint32_t i = 0; i < now->moments.count; i++) {
    const struct out_moment *moment = base_vector_at(&now->moments, i);
    const struct callsig_event_stats *event = base_vector_at(&now->events, moment->event);
    const struct callsig_event_stats *known = before ? find_before(&before->events, event->name, &hint) : NULL;
    if (known && moment->number <= known->count)
      continue;
    struct out_moment *kept = base_vector_add(&delta->moments, 1);
    if (!kept)
      return -ENOMEM;
    *kept = *moment;
  }
  if (delta->moments.count > 0)
    qsort(delta->moments.data, delta->moments.count, sizeof(struct out_moment), compare_moments);
  return 0;
}

/* UINT64_MAX is unknown. */
static void subtract_known(uint64_t *value, uint64_t before)
{
  *value = *value == UINT64_MAX || before == UINT64_MAX ? UINT64_MAX : *value - before;
}

static void subtract_process(struct callsig_process_stats *process, const struct callsig_process_stats *before)
{
  process->minor_faults -= before->minor_faults;
  process->major_faults -= before->major_faults;
  process->voluntary_switches -= before->voluntary_switches;
  process->involuntary_switches -= before->involuntary_switches;
  process->user_time -= before->user_time;
  process->system_time -= before->system_time;
  subtract_known(&process->read_bytes, before->read_bytes);
  subtract_known(&process->written_bytes, before->written_bytes);
}

/* What has grown since; a number that another process has now begins again. */
static uint64_t grown(uint64_t now, uint64_t before)
{
  return now == UINT64_MAX || before == UINT64_MAX || now < before ? now : now - before;
}

static double grown_time(double now, double before)
{
  return now < before ? now : now - before;
}

static int subtract_group(struct callsig_pipeline *delta, const struct callsig_pipeline *before,
                          const struct callsig_pipeline *now)
{
  for (uint32_t i = 0; i < now->group.count; i++) {
    struct callsig_group_stats *stats = base_vector_add(&delta->group, 1);
    const struct callsig_group_stats *known = NULL;
    if (!stats)
      return -ENOMEM;
    *stats = *(const struct callsig_group_stats *)base_vector_at(&now->group, i);
    stats->name = copy(delta, stats->name);
    if (!stats->name)
      return -ENOMEM;
    for (uint32_t j = 0; before && !known && j < before->group.count; j++)
      if (((const struct callsig_group_stats *)base_vector_at(&before->group, j))->pid == stats->pid)
        known = base_vector_at(&before->group, j);
    if (!known) {
      /* The interfaces have carried more than the group's. */
      stats->received_bytes = stats->sent_bytes = UINT64_MAX;
      continue;
    }
    stats->user_time = grown_time(stats->user_time, known->user_time);
    stats->system_time = grown_time(stats->system_time, known->system_time);
    stats->read_bytes = grown(stats->read_bytes, known->read_bytes);
    stats->written_bytes = grown(stats->written_bytes, known->written_bytes);
    stats->received_bytes = grown(stats->received_bytes, known->received_bytes);
    stats->sent_bytes = grown(stats->sent_bytes, known->sent_bytes);
  }
  return 0;
}

static int fill(const struct callsig_pipeline *before, const struct callsig_pipeline *functions_before,
                const struct callsig_pipeline *now, struct callsig_pipeline *delta)
{
  delta->tick = now->tick;
  delta->is_cpu_clock = now->is_cpu_clock;
  delta->pauses.known = now->pauses.known;
  /* What was counted in an earlier period is in no reading of this one. */
  const bool is_anew = before && before->period != now->period;
  const struct callsig_pipeline *counted = is_anew ? NULL : before;
  delta->recorded = now->recorded - (counted ? counted->recorded : 0);
  delta->info = now->info;
  delta->info.path = copy(delta, now->info.path);
  delta->info.program = copy(delta, now->info.program);
  delta->file = copy(delta, now->file);
  delta->only_process = now->only_process;
  if (!delta->info.path || !delta->info.program || !delta->file)
    return -ENOMEM;
  if (counted) {
    delta->info.start = counted->info.end;
    delta->info.elapsed -= counted->info.elapsed;
  }
  static const struct callsig_pipeline nothing;
  const struct callsig_pipeline *from = counted ? counted : &nothing;
  uint32_t stage_hint = 0, queue_hint = 0, event_hint = 0;
  int result = 0;
  for (uint32_t i = 0; i < now->stages.count && result == 0; i++) {
    const struct out_stage *stage = out_pipeline_stage_at(now, i);
    result = subtract_stage(delta, find_before(&from->stages, stage->stats.label, &stage_hint), stage);
  }
  for (uint32_t i = 0; i < now->queues.count && result == 0; i++) {
    const struct out_queue *queue = out_pipeline_queue_at(now, i);
    result = subtract_queue(delta, find_before(&from->queues, queue->stats.label, &queue_hint), queue);
  }
  for (uint32_t i = 0; i < now->events.count && result == 0; i++) {
    const struct callsig_event_stats *event = base_vector_at(&now->events, i);
    result = subtract_event(delta, find_before(&from->events, event->name, &event_hint), event);
  }
  if (result == 0)
    result = copy_moments(delta, counted, now);
  if (result == 0)
    result = out_counters_delta(counted, now, delta);
  if (result == 0)
    result = out_counter_threads_delta(counted, now, delta);
  if (result == 0)
    result = subtract_group(delta, before, now);
  if (result == 0 && now->has_functions)
    result = out_function_sums_subtract(
        functions_before && functions_before->period == now->period ? &functions_before->functions : NULL,
        &now->functions, delta);
  delta->has_functions = now->has_functions;
  delta->has_process = now->has_process;
  delta->process = now->process;
  if (now->has_process && before && before->has_process)
    subtract_process(&delta->process, &before->process);
  return result;
}

int out_pipeline_delta(const struct callsig_pipeline *before, const struct callsig_pipeline *functions_before,
                       const struct callsig_pipeline *now, struct callsig_pipeline **made)
{
  struct callsig_pipeline *delta = out_pipeline_new();
  *made = delta;
  if (!delta)
    return -ENOMEM;
  if (fill(before, functions_before, now, delta) < 0) {
    callsig_pipeline_free(delta);
    *made = NULL;
    return out_stats_no_memory();
  }
  out_pipeline_derive(delta);
  return 0;
}
