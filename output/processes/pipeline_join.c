/* callsig_pipeline_join(): stages and queues that lie in several processes as one. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "format/index.h"
#include "output/pipeline/pipeline.h"
#include "output/pipeline/rings.h"
#include "output/text/message.h"
#include "output/text/text.h"

#define MOST_TICKS 9e18
#define SAME_TICK  0.01 /* of a tick: times of two processes are in the same one */

/* The numbers in the whole of what has a name there, so that each is found at once. */
struct numbers {
  struct base_strings *names;
  struct base_vector by_name; /* uint32_t by the name's offset: the number, and 1; 0: there is none */
};

struct joining {
  const struct callsig_pipeline *const *parts;
  size_t count;
  struct callsig_pipeline *whole;
  struct numbers stages, queues, links;
};

/* A queue that is put into, or taken from, in one process alone. */
struct side {
  const char *label;
  size_t part;
  bool puts;
};

static int compare_sides(const void *left, const void *right)
{
  const struct side *a = left, *b = right;
  return strcmp(a->label, b->label);
}

static int find_sides(const struct joining *joining, struct base_vector *sides)
{
  for (size_t i = 0; i < joining->count; i++)
    for (uint32_t j = 0; j < joining->parts[i]->queues.count; j++) {
      const struct callsig_queue_stats *queue = &out_pipeline_queue_at(joining->parts[i], j)->stats;
      if (!out_queue_is_one_sided(queue))
        continue;
      struct side *added = base_vector_add(sides, 1);
      if (!added)
        return -ENOMEM;
      *added = (struct side){.label = queue->label, .part = i, .puts = queue->puts > 0};
    }
  if (sides->count > 0)
    qsort(sides->data, sides->count, sizeof(struct side), compare_sides);
  return 0;
}

/* Does what one of them puts into a queue come to the other, which was there meanwhile? */
static bool crosses(const struct joining *joining, const struct side *one, const struct side *other)
{
  const struct callsig_pipeline *from = joining->parts[one->part], *to = joining->parts[other->part];
  return one->part != other->part && one->puts != other->puts && from->info.start <= to->info.end &&
         to->info.start <= from->info.end && fabs(from->tick / to->tick - 1) <= SAME_TICK;
}

/* Which of the processes a queue connects with another. 1, 0: none, or -ENOMEM. */
static int find_connected(const struct joining *joining, bool *connected)
{
  struct base_vector sides = BASE_VECTOR_OF(struct side);
  int found = find_sides(joining, &sides);
  for (uint32_t i = 0; i < sides.count && found >= 0; i++) {
    const struct side *one = base_vector_at(&sides, i);
    for (uint32_t j = i + 1; j < sides.count; j++) {
      const struct side *other = base_vector_at(&sides, j);
      if (strcmp(one->label, other->label) != 0)
        break;
      if (!(connected[one->part] && connected[other->part]) && crosses(joining, one, other))
        found = connected[one->part] = connected[other->part] = true;
    }
  }
  base_vector_free(&sides);
  return found;
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
  sum->looks += work->looks;
  sum->sampled_time += work->sampled_time;
  sum->sampled_cpu += work->sampled_cpu;
  sum->sampled_left += work->sampled_left;
  sum->thread_cpu += work->thread_cpu;
  sum->queued += work->queued;
  sum->lifetime += work->lifetime;
}

/* Finds the number of what has this name: `count`, which is the next one, where there was none. 0 or -ENOMEM. */
static int find_number(struct numbers *numbers, const char *name, uint32_t count, uint32_t *number)
{
  uint32_t offset;
  size_t size;
  if (!numbers->names && !(numbers->names = base_strings_new()))
    return -ENOMEM;
  if (base_strings_add(numbers->names, name, &offset) < 0)
    return -ENOMEM;
  base_strings_data(numbers->names, &size);
  if (numbers->by_name.count < size && !base_vector_add(&numbers->by_name, (uint32_t)size - numbers->by_name.count))
    return -ENOMEM;
  uint32_t *found = base_vector_at(&numbers->by_name, offset);
  *number = *found > 0 ? *found - 1 : count;
  *found = *number + 1;
  return 0;
}

static void numbers_free(struct numbers *numbers)
{
  base_strings_free(numbers->names);
  base_vector_free(&numbers->by_name);
}

/* The number of the stage with this label; one is made when there was none. FMT_NONE when memory is short. */
static uint32_t stage_in_whole(struct joining *joining, const struct callsig_stage_stats *stats)
{
  struct callsig_pipeline *whole = joining->whole;
  uint32_t number;
  if (find_number(&joining->stages, stats->label, whole->stages.count, &number) < 0)
    return FMT_NONE;
  if (number < whole->stages.count)
    return number;
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
  return number;
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

static struct out_queue *queue_in_whole(struct joining *joining, const struct callsig_queue_stats *stats)
{
  struct callsig_pipeline *whole = joining->whole;
  uint32_t number;
  if (find_number(&joining->queues, stats->label, whole->queues.count, &number) < 0)
    return NULL;
  if (number < whole->queues.count)
    return out_pipeline_queue_at(whole, number);
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
  struct out_queue *sum = queue_in_whole(joining, &queue->stats);
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

/* The use of a queue by a stage of the whole; one is made when there was none. NULL when memory is short. */
static struct out_link *link_in_whole(struct joining *joining, uint32_t stage, const char *queue)
{
  struct callsig_pipeline *whole = joining->whole;
  struct out_text name = {0};
  struct out_link *link = NULL;
  uint32_t number;
  out_text_printf(&name, "%u %s", stage, queue);
  if (!name.failed && find_number(&joining->links, out_text_string(&name), whole->links.count, &number) == 0) {
    if (number < whole->links.count)
      link = base_vector_at(&whole->links, number);
    else if ((link = base_vector_add(&whole->links, 1)) != NULL)
      *link = (struct out_link){.stage = stage, .queue = queue};
  }
  out_text_free(&name);
  return link;
}

/* Adds which queues stages used, whose numbers in the whole are `place`; the same below. */
static int add_links(struct joining *joining, const struct callsig_pipeline *part, const uint32_t *place)
{
  for (uint32_t i = 0; i < part->links.count; i++) {
    const struct out_link *link = base_vector_at(&part->links, i);
    struct out_link *sum = link_in_whole(joining, place[link->stage], link->queue);
    if (!sum)
      return -ENOMEM;
    sum->shared |= link->shared;
    sum->gets += link->gets;
    sum->puts += link->puts;
  }
  return 0;
}

/* Adds what threads did. */
static int add_replicas(struct callsig_pipeline *whole, const struct callsig_pipeline *part, const uint32_t *place)
{
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
  return 0;
}

/* Adds what threads waited for, which is of their own process: an address says nothing of another's. */
static int add_waits(struct callsig_pipeline *whole, const struct callsig_pipeline *part, const uint32_t *place)
{
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
      *number = stage_in_whole(joining, &stage->stats);
    result = number && *number != FMT_NONE ? add_stage(joining, part, stage, *number) : -ENOMEM;
  }
  for (uint32_t i = 0; i < part->queues.count && result == 0; i++)
    result = add_queue(joining, out_pipeline_queue_at(part, i));
  if (result == 0)
    result = add_replicas(joining->whole, part, place.data);
  if (result == 0)
    result = add_links(joining, part, place.data);
  if (result == 0)
    result = add_waits(joining->whole, part, place.data);
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
  const struct numbers none = {.by_name = BASE_VECTOR_OF(uint32_t)};
  struct joining joining = {.parts = pipelines, .count = count, .stages = none, .queues = none, .links = none};
  *joined = NULL;
  if (count < 2)
    return 0;
  bool *connected = calloc(count, sizeof *connected);
  int found = connected ? find_connected(&joining, connected) : -ENOMEM;
  if (found > 0)
    found = (joining.whole = out_pipeline_new()) ? join(&joining, connected) : -ENOMEM;
  free(connected);
  numbers_free(&joining.stages);
  numbers_free(&joining.queues);
  numbers_free(&joining.links);
  if (found < 0) {
    callsig_pipeline_free(joining.whole);
    return out_stats_no_memory();
  }
  *joined = joining.whole;
  return joining.whole != NULL;
}
