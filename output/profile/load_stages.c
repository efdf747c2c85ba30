/* Keeps the records of stages, queues and events, and of what threads did with them, in a profile. */
#include <errno.h>

#include "output/profile/load.h"

/* The number of the process that a record of a merged recording refers to. */
static uint32_t process_of(struct out_loader *loader, uint64_t address)
{
  out_load_choose_process(loader, loader->recording->header.flags & FMT_REC_MERGED ? address : 0);
  return loader->number;
}

static int take_stage(void *data, const struct fmt_rec_stage *record)
{
  struct out_loader *loader = data;
  struct out_known_stage stage = {
      .pipeline = record->pipeline, .index = record->index, .concurrency = record->concurrency};
  struct out_stage_record kept = {.record = *record};
  int result = out_load_name(loader, record->label, "?", &stage.label);
  if (result == 0)
    result = out_load_name(loader, record->name, "?", &stage.name);
  if (result == 0)
    result = out_profile_intern_stage(loader->profile, &stage, &kept.stage);
  struct out_stage_record *added = result == 0 ? base_vector_add(&loader->profile->stage_records.stages, 1) : NULL;
  uint32_t *stage_of = added ? base_vector_add(&loader->stage_of, 1) : NULL;
  if (!stage_of)
    return -ENOMEM;
  kept.recording = process_of(loader, record->process);
  *added = kept;
  *stage_of = kept.stage;
  return 0;
}

static int take_queue(void *data, const struct fmt_rec_queue *record, uint64_t address)
{
  (void)address;
  struct out_loader *loader = data;
  struct out_queue_record kept = {.record = *record, .recording = process_of(loader, record->process)};
  int result = out_load_name(loader, record->name, "?", &kept.name);
  if (result == 0)
    result = out_load_name(loader, record->label, "?", &kept.label);
  struct out_queue_record *added = result == 0 ? base_vector_add(&loader->profile->stage_records.queues, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

static int take_event(void *data, const struct fmt_rec_event *record)
{
  struct out_loader *loader = data;
  struct out_event_record kept = {.record = *record, .recording = process_of(loader, record->process)};
  int result = out_load_name(loader, record->name, "?", &kept.name);
  kept.has_times = out_stage_reader_times(loader->recording, record, &kept.times);
  struct out_event_record *added = result == 0 ? base_vector_add(&loader->profile->stage_records.events, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

/* The numbers of edges instead of their addresses. What another reader could not know is damage, and left out. */
static void number_edges(struct out_loader *loader, struct fmt_rec_task_waits *waits)
{
  for (unsigned i = 0; i < FMT_WAIT_SLOTS; i++) {
    struct fmt_rec_task_wait *slot = &waits->slots[i];
    if (slot->edge == 0)
      continue;
    const uint32_t number = out_recording_known(loader->recording, &loader->edges, slot->edge);
    if (slot->kind >= FMT_WAIT_KINDS || number == FMT_NONE ||
        out_profile_edge(loader->profile, loader->first_edge + number)->to == FMT_NONE) {
      loader->recording->damaged++;
      *slot = (struct fmt_rec_task_wait){0};
    } else
      slot->edge = loader->first_edge + number + 1u;
  }
}

static int take_tasks(void *data, const struct fmt_rec_tasks *record, uint32_t stage)
{
  struct out_loader *loader = data;
  struct out_tasks_record kept = {
      .record = *record, .thread = loader->task_thread, .stage = loader->first_stage_record + stage};
  int result = out_load_histogram(loader, record->histogram, &kept.histogram);
  if (result == 0)
    result = out_load_histogram(loader, record->gaps, &kept.gaps);
  kept.has_work = out_stage_reader_work(loader->recording, record, &kept.work);
  kept.has_waits = out_stage_reader_waits(loader->recording, record, &kept.waits);
  if (kept.has_waits)
    number_edges(loader, &kept.waits);
  struct out_tasks_record *added = result == 0 ? base_vector_add(&loader->profile->stage_records.tasks, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

static int take_queue_use(void *data, const struct fmt_rec_queue_use *record, uint32_t queue)
{
  struct out_loader *loader = data;
  struct out_queue_use_record kept = {
      .record = *record, .thread = loader->task_thread, .queue = loader->first_queue_record + queue};
  int result = out_load_histogram(loader, record->put_histogram, &kept.put_histogram);
  if (result == 0)
    result = out_load_histogram(loader, record->get_histogram, &kept.get_histogram);
  struct out_queue_use_record *added = result == 0 ? base_vector_add(&loader->profile->stage_records.uses, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

static int take_counter(void *data, const struct fmt_rec_counter *record)
{
  struct out_loader *loader = data;
  struct out_counter_record kept = {.record = *record, .recording = process_of(loader, record->process)};
  int result = out_load_name(loader, record->name, "?", &kept.key);
  struct out_counter_record *added = result == 0 ? base_vector_add(&loader->profile->stage_records.counters, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

static int take_counter_use(void *data, const struct fmt_rec_counter_use *record, uint32_t counter, uint32_t stage)
{
  struct out_loader *loader = data;
  struct out_counter_use_record *added = base_vector_add(&loader->profile->stage_records.counter_uses, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_counter_use_record){.record = *record,
                                           .thread = loader->task_thread,
                                           .counter = loader->first_counter_record + counter,
                                           .stage = stage == FMT_NONE ? FMT_NONE : loader->first_stage_record + stage};
  return 0;
}

const struct out_stage_taker out_load_stage_taker = {.stage = take_stage,
                                                     .queue = take_queue,
                                                     .event = take_event,
                                                     .tasks = take_tasks,
                                                     .queue_use = take_queue_use,
                                                     .counter = take_counter,
                                                     .counter_use = take_counter_use};

int out_load_stage(struct out_loader *loader, uint64_t address, uint32_t *stage)
{
  uint32_t number;
  int result = out_stage_reader_find(&loader->stages, address, &number);
  *stage = result == 0 && number != FMT_NONE ? *(uint32_t *)base_vector_at(&loader->stage_of, number) : 0;
  return result;
}

int out_load_stage_records(struct out_loader *loader, const struct base_vector *threads, uint32_t first_thread)
{
  loader->first_queue_record = loader->profile->stage_records.queues.count;
  loader->first_counter_record = loader->profile->stage_records.counters.count;
  int result = out_stage_reader_queues(&loader->stages);
  if (result == 0)
    result = out_stage_reader_events(&loader->stages);
  if (result == 0)
    result = out_stage_reader_counters(&loader->stages);
  for (uint32_t i = 0; i < threads->count && result == 0; i++) {
    loader->task_thread = first_thread + i;
    result = out_stage_reader_thread(&loader->stages, base_vector_at(threads, i));
  }
  return result;
}
