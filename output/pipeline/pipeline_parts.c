/* Adds what single threads did to the statistics of stages and queues. */
#include <errno.h>
#include <string.h>

#include "format/index.h"
#include "output/pipeline/counters.h"
#include "output/pipeline/pipeline_reader.h"
#include "output/recording/clock.h"

#define MOST_FUTEXES 256u

/* Widens [*low, *high] to hold the record's extremes, if it has any. */
static void join_range(double *low, double *high, bool first, uint64_t count, uint64_t min, uint64_t max)
{
  if (count == 0 || min > max)
    return;
  *low = first || (double)min < *low ? (double)min : *low;
  *high = first || (double)max > *high ? (double)max : *high;
}

/* Histograms of different kinds, as a damaged recording may have, do not add up. */
static int add_times(struct out_pipeline_reader *reader, struct out_histogram *sum, const struct out_histogram *times)
{
  int result = out_histogram_add(sum, times, 1);
  if (result == -EINVAL)
    reader->recording->damaged++;
  return result == -EINVAL ? 0 : result;
}

/* How long the thread ran; of threads that were folded together, how long they worked. */
static double lifetime_of(const struct out_pipeline_reader *reader, const struct fmt_rec_thread *thread,
                          const struct fmt_rec_task_work *work)
{
  const uint64_t end = thread->end_ticks ? thread->end_ticks : reader->now;
  const uint64_t ran = end > thread->start_ticks ? end - thread->start_ticks : 0;
  return (double)(thread->state == FMT_THREAD_FOLDED || ran < work->own ? work->own : ran) * reader->tick;
}

/* Of very many futexes the further ones are taken together: none of them is what a stage waits for. */
static int add_wait(struct callsig_pipeline *pipeline, uint32_t stage, const struct fmt_rec_task_wait *slot)
{
  const uint64_t address = pipeline->waits.count < MOST_FUTEXES ? slot->address : 0;
  for (uint32_t i = 0; i < pipeline->waits.count; i++) {
    struct out_stage_wait *wait = base_vector_at(&pipeline->waits, i);
    if (wait->stage == stage && wait->kind == slot->kind && wait->address == address) {
      wait->looks += slot->looks;
      return 0;
    }
  }
  struct out_stage_wait *wait = base_vector_add(&pipeline->waits, 1);
  if (!wait)
    return -ENOMEM;
  *wait = (struct out_stage_wait){.stage = stage, .kind = slot->kind, .address = address, .looks = slot->looks};
  return 0;
}

/* A kind that there is none of is damage, which is counted where edges are read. */
static int add_waits(struct out_pipeline_reader *reader, uint32_t stage, const struct fmt_rec_task_waits *waits)
{
  int result = 0;
  for (unsigned i = 0; i < FMT_WAIT_SLOTS && result == 0; i++)
    if (waits->slots[i].edge && waits->slots[i].kind < FMT_WAIT_KINDS &&
        out_recording_spend(reader->recording, sizeof waits->slots[i]))
      result = add_wait(reader->pipeline, stage, &waits->slots[i]);
  return result;
}

static int add_tasks(struct out_pipeline_reader *reader, const struct fmt_rec_thread *thread,
                     const struct out_tasks_part *part)
{
  const struct fmt_rec_tasks *record = &part->record;
  uint32_t index = *(uint32_t *)base_vector_at(&reader->stage_of, part->stage);
  if (index == FMT_NONE) {
    reader->recording->damaged++;
    return 0;
  }
  struct out_stage *stage = out_pipeline_stage_at(reader->pipeline, index);
  uint64_t failures = record->failures < record->tasks ? record->failures : record->tasks;
  join_range(&stage->min_ticks, &stage->max_ticks, stage->stats.num_tasks == stage->stats.num_failures,
             record->tasks - failures, record->min, record->max);
  stage->stats.threads++;
  stage->stats.num_tasks += record->tasks;
  stage->stats.num_failures += failures;
  stage->stats.open += record->open;
  stage->stats.total_time += (double)record->total * reader->tick;
  stage->stats.failed_time += (double)record->failed_total * reader->tick;
  out_pipeline_saw(reader, record->last_ticks);
  if (record->tasks + record->open > 0 && record->first_ticks < stage->first_ticks)
    stage->first_ticks = record->first_ticks;
  if (record->last_ticks > stage->last_ticks)
    stage->last_ticks = record->last_ticks;
  struct out_replica *replica = base_vector_add(&reader->pipeline->replicas, 1);
  const char *name = out_pipeline_copy_text(reader->pipeline, thread->name, strnlen(thread->name, sizeof thread->name));
  if (!replica || !name)
    return -ENOMEM;
  *replica = (struct out_replica){.stage = index,
                                  .first = reader->first_replica,
                                  .tid = thread->tid,
                                  .thread = name,
                                  .folded = thread->state == FMT_THREAD_FOLDED,
                                  .tasks = record->tasks,
                                  .failures = failures,
                                  .total_time = (double)record->total * reader->tick,
                                  .own_time = part->has_work ? (double)part->work.own * reader->tick : -1,
                                  .is_open = record->open > 0,
                                  .thread_start = thread->start_ticks,
                                  .thread_end = thread->end_ticks};
  if (part->has_work) {
    replica->shift = part->work.shift;
    memcpy(replica->slots, part->work.slots, sizeof replica->slots);
    out_task_work_add(&stage->work, &part->work, reader->tick);
    stage->work.lifetime += lifetime_of(reader, thread, &part->work);
  }
  if (part->has_waits && add_waits(reader, index, &part->waits) < 0)
    return -ENOMEM;
  int result = add_times(reader, &stage->times, &part->times);
  return result < 0 ? result : add_times(reader, &stage->gaps, &part->gaps);
}

static bool equal_link(const void *owner, uint32_t number, const void *key)
{
  const struct callsig_pipeline *pipeline = owner;
  const struct out_link *there = base_vector_at(&pipeline->links, number), *wanted = key;
  return there->stage == wanted->stage && there->queue == wanted->queue;
}

/* Labels are the queues' own, one each. NULL: memory is short. */
static struct out_link *find_link(struct out_pipeline_reader *reader, uint32_t stage, const char *queue)
{
  struct base_vector *links = &reader->pipeline->links;
  const struct out_link wanted = {.stage = stage, .queue = queue};
  const uint64_t hash = out_hash_mix(stage, (uint64_t)(uintptr_t)queue);
  const uint32_t known = out_idset_find(&reader->link_set, hash, reader->pipeline, &wanted, equal_link);
  if (known != FMT_NONE)
    return base_vector_at(links, known);
  struct out_link *link = base_vector_add(links, 1);
  if (!link || out_idset_add(&reader->link_set, hash, links->count - 1) < 0)
    return NULL;
  *link = wanted;
  return link;
}

/* What a thread waited is waited by the stage whose tasks it runs. Where these are several, by those behind the queue
 * for what they get, and by the one before it for what they put. */
static int take_waits(struct out_pipeline_reader *reader, const struct callsig_queue_stats *queue,
                      const struct fmt_rec_queue_use *record)
{
  const struct base_vector *replicas = &reader->pipeline->replicas;
  const bool shared = replicas->count > reader->first_replica + 1;
  for (uint32_t i = reader->first_replica; i < replicas->count; i++) {
    if (!out_recording_spend(reader->recording, sizeof *record)) {
      reader->recording->damaged++;
      return 0;
    }
    struct out_replica *replica = base_vector_at(replicas, i);
    const uint32_t number = replica->stage;
    replica->waited += (double)(record->put_total + record->get_total) * reader->tick;
    replica->got += (double)record->get_total * reader->tick;
    struct out_stage *stage = out_pipeline_stage_at(reader->pipeline, number);
    struct out_link *link = find_link(reader, number, queue->label);
    if (!link)
      return -ENOMEM;
    link->shared |= shared;
    link->gets += record->gets;
    link->puts += record->puts;
    const bool near = stage->stats.pipeline == queue->pipeline;
    if (!shared || (near && stage->stats.index == queue->index))
      stage->put_wait += (double)record->put_total * reader->tick;
    if (!shared || (near && stage->stats.index > queue->index))
      stage->get_wait += (double)record->get_total * reader->tick;
  }
  return 0;
}

static int add_use(struct out_pipeline_reader *reader, const struct out_use_part *part)
{
  const struct fmt_rec_queue_use *record = &part->record;
  uint32_t index = *(uint32_t *)base_vector_at(&reader->queue_of, part->queue);
  if (index == FMT_NONE) {
    reader->recording->damaged++;
    return 0;
  }
  struct out_queue *queue = out_pipeline_queue_at(reader->pipeline, index);
  join_range(&queue->put_min_ticks, &queue->put_max_ticks, queue->stats.puts == 0, record->puts, record->put_min,
             record->put_max);
  join_range(&queue->get_min_ticks, &queue->get_max_ticks, queue->stats.num_items == 0, record->gets, record->get_min,
             record->get_max);
  queue->stats.puts += record->puts;
  queue->stats.num_items += record->gets;
  queue->stats.failed += record->failed;
  queue->stats.put_time += (double)record->put_total * reader->tick;
  queue->stats.get_time += (double)record->get_total * reader->tick;
  int result = take_waits(reader, &queue->stats, record);
  if (result == 0)
    result = add_times(reader, &queue->put, &part->put);
  return result < 0 ? result : add_times(reader, &queue->get, &part->get);
}

static int add_counter(struct out_pipeline_reader *reader, const struct fmt_rec_thread *thread,
                       const struct out_counter_part *part)
{
  const uint32_t stage =
      part->stage == FMT_NONE ? FMT_NONE : *(uint32_t *)base_vector_at(&reader->stage_of, part->stage);
  const char *label = stage == FMT_NONE ? NULL : out_pipeline_stage_at(reader->pipeline, stage)->stats.label;
  return out_counters_add(reader, thread, &part->record, part->counter, label);
}

/* The tick of the process that the thread's times are in. */
static double tick_of(struct out_pipeline_reader *reader, const struct fmt_rec_thread *thread)
{
  const struct fmt_rec_process *process =
      thread->process ? out_recording_record(reader->recording, thread->process, FMT_TAG_PROCESS, FMT_REC_PROCESS_LEAST)
                      : NULL;
  bool uncalibrated;
  if (!process)
    return reader->pipeline->tick;
  const struct fmt_rec_process *whole =
      out_recording_record(reader->recording, thread->process, FMT_TAG_PROCESS, FMT_REC_PROCESS_FLOOR);
  const struct out_clock_rate rate = {process->injected_hz, whole ? whole->counter_khz : 0};
  return out_clock_tick(process->clock, rate, &process->start, &process->last, &uncalibrated);
}

int out_pipeline_add_part(struct out_pipeline_reader *reader, const struct out_thread_part *part)
{
  int result = 0;
  reader->tick = tick_of(reader, &part->record);
  out_pipeline_saw(reader, part->record.end_ticks);
  reader->first_replica = reader->pipeline->replicas.count;
  for (uint32_t i = 0; i < part->tasks.count && result == 0; i++)
    result = add_tasks(reader, &part->record, base_vector_at(&part->tasks, i));
  for (uint32_t i = 0; i < part->uses.count && result == 0; i++)
    result = add_use(reader, base_vector_at(&part->uses, i));
  for (uint32_t i = 0; i < part->counters.count && result == 0; i++)
    result = add_counter(reader, &part->record, base_vector_at(&part->counters, i));
  return result;
}
