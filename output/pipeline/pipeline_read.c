/* From a recording to the statistics of its stages, queues and events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/index.h"
#include "output/pipeline/counters.h"
#include "output/pipeline/pipeline_reader.h"
#include "output/pipeline/rings.h"
#include "output/recording/clock.h"
#include "output/recording/stage_reader.h"
#include "output/text/idset.h"
#include "output/text/message.h"

static int read_processes(struct out_pipeline_reader *reader)
{
  struct fmt_rec_process record;
  uint64_t address = reader->recording->header.first_process;
  int result;
  while ((result = out_recording_next(reader->recording, &reader->processes, address, FMT_TAG_PROCESS, &record,
                                      FMT_REC_PROCESS_LEAST)) > 0)
    address = record.next;
  return result;
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
  struct out_pipeline_reader *reader = data;
  if (!out_pipeline_is_ours(reader, record->process))
    return append_number(&reader->stage_of, FMT_NONE);
  struct base_vector *stages = &reader->pipeline->stages;
  const char *label = out_pipeline_copy_name(reader, record->label),
             *name = out_pipeline_copy_name(reader, record->name);
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
  if (record->processors > stage->processors * 1000)
    stage->processors = record->processors / 1000.0;
  stage->stats.dropped += record->dropped;
  out_pipeline_saw(reader, record->opened_ticks);
  out_pipeline_saw(reader, record->closed_ticks);
  return append_number(&reader->stage_of, number);
}

/* The level is replaced as a whole while it is read: two readings that agree are one that was not torn. */
static void read_level(struct out_pipeline_reader *reader, uint64_t address, struct fmt_rec_queue_level *level)
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
static int pass_queue(struct out_pipeline_reader *reader)
{
  return base_vector_add(&reader->levels, 1) ? append_number(&reader->queue_of, FMT_NONE) : -ENOMEM;
}

static int take_queue(void *data, const struct fmt_rec_queue *record, uint64_t address)
{
  struct out_pipeline_reader *reader = data;
  if (!out_pipeline_is_ours(reader, record->process))
    return pass_queue(reader);
  struct base_vector *queues = &reader->pipeline->queues;
  const char *label = out_pipeline_copy_name(reader, record->label),
             *name = out_pipeline_copy_name(reader, record->name);
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
  out_pipeline_saw(reader, record->opened_ticks);
  out_pipeline_saw(reader, record->closed_ticks);
  return append_number(&reader->queue_of, number);
}

/* Keeps when an event happened, as far as the recording does. */
static int take_moments(struct out_pipeline_reader *reader, const struct fmt_rec_event *record, uint32_t event)
{
  struct fmt_rec_event_times times;
  const struct callsig_pipeline *pipeline = reader->pipeline;
  if (!out_stage_reader_times(reader->recording, record, &times))
    return 0;
  for (unsigned i = 0; i < FMT_EVENT_TIMES; i++) {
    const struct fmt_rec_event_time *place = &times.places[i];
    /* What was counted after the record was read belongs to the next reading. */
    if (place->number == 0 || place->number > record->count || place->start < pipeline->start_ticks)
      continue;
    struct out_moment *moment = base_vector_add(&reader->pipeline->moments, 1);
    if (!moment)
      return -ENOMEM;
    *moment = (struct out_moment){.event = event,
                                  .number = place->number,
                                  .start = pipeline->info.start +
                                           (double)(place->start - pipeline->start_ticks) * reader->tick,
                                  .time = (double)place->duration * reader->tick};
  }
  return 0;
}

static int take_event(void *data, const struct fmt_rec_event *record)
{
  struct out_pipeline_reader *reader = data;
  if (!out_pipeline_is_ours(reader, record->process))
    return 0;
  uint32_t number;
  const char *name = out_pipeline_copy_name(reader, record->name);
  struct callsig_event_stats *event = name ? find(&reader->event_set, &reader->pipeline->events, name, &number) : NULL;
  if (!event)
    return -ENOMEM;
  event->size = sizeof *event;
  event->name = name;
  event->count += record->count;
  event->total_time += (double)record->total * reader->tick;
  return take_moments(reader, record, number);
}

static int take_tasks(void *data, const struct fmt_rec_tasks *record, uint32_t number)
{
  struct out_pipeline_reader *reader = data;
  return out_thread_parts_take_tasks(&reader->parts, record, number);
}

static int take_queue_use(void *data, const struct fmt_rec_queue_use *record, uint32_t number)
{
  struct out_pipeline_reader *reader = data;
  return out_thread_parts_take_use(&reader->parts, record, number);
}

static int take_counter_use(void *data, const struct fmt_rec_counter_use *record, uint32_t counter, uint32_t stage)
{
  struct out_pipeline_reader *reader = data;
  return out_thread_parts_take_counter(&reader->parts, record, counter, stage);
}

static int read_threads(struct out_pipeline_reader *reader)
{
  int result = out_thread_parts_read(&reader->parts);
  for (uint32_t i = 0; i < reader->parts.threads.count && result == 0; i++) {
    const struct out_thread_part *part = base_vector_at(&reader->parts.threads, i);
    if (part->counts && out_pipeline_is_ours(reader, part->record.process))
      result = out_pipeline_add_part(reader, part);
  }
  reader->tick = reader->pipeline->tick;
  return result;
}

/* A task that is open lasts until now. */
static void finish_stages(struct out_pipeline_reader *reader)
{
  for (uint32_t i = 0; i < reader->pipeline->stages.count; i++) {
    struct out_stage *stage = out_pipeline_stage_at(reader->pipeline, i);
    if (stage->stats.open > 0)
      stage->last_ticks = reader->now;
  }
}

/* How long each queue was there and empty, now that it is known when now is. */
static void finish_queues(struct out_pipeline_reader *reader)
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
    const uint64_t paused = elapsed ? out_pauses_within(&reader->pipeline->pauses, record->opened_ticks, end) : 0;
    queue->items += record->level.items;
    queue->elapsed += (double)elapsed * reader->pipeline->tick;
    out_pipeline_queue_at(reader->pipeline, index)->recorded += (double)(elapsed - paused) * reader->pipeline->tick;
    queue->empty_time += (double)(empty < elapsed ? empty : elapsed) * reader->pipeline->tick;
  }
}

/* The recording that the process was merged from. */
static const char *source_of(struct out_pipeline_reader *reader)
{
  uint64_t address = *(const uint64_t *)base_vector_at(&reader->processes, reader->only - 1);
  const struct fmt_rec_process *process =
      out_recording_record(reader->recording, address, FMT_TAG_PROCESS, FMT_REC_PROCESS_LEAST);
  return out_pipeline_copy_name(reader, process ? process->source : 0);
}

/* Reads which build the program is: its module's. */
static int read_build(struct out_pipeline_reader *reader)
{
  struct out_recording *recording = reader->recording;
  struct callsig_pipeline *pipeline = reader->pipeline;
  struct base_vector known = BASE_VECTOR_OF(uint64_t);
  struct fmt_rec_module module;
  uint64_t address = recording->header.first_module;
  int result = 1;
  while (pipeline->build_id_size == 0 &&
         (result = out_recording_next(recording, &known, address, FMT_TAG_MODULE, &module, sizeof module)) > 0) {
    const char *path = out_pipeline_copy_name(reader, module.path);
    if (path == NULL)
      result = -ENOMEM;
    if (result < 0)
      break;
    if (strcmp(path, pipeline->info.program) == 0 && module.build_id_size <= sizeof pipeline->build_id) {
      memcpy(pipeline->build_id, module.build_id, sizeof pipeline->build_id);
      pipeline->build_id_size = module.build_id_size;
    }
    address = module.next;
  }
  base_vector_free(&known);
  return result < 0 ? result : 0;
}

static int read_info(struct out_pipeline_reader *reader, const struct fmt_rec_clock_point *now)
{
  struct callsig_pipeline *pipeline = reader->pipeline;
  struct fmt_rec_header *header = &reader->recording->header;
  bool uncalibrated;
  if (now)
    header->last = *now;
  pipeline->tick = out_clock_tick(header->clock, (struct out_clock_rate){header->injected_hz, header->counter_khz},
                                  &header->start, &header->last, &uncalibrated);
  reader->tick = pipeline->tick;
  pipeline->start_ticks = header->start.ticks;
  pipeline->has_rank = header->rank_source != 0;
  pipeline->rank = header->rank;
  pipeline->is_cpu_clock = header->clock == FMT_CLOCK_CPU;
  pipeline->steps = header->flags & FMT_REC_SCHEDULE ? header->steps : 0;
  pipeline->active_steps = header->active_steps;
  reader->now = header->last.ticks > header->start.ticks ? header->last.ticks : header->start.ticks;
  pipeline->info.size = sizeof pipeline->info;
  pipeline->info.pid = header->pid;
  pipeline->period = header->period;
  const uint64_t began_ns = header->period_realtime_ns ? header->period_realtime_ns : header->start_realtime_ns;
  pipeline->info.start = (double)began_ns * 1e-9;
  pipeline->file = base_arena_copy(&pipeline->strings, reader->recording->path, strlen(reader->recording->path));
  pipeline->info.path = reader->only ? source_of(reader) : pipeline->file;
  pipeline->info.program = out_pipeline_copy_name(reader, header->program);
  pipeline->only_process = reader->only;
  return pipeline->file && pipeline->info.path && pipeline->info.program ? read_build(reader) : -ENOMEM;
}

/* Where it was not kept when nothing was recorded, steps of a schedule are taken to be as long as one another. */
static double recorded_time(const struct out_pipeline_reader *reader)
{
  const struct callsig_pipeline *pipeline = reader->pipeline;
  const uint64_t start = pipeline->start_ticks;
  if (pipeline->pauses.known)
    return (double)(reader->now - start - out_pauses_within(&pipeline->pauses, start, reader->now)) * pipeline->tick;
  if (pipeline->steps == 0 || pipeline->active_steps == 0 || pipeline->active_steps > pipeline->steps)
    return pipeline->info.elapsed;
  return pipeline->info.elapsed * (double)pipeline->active_steps / (double)pipeline->steps;
}

static int read_all(struct out_pipeline_reader *reader, const struct fmt_rec_clock_point *now)
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
    result = out_stage_reader_counters(&reader->lists);
  if (result == 0)
    result = read_threads(reader);
  if (result < 0)
    return result;
  pipeline->pauses = out_pauses_read(reader->recording, reader->now);
  finish_stages(reader);
  finish_queues(reader);
  result = out_pipeline_sort(pipeline);
  if (result < 0)
    return result;
  out_counters_sort(pipeline);
  pipeline->info.elapsed = (double)(reader->now - reader->recording->header.start.ticks) * pipeline->tick;
  pipeline->info.end = pipeline->info.start + pipeline->info.elapsed;
  pipeline->info.unreadable = out_recording_lost(reader->recording);
  pipeline->recorded = recorded_time(reader);
  out_pipeline_derive(pipeline);
  out_rings_find(pipeline);
  return 0;
}

static const struct out_stage_taker taker = {.stage = take_stage,
                                             .queue = take_queue,
                                             .event = take_event,
                                             .tasks = take_tasks,
                                             .queue_use = take_queue_use,
                                             .counter = out_counters_take,
                                             .counter_use = take_counter_use};

/* `is_mixed`: what was read is of two periods. */
static int read_once(struct out_recording *recording, uint32_t only, const struct fmt_rec_clock_point *now,
                     struct callsig_pipeline **read, bool *is_mixed)
{
  *read = NULL;
  struct out_pipeline_reader reader = {
      .recording = recording,
      .only = only,
      .pipeline = out_pipeline_new(),
      .processes = BASE_VECTOR_OF(uint64_t),
      .stage_of = BASE_VECTOR_OF(uint32_t),
      .queue_of = BASE_VECTOR_OF(uint32_t),
      .levels = BASE_VECTOR_OF(struct fmt_rec_queue),
      .counter_of = BASE_VECTOR_OF(struct out_known_counter),
  };
  if (!reader.pipeline)
    return -ENOMEM;
  out_stage_reader_init(&reader.lists, recording, &taker, &reader);
  out_thread_parts_init(&reader.parts, recording, &reader.lists);
  int result = read_all(&reader, now);
  *is_mixed = result == 0 && reader.parts.period != recording->header.period;
  struct base_vector *vectors[] = {&reader.processes, &reader.stage_of, &reader.queue_of, &reader.levels,
                                   &reader.counter_of};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
  out_thread_parts_free(&reader.parts);
  out_stage_reader_free(&reader.lists);
  out_idset_free(&reader.stage_set);
  out_idset_free(&reader.queue_set);
  out_idset_free(&reader.event_set);
  out_idset_free(&reader.link_set);
  out_idset_free(&reader.counter_set);
  result = result < 0 ? out_stats_no_memory() : out_recording_failed(recording);
  if (result < 0)
    callsig_pipeline_free(reader.pipeline);
  else
    *read = reader.pipeline;
  return result;
}

int out_pipeline_read_part(struct out_recording *recording, uint32_t only, const struct fmt_rec_clock_point *now,
                           struct callsig_pipeline **read)
{
  enum { ATTEMPTS = 8 };
  for (unsigned attempt = 1;; attempt++) {
    bool is_mixed;
    int result = read_once(recording, only, now, read, &is_mixed);
    if (result < 0 || !is_mixed)
      return result;
    callsig_pipeline_free(*read);
    *read = NULL;
    if (attempt == ATTEMPTS)
      return out_stats_fail(-EAGAIN, "%s: is made to count from zero again and again while it is read",
                            recording->path);
    result = out_recording_begin_anew(recording);
    if (result < 0)
      return result;
  }
}
