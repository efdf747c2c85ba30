/* Records of stages, tasks, queues and events, written as the runtime would have. */
#include "tests/support/pipeline_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUB_BITS = 5 };

uint64_t pipeline_writer_stage(struct recording_writer *writer, uint32_t pipeline, uint32_t index, const char *name,
                               uint32_t concurrency, uint64_t opened)
{
  char label[256];
  int length = snprintf(label, sizeof label, "%u:%u:%s", pipeline, index, name);
  if (concurrency != 1)
    snprintf(label + length, sizeof label - (size_t)length, "[%u]", concurrency);
  uint64_t names[] = {recording_writer_name(writer, name), recording_writer_name(writer, label)};
  uint64_t address = recording_writer_make(writer, FMT_TAG_STAGE, sizeof(struct fmt_rec_stage));
  struct fmt_rec_stage *stage = recording_writer_at(writer, address);
  struct fmt_rec_header *header = recording_writer_header(writer);
  stage->name = names[0];
  stage->label = names[1];
  stage->pipeline = pipeline;
  stage->index = index;
  stage->concurrency = concurrency;
  stage->opened_ticks = opened;
  if (header->first_stage)
    stage->number = ((struct fmt_rec_stage *)recording_writer_at(writer, header->first_stage))->number + 1;
  stage->next = header->first_stage;
  header->first_stage = address;
  return address;
}

void pipeline_writer_close_stage(struct recording_writer *writer, uint64_t stage, uint64_t now)
{
  ((struct fmt_rec_stage *)recording_writer_at(writer, stage))->closed_ticks = now;
}

void pipeline_writer_drop(struct recording_writer *writer, uint64_t stage, uint64_t count)
{
  ((struct fmt_rec_stage *)recording_writer_at(writer, stage))->dropped += count;
}

/* Counts `value` in the histogram whose address is the word at `reference` (an address itself). A value's octave and
 * its place there follow from halving it until it fits. */
static void count(struct recording_writer *writer, uint64_t reference, uint64_t value)
{
  uint64_t address = *(uint64_t *)recording_writer_at(writer, reference);
  if (!address) {
    address = recording_writer_make(writer, FMT_TAG_HISTOGRAM, sizeof(struct fmt_rec_histogram));
    ((struct fmt_rec_histogram *)recording_writer_at(writer, address))->sub_bits = SUB_BITS;
    *(uint64_t *)recording_writer_at(writer, reference) = address;
  }
  unsigned halvings = 0;
  for (; value >> (SUB_BITS + 1); value /= 2)
    halvings++;
  unsigned octave = value >> SUB_BITS ? halvings + 1 : 0;
  uint64_t counters = ((struct fmt_rec_histogram *)recording_writer_at(writer, address))->octaves[octave];
  if (!counters) {
    counters = recording_writer_make(writer, 0, sizeof(uint64_t) << SUB_BITS);
    memset(recording_writer_at(writer, counters), 0, sizeof(uint64_t) << SUB_BITS);
    ((struct fmt_rec_histogram *)recording_writer_at(writer, address))->octaves[octave] = counters;
  }
  ((uint64_t *)recording_writer_at(writer, counters))[value % (1u << SUB_BITS)]++;
}

/* The thread's record of the stage, made when new. */
static uint64_t tasks_of(struct recording_writer *writer, struct recording_thread *thread, uint64_t stage)
{
  uint64_t address = recording_thread_record(thread)->first_tasks;
  for (; address; address = ((struct fmt_rec_tasks *)recording_writer_at(writer, address))->next)
    if (((struct fmt_rec_tasks *)recording_writer_at(writer, address))->stage == stage)
      return address;
  address = recording_writer_make(writer, FMT_TAG_TASKS, sizeof(struct fmt_rec_tasks));
  struct fmt_rec_tasks *tasks = recording_writer_at(writer, address);
  tasks->stage = stage;
  tasks->min = UINT64_MAX;
  tasks->first_ticks = UINT64_MAX;
  tasks->next = recording_thread_record(thread)->first_tasks;
  recording_thread_record(thread)->first_tasks = address;
  return address;
}

void pipeline_writer_task(struct recording_writer *writer, struct recording_thread *thread, uint64_t stage,
                          uint64_t begin, uint64_t end, int failed)
{
  uint64_t address = tasks_of(writer, thread, stage);
  struct fmt_rec_tasks *tasks = recording_writer_at(writer, address);
  uint64_t time = end - begin;
  if (tasks->tasks++ == 0)
    tasks->first_ticks = begin;
  tasks->last_ticks = end;
  if (failed) {
    tasks->failures++;
    tasks->failed_total += time;
    return;
  }
  tasks->total += time;
  tasks->min = time < tasks->min ? time : tasks->min;
  tasks->max = time > tasks->max ? time : tasks->max;
  count(writer, address + offsetof(struct fmt_rec_tasks, histogram), time);
}

void pipeline_writer_gap(struct recording_writer *writer, struct recording_thread *thread, uint64_t stage,
                         uint64_t ticks)
{
  count(writer, tasks_of(writer, thread, stage) + offsetof(struct fmt_rec_tasks, gaps), ticks);
}

uint64_t pipeline_writer_queue(struct recording_writer *writer, uint32_t pipeline, uint32_t index, const char *name,
                               uint64_t capacity, uint64_t opened)
{
  char label[256];
  snprintf(label, sizeof label, "%u:%u:%s", pipeline, index, name);
  uint64_t names[] = {recording_writer_name(writer, name), recording_writer_name(writer, label)};
  uint64_t address = recording_writer_make(writer, FMT_TAG_QUEUE, sizeof(struct fmt_rec_queue));
  struct fmt_rec_queue *queue = recording_writer_at(writer, address);
  struct fmt_rec_header *header = recording_writer_header(writer);
  queue->name = names[0];
  queue->label = names[1];
  queue->pipeline = pipeline;
  queue->index = index;
  queue->capacity = capacity;
  queue->opened_ticks = opened;
  queue->level.empty_ticks = 0 - opened;
  if (header->first_queue)
    queue->number = ((struct fmt_rec_queue *)recording_writer_at(writer, header->first_queue))->number + 1;
  queue->next = header->first_queue;
  header->first_queue = address;
  return address;
}

void pipeline_writer_close_queue(struct recording_writer *writer, uint64_t queue, uint64_t now)
{
  ((struct fmt_rec_queue *)recording_writer_at(writer, queue))->closed_ticks = now;
}

static uint64_t use_of(struct recording_writer *writer, struct recording_thread *thread, uint64_t queue)
{
  uint64_t address = recording_thread_record(thread)->first_queue_use;
  for (; address; address = ((struct fmt_rec_queue_use *)recording_writer_at(writer, address))->next)
    if (((struct fmt_rec_queue_use *)recording_writer_at(writer, address))->queue == queue)
      return address;
  address = recording_writer_make(writer, FMT_TAG_QUEUE_USE, sizeof(struct fmt_rec_queue_use));
  struct fmt_rec_queue_use *use = recording_writer_at(writer, address);
  use->queue = queue;
  use->put_min = use->get_min = UINT64_MAX;
  use->next = recording_thread_record(thread)->first_queue_use;
  recording_thread_record(thread)->first_queue_use = address;
  return address;
}

void pipeline_writer_put(struct recording_writer *writer, struct recording_thread *thread, uint64_t queue,
                         uint64_t begin, uint64_t end)
{
  uint64_t address = use_of(writer, thread, queue), time = end - begin;
  struct fmt_rec_queue_use *use = recording_writer_at(writer, address);
  use->puts++;
  use->put_total += time;
  use->put_min = time < use->put_min ? time : use->put_min;
  use->put_max = time > use->put_max ? time : use->put_max;
  count(writer, address + offsetof(struct fmt_rec_queue_use, put_histogram), time);
  struct fmt_rec_queue *record = recording_writer_at(writer, queue);
  if (record->level.items++ == 0)
    record->level.empty_ticks += end;
  if (record->level.items > record->high_water)
    record->high_water = record->level.items;
}

void pipeline_writer_get(struct recording_writer *writer, struct recording_thread *thread, uint64_t queue,
                         uint64_t begin, uint64_t end)
{
  uint64_t address = use_of(writer, thread, queue), time = end - begin;
  struct fmt_rec_queue_use *use = recording_writer_at(writer, address);
  use->gets++;
  use->get_total += time;
  use->get_min = time < use->get_min ? time : use->get_min;
  use->get_max = time > use->get_max ? time : use->get_max;
  count(writer, address + offsetof(struct fmt_rec_queue_use, get_histogram), time);
  struct fmt_rec_queue *record = recording_writer_at(writer, queue);
  if (--record->level.items == 0)
    record->level.empty_ticks -= end;
}

void pipeline_writer_event(struct recording_writer *writer, const char *name, uint64_t times, uint64_t total)
{
  uint64_t address = recording_writer_header(writer)->first_event;
  for (; address; address = ((struct fmt_rec_event *)recording_writer_at(writer, address))->next) {
    const struct fmt_rec_event *event = recording_writer_at(writer, address);
    if (strcmp(((struct fmt_rec_name *)recording_writer_at(writer, event->name))->text, name) == 0)
      break;
  }
  if (!address) {
    uint64_t text = recording_writer_name(writer, name);
    address = recording_writer_make(writer, FMT_TAG_EVENT, sizeof(struct fmt_rec_event));
    struct fmt_rec_event *event = recording_writer_at(writer, address);
    event->name = text;
    event->next = recording_writer_header(writer)->first_event;
    recording_writer_header(writer)->first_event = address;
  }
  struct fmt_rec_event *event = recording_writer_at(writer, address);
  event->count += times;
  event->total += total;
}
