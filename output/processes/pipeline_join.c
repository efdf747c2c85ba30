/* callsig_pipeline_join(): stages and queues that lie in several processes as one. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "format/index.h"
#include "output/pipeline/pipeline.h"
#include "output/pipeline/rings.h"
#include "output/text/message.h"

#define MOST_TICKS 9e18
#define SAME_TICK  0.01  /* of a tick: times of two processes are in the same one */
#define MOST       4096u /* processes, and queues of one: more are not looked through */

struct joining {
  const struct callsig_pipeline *const *parts;
  size_t count;
  struct callsig_pipeline *whole;
};

static const struct callsig_queue_stats *find_queue(const struct callsig_pipeline *pipeline, const char *label)
{
  for (uint32_t i = 0; i < pipeline->queues.count; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, i)->stats;
    if (strcmp(queue->label, label) == 0)
      return queue;
  }
  return NULL;
}

/* Is a queue put into in one process alone, and taken from in the other, while both were there? */
static bool crosses(const struct callsig_pipeline *one, const struct callsig_pipeline *other)
{
  if (one->info.start > other->info.end || other->info.start > one->info.end ||
      !(fabs(one->tick / other->tick - 1) <= SAME_TICK))
    return false;
  for (uint32_t i = 0; i < one->queues.count; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(one, i)->stats;
    const struct callsig_queue_stats *its = out_queue_is_one_sided(queue) ? find_queue(other, queue->label) : NULL;
    if (its && out_queue_is_one_sided(its) && (queue->puts > 0) != (its->puts > 0))
      return true;
  }
  return false;
}

/* Which of the processes a queue connects with another. False: none. */
static bool find_connected(const struct joining *joining, bool *connected)
{
  bool any = false;
  for (size_t i = 0; i < joining->count; i++)
    for (size_t j = 0; j < i; j++)
      if (crosses(joining->parts[i], joining->parts[j]))
        any = connected[i] = connected[j] = true;
  return any;
}

static uint64_t ticks_in_whole(const struct joining *joining, const struct callsig_pipeline *part, uint64_t ticks)
{
  const struct callsig_pipeline *whole = joining->whole;
  const double behind =
      (part->info.start - whole->info.start) + ((double)ticks - (double)part->start_ticks) * part->tick;
  return whole->start_ticks + (uint64_t)fmin(MOST_TICKS, fmax(0, behind / whole->tick));
}

static void add_work(struct out_task_work *sum, const struct out_task_work *work)
{
  sum->known = sum->known && work->known;
  sum->own += work->own;
  sum->sampled_time += work->sampled_time;
  sum->sampled_cpu += work->sampled_cpu;
  sum->sampled_left += work->sampled_left;
  sum->thread_cpu += work->thread_cpu;
  sum->queued += work->queued;
  sum->lifetime += work->lifetime;
}

/* The number of the stage with this label; one is made when there was none. FMT_NONE when memory is short. */
static uint32_t stage_in_whole(struct callsig_pipeline *whole, const struct callsig_stage_stats *stats)
{
  for (uint32_t i = 0; i < whole->stages.count; i++)
    if (strcmp(out_pipeline_stage_at(whole, i)->stats.label, stats->label) == 0)
      return i;
  struct out_stage *added = base_vector_add(&whole->stages, 1);
  if (!added)
    return FMT_NONE;
  added->stats = (struct callsig_stage_stats){.size = sizeof added->stats,
                                              .label = stats->label,
                                              .name = stats->name,
                                              .pipeline = stats->pipeline,
                                              .index = stats->index,
                                              .concurrency = stats->concurrency};
  added->first_ticks = UINT64_MAX;
  added->work.known = true;
  return whole->stages.count - 1;
}

/* Adds a stage's tasks in one process. Where several have some, each worked on as many at a time as it had threads. */
static int add_stage(struct joining *joining, const struct callsig_pipeline *part, const struct out_stage *stage,
                     uint32_t number)
{
  struct out_stage *sum = out_pipeline_stage_at(joining->whole, number);
  const struct callsig_stage_stats *stats = &stage->stats;
  const bool has = out_stage_successes(stats) > 0, had = out_stage_successes(&sum->stats) > 0;
  if (stats->num_tasks + stats->open == 0)
    return 0;
  sum->min_ticks = has && (!had || stage->min_ticks < sum->min_ticks) ? stage->min_ticks : sum->min_ticks;
  sum->max_ticks = has && stage->max_ticks > sum->max_ticks ? stage->max_ticks : sum->max_ticks;
  sum->stats.threads += stats->threads;
  if (sum->stats.threads > sum->stats.concurrency && sum->stats.num_tasks > 0)
    sum->stats.concurrency = sum->stats.threads;
  sum->stats.num_tasks += stats->num_tasks;
  sum->stats.num_failures += stats->num_failures;
  sum->stats.dropped += stats->dropped;
  sum->stats.open += stats->open;
  sum->stats.total_time += stats->total_time;
  sum->stats.failed_time += stats->failed_time;
  sum->put_wait += stage->put_wait;
  sum->get_wait += stage->get_wait;
  sum->processors = fmax(sum->processors, stage->processors);
  const uint64_t first = ticks_in_whole(joining, part, stage->first_ticks),
                 last = ticks_in_whole(joining, part, stage->last_ticks);
  sum->first_ticks = first < sum->first_ticks ? first : sum->first_ticks;
  sum->last_ticks = last > sum->last_ticks ? last : sum->last_ticks;
  add_work(&sum->work, &stage->work);
  const int times = out_histogram_add(&sum->times, &stage->times, 1);
  const int gaps = times < 0 ? times : out_histogram_add(&sum->gaps, &stage->gaps, 1);
  return gaps == -EINVAL ? 0 : gaps;
}

static struct out_queue *queue_in_whole(struct callsig_pipeline *whole, const struct callsig_queue_stats *stats)
{
  for (uint32_t i = 0; i < whole->queues.count; i++)
    if (strcmp(out_pipeline_queue_at(whole, i)->stats.label, stats->label) == 0)
      return out_pipeline_queue_at(whole, i);
  struct out_queue *added = base_vector_add(&whole->queues, 1);
  if (added)
    added->stats = (struct callsig_queue_stats){.size = sizeof added->stats,
                                                .label = stats->label,
                                                .name = stats->name,
                                                .pipeline = stats->pipeline,
                                                .index = stats->index};
  return added;
}

static void join_range(double *low, double *high, bool had, bool has, double its_low, double its_high)
{
  *low = has && (!had || its_low < *low) ? its_low : *low;
  *high = has && (!had || its_high > *high) ? its_high : *high;
}

static int add_queue(struct joining *joining, const struct out_queue *queue)
{
  struct out_queue *sum = queue_in_whole(joining->whole, &queue->stats);
  if (!sum)
    return -ENOMEM;
  const struct callsig_queue_stats *stats = &queue->stats;
  join_range(&sum->put_min_ticks, &sum->put_max_ticks, sum->stats.puts > 0, stats->puts > 0, queue->put_min_ticks,
             queue->put_max_ticks);
  join_range(&sum->get_min_ticks, &sum->get_max_ticks, sum->stats.num_items > 0, stats->num_items > 0,
             queue->get_min_ticks, queue->get_max_ticks);
  sum->stats.capacity = stats->capacity > sum->stats.capacity ? stats->capacity : sum->stats.capacity;
  if (!out_queue_is_one_sided(stats) && stats->high_water > sum->stats.high_water)
    sum->stats.high_water = stats->high_water;
  sum->stats.puts += stats->puts;
  sum->stats.num_items += stats->num_items;
  sum->stats.failed += stats->failed;
  sum->stats.put_time += stats->put_time;
  sum->stats.get_time += stats->get_time;
  sum->stats.elapsed = fmax(sum->stats.elapsed, stats->elapsed);
  /* Who takes waits while it is empty: of several, all do. Their shares are summed here, and divided in the end. */
  if (out_queue_is_one_sided(stats) && stats->num_items > 0) {
    sum->stats.empty_time += fmin(stats->get_time, stats->elapsed);
    sum->takers++;
  } else if (!out_queue_is_one_sided(stats) && stats->puts > 0) {
    sum->stats.empty_time += stats->empty_time;
    sum->takers++;
  }
  const int puts = out_histogram_add(&sum->put, &queue->put, 1);
  const int gets = puts < 0 ? puts : out_histogram_add(&sum->get, &queue->get, 1);
  return gets == -EINVAL ? 0 : gets;
}

/* Adds what threads did with the stages of a process, whose numbers in the whole are `place`. What they waited for is
 * of their own process: an address says nothing of another's. */
static int add_threads(struct joining *joining, const struct callsig_pipeline *part, const uint32_t *place)
{
  struct callsig_pipeline *whole = joining->whole;
  const uint32_t before = whole->replicas.count;
  for (uint32_t i = 0; i < part->replicas.count; i++) {
    struct out_replica *added = base_vector_add(&whole->replicas, 1);
    if (!added)
      return -ENOMEM;
    *added = *(const struct out_replica *)base_vector_at(&part->replicas, i);
    added->stage = place[added->stage];
    added->first += before;
    memset(added->slots, 0, sizeof added->slots);
  }
  for (uint32_t i = 0; i < part->links.count; i++) {
    const struct out_link *link = base_vector_at(&part->links, i);
    struct out_link *found = NULL;
    for (uint32_t j = 0; j < whole->links.count && !found; j++) {
      struct out_link *other = base_vector_at(&whole->links, j);
      found = other->stage == place[link->stage] && strcmp(other->queue, link->queue) == 0 ? other : NULL;
    }
    if (!found && (found = base_vector_add(&whole->links, 1)) != NULL)
      *found = (struct out_link){.stage = place[link->stage], .queue = link->queue};
    if (!found)
      return -ENOMEM;
    found->shared |= link->shared;
    found->gets += link->gets;
    found->puts += link->puts;
  }
  for (uint32_t i = 0; i < part->waits.count; i++) {
    struct out_stage_wait *added = base_vector_add(&whole->waits, 1);
    if (!added)
      return -ENOMEM;
    *added = *(const struct out_stage_wait *)base_vector_at(&part->waits, i);
    added->stage = place[added->stage];
    added->address = 0;
  }
  return 0;
}

static int add_part(struct joining *joining, const struct callsig_pipeline *part)
{
  struct base_vector place = BASE_VECTOR_OF(uint32_t);
  int result = 0;
  for (uint32_t i = 0; i < part->stages.count && result == 0; i++) {
    const struct out_stage *stage = out_pipeline_stage_at(part, i);
    uint32_t *number = base_vector_add(&place, 1);
    if (number)
      *number = stage_in_whole(joining->whole, &stage->stats);
    result = number && *number != FMT_NONE ? add_stage(joining, part, stage, *number) : -ENOMEM;
  }
  for (uint32_t i = 0; i < part->queues.count && result == 0; i++)
    result = add_queue(joining, out_pipeline_queue_at(part, i));
  if (result == 0)
    result = add_threads(joining, part, place.data);
  base_vector_free(&place);
  return result;
}

/* The first of the processes to begin, of which there is one. */
static const struct callsig_pipeline *find_first(const struct joining *joining, const bool *connected)
{
  size_t first = 0;
  while (!connected[first])
    first++;
  for (size_t i = first + 1; i < joining->count; i++)
    if (connected[i] && joining->parts[i]->info.start < joining->parts[first]->info.start)
      first = i;
  return joining->parts[first];
}

/* The others are told by the first one's clock. */
static void begin(struct joining *joining, const bool *connected)
{
  const struct callsig_pipeline *first = find_first(joining, connected);
  struct callsig_pipeline *whole = joining->whole;
  for (size_t i = 0; i < joining->count; i++) {
    const struct callsig_pipeline *part = joining->parts[i];
    if (!connected[i])
      continue;
    whole->info.end = fmax(whole->info.end, part->info.end);
    whole->info.unreadable += part->info.unreadable;
    whole->is_cpu_clock |= part->is_cpu_clock;
    whole->processes++;
  }
  whole->info.size = sizeof whole->info;
  whole->info.path = first->info.path;
  whole->info.program = first->info.program;
  whole->info.start = first->info.start;
  whole->info.elapsed = whole->info.end - whole->info.start;
  whole->file = first->file;
  whole->tick = first->tick;
  whole->start_ticks = first->start_ticks;
  whole->recorded = whole->info.elapsed;
  whole->damage_is_told = true;
}

static int join(struct joining *joining, const bool *connected)
{
  int result = 0;
  begin(joining, connected);
  for (size_t i = 0; i < joining->count && result == 0; i++)
    if (connected[i])
      result = add_part(joining, joining->parts[i]);
  for (uint32_t i = 0; i < joining->whole->queues.count; i++) {
    struct out_queue *queue = out_pipeline_queue_at(joining->whole, i);
    queue->stats.empty_time /= queue->takers > 0 ? queue->takers : 1;
  }
  if (result == 0)
    result = out_pipeline_sort(joining->whole);
  if (result < 0)
    return result;
  out_pipeline_derive(joining->whole);
  out_rings_find(joining->whole);
  return 0;
}

int callsig_pipeline_join(const struct callsig_pipeline *const *pipelines, size_t count,
                          struct callsig_pipeline **joined)
{
  bool connected[MOST] = {false};
  struct joining joining = {.parts = pipelines, .count = count};
  *joined = NULL;
  for (size_t i = 0; i < count && i < MOST; i++)
    if (pipelines[i]->queues.count > MOST)
      return 0;
  if (count < 2 || count > MOST || !find_connected(&joining, connected))
    return 0;
  joining.whole = out_pipeline_new();
  if (!joining.whole)
    return -ENOMEM;
  if (join(&joining, connected) < 0) {
    callsig_pipeline_free(joining.whole);
    return out_stats_no_memory();
  }
  *joined = joining.whole;
  return 1;
}
