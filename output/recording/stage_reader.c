/* Follows the lists of stage, queue, event, counter, task and use records, and gives each record to the taker. */
#include "output/recording/stage_reader.h"

#include <string.h>

#include "format/index.h"

union record {
  struct fmt_rec_stage stage;
  struct fmt_rec_queue queue;
  struct fmt_rec_event event;
  struct fmt_rec_tasks tasks;
  struct fmt_rec_queue_use use;
  struct fmt_rec_counter counter;
  struct fmt_rec_counter_use counter_use;
};

/* A kind of record: how it is followed, and given. */
struct kind {
  uint32_t tag;
  size_t size, next; /* next: where its `next` lies */
  int (*give)(struct out_stage_reader *reader, const union record *record, uint64_t address);
};

static int give_stage(struct out_stage_reader *reader, const union record *record, uint64_t address)
{
  (void)address;
  return reader->taker->stage(reader->data, &record->stage);
}

static int give_queue(struct out_stage_reader *reader, const union record *record, uint64_t address)
{
  return reader->taker->queue(reader->data, &record->queue, address);
}

static int give_event(struct out_stage_reader *reader, const union record *record, uint64_t address)
{
  (void)address;
  return reader->taker->event(reader->data, &record->event);
}

static int give_tasks(struct out_stage_reader *reader, const union record *record, uint64_t address)
{
  (void)address;
  uint32_t stage = out_recording_known(reader->recording, &reader->stages, record->tasks.stage);
  if (stage != FMT_NONE)
    return reader->taker->tasks(reader->data, &record->tasks, stage);
  reader->recording->damaged++;
  return 0;
}

static int give_use(struct out_stage_reader *reader, const union record *record, uint64_t address)
{
  (void)address;
  uint32_t queue = out_recording_known(reader->recording, &reader->queues, record->use.queue);
  if (queue != FMT_NONE)
    return reader->taker->queue_use(reader->data, &record->use, queue);
  reader->recording->damaged++;
  return 0;
}

static int give_counter(struct out_stage_reader *reader, const union record *record, uint64_t address)
{
  (void)address;
  return reader->taker->counter(reader->data, &record->counter);
}

static int give_counter_use(struct out_stage_reader *reader, const union record *record, uint64_t address)
{
  (void)address;
  const struct fmt_rec_counter_use *use = &record->counter_use;
  const unsigned most_shift = 63;
  const uint32_t counter = out_recording_known(reader->recording, &reader->counters, use->counter);
  const uint32_t stage = use->stage ? out_recording_known(reader->recording, &reader->stages, use->stage) : FMT_NONE;
  if (counter != FMT_NONE && (stage != FMT_NONE) == (use->stage != 0) && use->shift <= most_shift)
    return reader->taker->counter_use(reader->data, use, counter, stage);
  reader->recording->damaged++;
  return 0;
}

#define KIND(tag, type, give)                                                                                          \
  {                                                                                                                    \
    tag, sizeof(struct type), offsetof(struct type, next), give                                                        \
  }
static const struct kind stage_kind = KIND(FMT_TAG_STAGE, fmt_rec_stage, give_stage);
static const struct kind queue_kind = KIND(FMT_TAG_QUEUE, fmt_rec_queue, give_queue);
static const struct kind event_kind = KIND(FMT_TAG_EVENT, fmt_rec_event, give_event);
static const struct kind tasks_kind = KIND(FMT_TAG_TASKS, fmt_rec_tasks, give_tasks);
static const struct kind use_kind = KIND(FMT_TAG_QUEUE_USE, fmt_rec_queue_use, give_use);
static const struct kind counter_kind = KIND(FMT_TAG_COUNTER, fmt_rec_counter, give_counter);
static const struct kind counter_use_kind = KIND(FMT_TAG_COUNTER_USE, fmt_rec_counter_use, give_counter_use);

static int follow(struct out_stage_reader *reader, struct base_vector *list, uint64_t address, const struct kind *kind)
{
  union record record;
  int result;
  while ((result = out_recording_next(reader->recording, list, address, kind->tag, &record, kind->size)) > 0) {
    result = kind->give(reader, &record, address);
    if (result < 0)
      break;
    memcpy(&address, (const char *)&record + kind->next, sizeof address);
  }
  return result;
}

void out_stage_reader_init(struct out_stage_reader *reader, struct out_recording *recording,
                           const struct out_stage_taker *taker, void *data)
{
  *reader = (struct out_stage_reader){.recording = recording,
                                      .taker = taker,
                                      .data = data,
                                      .stages = BASE_VECTOR_OF(uint64_t),
                                      .queues = BASE_VECTOR_OF(uint64_t),
                                      .events = BASE_VECTOR_OF(uint64_t),
                                      .counters = BASE_VECTOR_OF(uint64_t),
                                      .tasks = BASE_VECTOR_OF(uint64_t),
                                      .uses = BASE_VECTOR_OF(uint64_t),
                                      .counter_uses = BASE_VECTOR_OF(uint64_t)};
}

void out_stage_reader_free(struct out_stage_reader *reader)
{
  struct base_vector *vectors[] = {&reader->stages, &reader->queues, &reader->events,      &reader->counters,
                                   &reader->tasks,  &reader->uses,   &reader->counter_uses};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
}

int out_stage_reader_stages(struct out_stage_reader *reader)
{
  return follow(reader, &reader->stages, reader->recording->header.first_stage, &stage_kind);
}

int out_stage_reader_queues(struct out_stage_reader *reader)
{
  return follow(reader, &reader->queues, reader->recording->header.first_queue, &queue_kind);
}

int out_stage_reader_events(struct out_stage_reader *reader)
{
  return follow(reader, &reader->events, reader->recording->header.first_event, &event_kind);
}

int out_stage_reader_counters(struct out_stage_reader *reader)
{
  return follow(reader, &reader->counters, reader->recording->header.first_counter, &counter_kind);
}

int out_stage_reader_thread(struct out_stage_reader *reader, const struct out_thread_lists *lists)
{
  int result = follow(reader, &reader->tasks, lists->first_tasks, &tasks_kind);
  if (result == 0)
    result = follow(reader, &reader->uses, lists->first_queue_use, &use_kind);
  return result < 0 ? result : follow(reader, &reader->counter_uses, lists->first_counter_use, &counter_use_kind);
}

bool out_stage_reader_work(struct out_recording *recording, const struct fmt_rec_tasks *tasks,
                           struct fmt_rec_task_work *work)
{
  const unsigned most = 63;
  const struct fmt_rec_task_work *record =
      tasks->work ? out_recording_record(recording, tasks->work, FMT_TAG_TASK_WORK, sizeof *record) : NULL;
  const bool is_there = record && record->shift <= most;
  if (is_there)
    *work = *record;
  recording->damaged += tasks->work && !is_there;
  return is_there;
}

bool out_stage_reader_waits(struct out_recording *recording, const struct fmt_rec_tasks *tasks,
                            struct fmt_rec_task_waits *waits)
{
  const struct fmt_rec_task_waits *record =
      tasks->waits ? out_recording_record(recording, tasks->waits, FMT_TAG_TASK_WAITS, sizeof *record) : NULL;
  if (record)
    *waits = *record;
  recording->damaged += tasks->waits && !record;
  return record != NULL;
}

bool out_stage_reader_times(struct out_recording *recording, const struct fmt_rec_event *event,
                            struct fmt_rec_event_times *times)
{
  const struct fmt_rec_event_times *record =
      event->times ? out_recording_record(recording, event->times, FMT_TAG_EVENT_TIMES, sizeof *record) : NULL;
  if (record)
    *times = *record;
  recording->damaged += event->times && !record;
  return record != NULL;
}

void out_stage_reader_forget_threads(struct out_stage_reader *reader)
{
  out_recording_unnumber(reader->recording, &reader->tasks);
  out_recording_unnumber(reader->recording, &reader->uses);
  out_recording_unnumber(reader->recording, &reader->counter_uses);
}

int out_stage_reader_find(struct out_stage_reader *reader, uint64_t address, uint32_t *number)
{
  struct out_record record;
  int found = out_recording_number(reader->recording, &reader->stages, address, FMT_TAG_STAGE,
                                   sizeof(struct fmt_rec_stage), number, &record);
  if (found < 0 || found == OUT_RECORD_BAD)
    *number = FMT_NONE;
  if (found != OUT_RECORD_NEW)
    return found < 0 ? found : 0;
  struct fmt_rec_stage stage;
  memcpy(&stage, record.data, sizeof stage);
  return reader->taker->stage(reader->data, &stage);
}
