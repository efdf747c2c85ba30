/* From a recording to the statistics of its stages, queues and events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/index.h"
#include "output/pipeline/pipeline.h"
#include "output/recording/clock.h"
#include "output/recording/stage_reader.h"
#include "output/text/idset.h"
#include "output/text/message.h"

/* One recording on its way. The vectors of uint64_t are lists of out_recording_number(). */
struct reader {
  struct out_recording *recording;
  struct callsig_pipeline *pipeline;
  uint64_t now;  /* ticks: the latest moment that is known of */
  double tick;   /* seconds, of the process whose records are being read */
  uint32_t only; /* of a merged recording: the process that is read, counted from 1; 0: all */
  struct out_stage_reader lists;
  struct base_vector threads, processes;
  struct fmt_rec_thread thread; /* whose tasks are being read */
  uint32_t first_replica;       /* of that thread */
  struct base_vector
      stage_of; /* uint32_t by number of a stage record: in pipeline.stages; FMT_NONE: another process's */
  struct base_vector
      queue_of;              /* uint32_t by number of a queue record: in pipeline.queues; FMT_NONE: another process's */
  struct base_vector levels; /* struct fmt_rec_queue by number: what waits for `now` to be known */
  struct out_idset stage_set, queue_set, event_set; /* of the pipeline's, by label or name */
};

static void saw(struct reader *reader, uint64_t ticks)
{
  if (ticks != UINT64_MAX && ticks > reader->now)
    reader->now = ticks;
}

/* Does a record that refers to `process` belong to what is read? */
static bool is_ours(const struct reader *reader, uint64_t process)
{
  if (!reader->only)
    return true;
  uint32_t number = out_recording_known(reader->recording, &reader->processes, process);
  return (number == FMT_NONE ? 0 : number) == reader->only - 1;
}

static int read_processes(struct reader *reader)
{
  struct fmt_rec_process record;
  uint64_t address = reader->recording->header.first_process;
  int result;
  while ((result = out_recording_next(reader->recording, &reader->processes, address, FMT_TAG_PROCESS, &record,
                                      sizeof record)) > 0)
    address = record.next;
  return result;
}

/* The name at `address` as it may be printed; "?" when there is none. NULL when memory is short. */
static const char *copy_name(struct reader *reader, uint64_t address)
{
  size_t length = 0;
  const char *name = out_recording_name(reader->recording, address, &length);
  struct out_text text = {0};
  out_text_printable(&text, name ? name : "?", name ? length : 1);
  const char *copy =
      text.failed ? NULL : base_arena_copy(&reader->pipeline->strings, out_text_string(&text), text.length);
  out_text_free(&text);
  return copy;
}

static int append_number(struct base_vector *numbers, uint32_t number)
{
  uint32_t *added = base_vector_add(numbers, 1);
  if (!added)
    return -ENOMEM;
  *added = number;
  return 0;
}

static bool equal_name(const void *owner, uint32_t number, const void *key)
{
  return strcmp(((const struct out_named_stats *)base_vector_at(owner, number))->name, key) == 0;
}

static uint64_t hash_name(const char *name)
{
  uint64_t hash = 0;
  while (*name)
    hash = out_hash_mix(hash, (unsigned char)*name++);
  return hash;
}

/* The element of `list` with this name and its number; one that is zero but for the name when there was none. */
static void *find(struct out_idset *set, struct base_vector *list, const char *name, uint32_t *number)
{
  uint64_t hash = hash_name(name);
  *number = out_idset_find(set, hash, list, name, equal_name);
  if (*number != FMT_NONE)
    return base_vector_at(list, *number);
  struct out_named_stats *added = base_vector_add(list, 1);
  if (!added)
    return NULL;
  added->name = name;
  *number = list->count - 1;
  return out_idset_add(set, hash, *number) < 0 ? NULL : added;
}

static int take_stage(void *data, const struct fmt_rec_stage *record)
{
  struct reader *reader = data;
  if (!is_ours(reader, record->process))
    return append_number(&reader->stage_of, FMT_NONE);
  struct base_vector *stages = &reader->pipeline->stages;
  const char *label = copy_name(reader, record->label), *name = copy_name(reader, record->name);
  if (!label || !name)
    return -ENOMEM;
  uint32_t number;
  struct out_stage *stage = find(&reader->stage_set, stages, label, &number);
  if (!stage)
    return -ENOMEM;
  if (stage->stats.size == 0)
    stage->stats = (struct callsig_stage_stats){.size = sizeof stage->stats,
                                                .label = label,
                                                .name = name,
                                                .pipeline = record->pipeline,
                                                .index = record->index,
                                                .concurrency = record->concurrency ? record->concurrency : 1};
  if (stage->stats.threads == 0)
    stage->first_ticks = UINT64_MAX;
  stage->stats.dropped += record->dropped;
  saw(reader, record->opened_ticks);
  saw(reader, record->closed_ticks);
  return append_number(&reader->stage_of, number);
}

/* The level is replaced as a whole while it is read: two readings that agree are one that was not torn. */
static void read_level(struct reader *reader, uint64_t address, struct fmt_rec_queue_level *level)
{
  enum { TRIES = 64 };
  address += offsetof(struct fmt_rec_queue, level);
  for (unsigned i = 0; i < TRIES; i++) {
    struct fmt_rec_queue_level again;
    if (!out_recording_read_again(reader->recording, address, &again, sizeof again))
      return;
    bool same = again.items == level->items && again.empty_ticks == level->empty_ticks;
    *level = again;
    if (same && i > 0)
      return;
  }
}

/* Another process's queue has a number, too. */
static int pass_queue(struct reader *reader)
{
  return base_vector_add(&reader->levels, 1) ? append_number(&reader->queue_of, FMT_NONE) : -ENOMEM;
}

static int take_queue(void *data, const struct fmt_rec_queue *record, uint64_t address)
{
  struct reader *reader = data;
  if (!is_ours(reader, record->process))
    return pass_queue(reader);
  struct base_vector *queues = &reader->pipeline->queues;
  const char *label = copy_name(reader, record->label), *name = copy_name(reader, record->name);
  struct fmt_rec_queue *kept = base_vector_add(&reader->levels, 1);
  if (!label || !name || !kept)
    return -ENOMEM;
  *kept = *record;
  read_level(reader, address, &kept->level);
  uint32_t number;
  struct out_queue *queue = find(&reader->queue_set, queues, label, &number);
  if (!queue)
    return -ENOMEM;
  if (queue->stats.size == 0)
    queue->stats = (struct callsig_queue_stats){.size = sizeof queue->stats,
                                                .label = label,
                                                .name = name,
                                                .pipeline = record->pipeline,
                                                .index = record->index};
  queue->stats.capacity = record->capacity > queue->stats.capacity ? record->capacity : queue->stats.capacity;
  queue->stats.high_water = record->high_water > queue->stats.high_water ? record->high_water : queue->stats.high_water;
  saw(reader, record->opened_ticks);
  saw(reader, record->closed_ticks);
  return append_number(&reader->queue_of, number);
}

/* Widens [*low, *high] to hold the record's extremes, if it has any. */
static void join_range(double *low, double *high, bool first, uint64_t count, uint64_t min, uint64_t max)
{
  if (count == 0 || min > max)
    return;
  *low = first || (double)min < *low ? (double)min : *low;
  *high = first || (double)max > *high ? (double)max : *high;
}

static int take_event(void *data, const struct fmt_rec_event *record)
{
  struct reader *reader = data;
  if (!is_ours(reader, record->process))
    return 0;
  uint32_t number;
  const char *name = copy_name(reader, record->name);
  struct callsig_event_stats *event = name ? find(&reader->event_set, &reader->pipeline->events, name, &number) : NULL;
  if (!event)
    return -ENOMEM;
  event->size = sizeof *event;
  event->name = name;
  event->count += record->count;
  event->total_time += (double)record->total * reader->tick;
  return 0;
}

static int take_tasks(void *data, const struct fmt_rec_tasks *record, uint32_t number)
{
  struct reader *reader = data;
  const struct fmt_rec_thread *thread = &reader->thread;
  uint32_t index = *(uint32_t *)base_vector_at(&reader->stage_of, number);
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
  saw(reader, record->last_ticks);
  if (record->tasks + record->open > 0 && record->first_ticks < stage->first_ticks)
    stage->first_ticks = record->first_ticks;
  if (record->last_ticks > stage->last_ticks)
    stage->last_ticks = record->last_ticks;
  struct out_replica *replica = base_vector_add(&reader->pipeline->replicas, 1);
  struct out_text text = {0};
  out_text_printable(&text, thread->name, strnlen(thread->name, sizeof thread->name));
  const char *name =
      text.failed ? NULL : base_arena_copy(&reader->pipeline->strings, out_text_string(&text), text.length);
  out_text_free(&text);
  if (!replica || !name)
    return -ENOMEM;
  *replica = (struct out_replica){.stage = index,
                                  .tid = thread->tid,
                                  .thread = name,
                                  .folded = thread->state == FMT_THREAD_FOLDED,
                                  .tasks = record->tasks,
                                  .failures = failures,
                                  .total_time = (double)record->total * reader->tick};
  return out_histogram_load(&stage->times, reader->recording, record->histogram);
}

/* What a thread waited is waited by the stages whose tasks it runs: the replicas from `first` on. */
static void take_waits(struct reader *reader, const struct callsig_queue_stats *queue,
                       const struct fmt_rec_queue_use *record, uint32_t first)
{
  const struct base_vector *replicas = &reader->pipeline->replicas;
  for (uint32_t i = first; i < replicas->count && out_recording_spend(reader->recording, sizeof *record); i++) {
    struct out_stage *stage =
        out_pipeline_stage_at(reader->pipeline, ((struct out_replica *)base_vector_at(replicas, i))->stage);
    if (stage->stats.pipeline != queue->pipeline)
      continue;
    if (stage->stats.index == queue->index)
      stage->put_wait += (double)record->put_total * reader->tick;
    else if (stage->stats.index > queue->index)
      stage->get_wait += (double)record->get_total * reader->tick;
  }
}

static int take_queue_use(void *data, const struct fmt_rec_queue_use *record, uint32_t number)
{
  struct reader *reader = data;
  uint32_t index = *(uint32_t *)base_vector_at(&reader->queue_of, number);
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
  take_waits(reader, &queue->stats, record, reader->first_replica);
  int result = out_histogram_load(&queue->put, reader->recording, record->put_histogram);
  return result < 0 ? result : out_histogram_load(&queue->get, reader->recording, record->get_histogram);
}

/* The tick of the process that the thread's times are in. */
static double tick_of(struct reader *reader, const struct fmt_rec_thread *thread)
{
  const struct fmt_rec_process *process =
      thread->process
          ? out_recording_record(reader->recording, thread->process, FMT_TAG_PROCESS, sizeof(struct fmt_rec_process))
          : NULL;
  bool uncalibrated;
  if (!process)
    return reader->pipeline->tick;
  return out_clock_tick(process->clock, process->injected_hz, &process->start, &process->last, &uncalibrated);
}

static int read_threads(struct reader *reader)
{
  struct fmt_rec_thread *record = &reader->thread;
  uint64_t address = reader->recording->header.first_thread;
  int result;
  while ((result = out_recording_next(reader->recording, &reader->threads, address, FMT_TAG_THREAD, record,
                                      sizeof *record)) > 0) {
    address = record->next;
    if (!is_ours(reader, record->process))
      continue;
    reader->tick = tick_of(reader, record);
    saw(reader, record->end_ticks);
    reader->first_replica = reader->pipeline->replicas.count;
    result = out_stage_reader_thread(&reader->lists, record->first_tasks, record->first_queue_use);
    if (result < 0)
      break;
  }
  reader->tick = reader->pipeline->tick;
  return result;
}

/* A task that is open lasts until now. */
static void finish_stages(struct reader *reader)
{
  for (uint32_t i = 0; i < reader->pipeline->stages.count; i++) {
    struct out_stage *stage = out_pipeline_stage_at(reader->pipeline, i);
    if (stage->stats.open > 0)
      stage->last_ticks = reader->now;
  }
}

/* How long each queue was there and empty, now that it is known when now is. */
static void finish_queues(struct reader *reader)
{
  for (uint32_t i = 0; i < reader->levels.count && i < reader->queue_of.count; i++) {
    const struct fmt_rec_queue *record = base_vector_at(&reader->levels, i);
    uint32_t index = *(uint32_t *)base_vector_at(&reader->queue_of, i);
    if (index == FMT_NONE)
      continue;
    struct callsig_queue_stats *queue = &out_pipeline_queue_at(reader->pipeline, index)->stats;
    uint64_t end = record->closed_ticks ? record->closed_ticks : reader->now;
    uint64_t elapsed = end > record->opened_ticks ? end - record->opened_ticks : 0;
    uint64_t empty = record->level.items == 0 ? record->level.empty_ticks + end : record->level.empty_ticks;
    /* What became empty after the clock was read is less than nothing. */
    if (empty >= UINT64_C(1) << 63)
      empty = 0;
    queue->items += record->level.items;
    queue->elapsed += (double)elapsed * reader->pipeline->tick;
    queue->empty_time += (double)(empty < elapsed ? empty : elapsed) * reader->pipeline->tick;
  }
}

/* The recording that the process was merged from. */
static const char *source_of(struct reader *reader)
{
  uint64_t address = *(const uint64_t *)base_vector_at(&reader->processes, reader->only - 1);
  const struct fmt_rec_process *process =
      out_recording_record(reader->recording, address, FMT_TAG_PROCESS, sizeof *process);
  return copy_name(reader, process ? process->source : 0);
}

static int read_info(struct reader *reader, const struct fmt_rec_clock_point *now)
{
  struct callsig_pipeline *pipeline = reader->pipeline;
  struct fmt_rec_header *header = &reader->recording->header;
  bool uncalibrated;
  if (now)
    header->last = *now;
  pipeline->tick = out_clock_tick(header->clock, header->injected_hz, &header->start, &header->last, &uncalibrated);
  reader->tick = pipeline->tick;
  reader->now = header->last.ticks > header->start.ticks ? header->last.ticks : header->start.ticks;
  pipeline->info.size = sizeof pipeline->info;
  pipeline->info.pid = header->pid;
  pipeline->info.start = (double)header->start_realtime_ns * 1e-9;
  pipeline->file = base_arena_copy(&pipeline->strings, reader->recording->path, strlen(reader->recording->path));
  pipeline->info.path = reader->only ? source_of(reader) : pipeline->file;
  pipeline->info.program = copy_name(reader, header->program);
  pipeline->only_process = reader->only;
  return pipeline->file && pipeline->info.path && pipeline->info.program ? 0 : -ENOMEM;
}

static int read_all(struct reader *reader, const struct fmt_rec_clock_point *now)
{
  struct callsig_pipeline *pipeline = reader->pipeline;
  int result = reader->only ? read_processes(reader) : 0;
  if (result == 0)
    result = read_info(reader, now);
  if (result == 0)
    result = out_stage_reader_stages(&reader->lists);
  if (result == 0)
    result = out_stage_reader_queues(&reader->lists);
  if (result == 0)
    result = out_stage_reader_events(&reader->lists);
  if (result == 0)
    result = read_threads(reader);
  if (result < 0)
    return result;
  finish_stages(reader);
  finish_queues(reader);
  result = out_pipeline_sort(pipeline);
  if (result < 0)
    return result;
  pipeline->info.elapsed = (double)(reader->now - reader->recording->header.start.ticks) * pipeline->tick;
  pipeline->info.end = pipeline->info.start + pipeline->info.elapsed;
  pipeline->info.unreadable = out_recording_lost(reader->recording);
  out_pipeline_derive(pipeline);
  return 0;
}

static const struct out_stage_taker taker = {
    .stage = take_stage, .queue = take_queue, .event = take_event, .tasks = take_tasks, .queue_use = take_queue_use};

int out_pipeline_read_part(struct out_recording *recording, uint32_t only, const struct fmt_rec_clock_point *now,
                           struct callsig_pipeline **read)
{
  *read = NULL;
  struct reader reader = {
      .recording = recording,
      .only = only,
      .pipeline = out_pipeline_new(),
      .threads = BASE_VECTOR_OF(uint64_t),
      .processes = BASE_VECTOR_OF(uint64_t),
      .stage_of = BASE_VECTOR_OF(uint32_t),
      .queue_of = BASE_VECTOR_OF(uint32_t),
      .levels = BASE_VECTOR_OF(struct fmt_rec_queue),
  };
  if (!reader.pipeline)
    return -ENOMEM;
  out_stage_reader_init(&reader.lists, recording, &taker, &reader);
  int result = read_all(&reader, now);
  struct base_vector *vectors[] = {&reader.threads, &reader.processes, &reader.stage_of, &reader.queue_of,
                                   &reader.levels};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
  out_stage_reader_free(&reader.lists);
  out_idset_free(&reader.stage_set);
  out_idset_free(&reader.queue_set);
  out_idset_free(&reader.event_set);
  result = result < 0 ? out_stats_no_memory() : out_recording_failed(recording);
  if (result < 0)
    callsig_pipeline_free(reader.pipeline);
  else
    *read = reader.pipeline;
  return result;
}
