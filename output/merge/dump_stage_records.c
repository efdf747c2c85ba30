/* Stages, queues, events and counters, and what threads did with them. */
#include <errno.h>
#include <stdlib.h>

#include "output/merge/dump.h"

static uint64_t process_address(const struct out_dump *dump, uint32_t recording)
{
  return dump->processes + recording * sizeof(struct fmt_rec_process);
}

/* From the last to the first, so that the list has the profile's order. */
static void put_stages(struct out_dump *dump)
{
  const struct base_vector *kept = &dump->profile->stage_records.stages;
  uint64_t next = 0;
  for (uint32_t i = kept->count; i-- > 0;) {
    const struct out_stage_record *stage = base_vector_at(kept, i);
    const struct out_known_stage *known = out_profile_stage(dump->profile, stage->stage);
    struct fmt_rec_stage record = stage->record;
    record.tag = (struct fmt_rec_tag)OUT_DUMP_TAG(FMT_TAG_STAGE, record);
    record.next = next;
    record.name = out_dump_string(dump, known->name);
    record.label = out_dump_string(dump, known->label);
    record.process = process_address(dump, stage->recording);
    next = dump->stage_records[i] = dump->stages[stage->stage] = out_dump_put(dump, &record, sizeof record);
  }
  dump->header.first_stage = next;
}

static void put_queues(struct out_dump *dump)
{
  const struct base_vector *kept = &dump->profile->stage_records.queues;
  uint64_t next = 0;
  for (uint32_t i = kept->count; i-- > 0;) {
    const struct out_queue_record *queue = base_vector_at(kept, i);
    struct fmt_rec_queue record = queue->record;
    record.tag = (struct fmt_rec_tag)OUT_DUMP_TAG(FMT_TAG_QUEUE, record);
    record.next = next;
    record.name = out_dump_string(dump, queue->name);
    record.label = out_dump_string(dump, queue->label);
    record.process = process_address(dump, queue->recording);
    /* Its level is a word of 16 bytes. */
    if (dump->next % 16)
      out_dump_put(dump, &(uint64_t){0}, sizeof(uint64_t));
    next = dump->queue_records[i] = out_dump_put(dump, &record, sizeof record);
  }
  dump->header.first_queue = next;
}

static void put_events(struct out_dump *dump)
{
  const struct base_vector *kept = &dump->profile->stage_records.events;
  uint64_t next = 0;
  for (uint32_t i = kept->count; i-- > 0;) {
    const struct out_event_record *event = base_vector_at(kept, i);
    struct fmt_rec_event record = event->record;
    record.tag = (struct fmt_rec_tag)OUT_DUMP_TAG(FMT_TAG_EVENT, record);
    record.next = next;
    record.name = out_dump_string(dump, event->name);
    record.process = process_address(dump, event->recording);
    record.times = event->has_times ? out_dump_put(dump, &event->times, sizeof event->times) : 0;
    next = dump->event_records[i] = out_dump_put(dump, &record, sizeof record);
  }
  dump->header.first_event = next;
}

static void put_counters(struct out_dump *dump)
{
  const struct base_vector *kept = &dump->profile->stage_records.counters;
  uint64_t next = 0;
  for (uint32_t i = kept->count; i-- > 0;) {
    const struct out_counter_record *counter = base_vector_at(kept, i);
    struct fmt_rec_counter record = counter->record;
    record.tag = (struct fmt_rec_tag)OUT_DUMP_TAG(FMT_TAG_COUNTER, record);
    record.next = next;
    record.name = out_dump_string(dump, counter->key);
    record.process = process_address(dump, counter->recording);
    next = dump->counter_records[i] = out_dump_put(dump, &record, sizeof record);
  }
  dump->header.first_counter = next;
}

int out_dump_stages(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  dump->stages = calloc(profile->stages.count + 1u, sizeof *dump->stages);
  dump->stage_records = calloc(profile->stage_records.stages.count + 1u, sizeof *dump->stage_records);
  dump->queue_records = calloc(profile->stage_records.queues.count + 1u, sizeof *dump->queue_records);
  dump->event_records = calloc(profile->stage_records.events.count + 1u, sizeof *dump->event_records);
  dump->counter_records = calloc(profile->stage_records.counters.count + 1u, sizeof *dump->counter_records);
  if (!dump->stages || !dump->stage_records || !dump->queue_records || !dump->event_records || !dump->counter_records)
    return -ENOMEM;
  put_stages(dump);
  put_queues(dump);
  put_events(dump);
  put_counters(dump);
  return 0;
}

static uint64_t histogram_address(struct out_dump *dump, uint32_t number)
{
  return number == FMT_NONE ? 0 : out_dump_times(dump, number);
}

static uint64_t put_waits(struct out_dump *dump, const struct out_tasks_record *tasks)
{
  struct fmt_rec_task_waits record = tasks->waits;
  if (!tasks->has_waits)
    return 0;
  for (unsigned i = 0; i < FMT_WAIT_SLOTS; i++)
    record.slots[i].edge = record.slots[i].edge ? dump->edges[record.slots[i].edge - 1] : 0;
  return out_dump_put(dump, &record, sizeof record);
}

static void put_tasks(struct out_dump *dump)
{
  const struct base_vector *kept = &dump->profile->stage_records.tasks;
  for (uint32_t i = kept->count; i-- > 0;) {
    const struct out_tasks_record *tasks = base_vector_at(kept, i);
    struct fmt_rec_tasks record = tasks->record;
    record.tag = (struct fmt_rec_tag)OUT_DUMP_TAG(FMT_TAG_TASKS, record);
    record.next = dump->first_tasks[tasks->thread];
    record.stage = dump->stage_records[tasks->stage];
    record.histogram = histogram_address(dump, tasks->histogram);
    record.gaps = histogram_address(dump, tasks->gaps);
    record.work = tasks->has_work ? out_dump_put(dump, &tasks->work, sizeof tasks->work) : 0;
    record.waits = put_waits(dump, tasks);
    dump->first_tasks[tasks->thread] = out_dump_put(dump, &record, sizeof record);
  }
}

static void put_uses(struct out_dump *dump)
{
  const struct base_vector *kept = &dump->profile->stage_records.uses;
  for (uint32_t i = kept->count; i-- > 0;) {
    const struct out_queue_use_record *use = base_vector_at(kept, i);
    struct fmt_rec_queue_use record = use->record;
    record.tag = (struct fmt_rec_tag)OUT_DUMP_TAG(FMT_TAG_QUEUE_USE, record);
    record.next = dump->first_uses[use->thread];
    record.queue = dump->queue_records[use->queue];
    record.put_histogram = histogram_address(dump, use->put_histogram);
    record.get_histogram = histogram_address(dump, use->get_histogram);
    dump->first_uses[use->thread] = out_dump_put(dump, &record, sizeof record);
  }
}

static void put_counter_uses(struct out_dump *dump)
{
  const struct base_vector *kept = &dump->profile->stage_records.counter_uses;
  for (uint32_t i = kept->count; i-- > 0;) {
    const struct out_counter_use_record *use = base_vector_at(kept, i);
    struct fmt_rec_counter_use record = use->record;
    record.tag = (struct fmt_rec_tag)OUT_DUMP_TAG(FMT_TAG_COUNTER_USE, record);
    record.next = dump->first_counter_uses[use->thread];
    record.counter = dump->counter_records[use->counter];
    record.stage = use->stage == FMT_NONE ? 0 : dump->stage_records[use->stage];
    dump->first_counter_uses[use->thread] = out_dump_put(dump, &record, sizeof record);
  }
}

int out_dump_uses(struct out_dump *dump)
{
  uint32_t threads = dump->profile->threads.count;
  dump->first_tasks = calloc(threads + 1u, sizeof *dump->first_tasks);
  dump->first_uses = calloc(threads + 1u, sizeof *dump->first_uses);
  dump->first_counter_uses = calloc(threads + 1u, sizeof *dump->first_counter_uses);
  if (!dump->first_tasks || !dump->first_uses || !dump->first_counter_uses)
    return -ENOMEM;
  put_tasks(dump);
  put_uses(dump);
  put_counter_uses(dump);
  return 0;
}
