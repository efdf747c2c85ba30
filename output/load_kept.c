#include <errno.h>
#include <string.h>

#include "load.h"

void cs_kept_init(struct cs_kept *kept)
{
  *kept = (struct cs_kept){.stages = CS_VECTOR_OF(struct cs_kept_stage),
                           .queues = CS_VECTOR_OF(struct cs_kept_queue),
                           .events = CS_VECTOR_OF(struct cs_kept_event),
                           .tasks = CS_VECTOR_OF(struct cs_kept_tasks),
                           .uses = CS_VECTOR_OF(struct cs_kept_use)};
}

void cs_kept_free(struct cs_kept *kept)
{
  struct cs_vector *vectors[] = {&kept->stages, &kept->queues, &kept->events, &kept->tasks, &kept->uses};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    cs_vector_free(vectors[i]);
}

/* The number of the process that a record of a merged recording refers to. */
static uint32_t process_of(struct cs_loader *loader, uint64_t address)
{
  cs_load_choose_process(loader, loader->recording->header.flags & CS_REC_MERGED ? address : 0);
  return loader->number;
}

int cs_load_keep_stage(struct cs_loader *loader, const struct cs_rec_stage *record, uint32_t stage)
{
  struct cs_kept_stage *kept = cs_vector_add(&loader->profile->kept.stages, 1);
  if (!kept)
    return -ENOMEM;
  *kept = (struct cs_kept_stage){.record = *record, .recording = process_of(loader, record->process), .stage = stage};
  return 0;
}

static int load_queues(struct cs_loader *loader, struct cs_vector *list)
{
  struct cs_kept_queue kept = {0};
  uint64_t address = loader->recording->header.first_queue;
  int result;
  while ((result = cs_recording_next(loader->recording, list, address, CS_TAG_QUEUE, &kept.record,
                                     sizeof kept.record)) > 0) {
    kept.recording = process_of(loader, kept.record.process);
    result = cs_load_name(loader, kept.record.name, "?", &kept.name);
    if (result == 0)
      result = cs_load_name(loader, kept.record.label, "?", &kept.label);
    struct cs_kept_queue *added = result == 0 ? cs_vector_add(&loader->profile->kept.queues, 1) : NULL;
    if (!added)
      return -ENOMEM;
    *added = kept;
    address = kept.record.next;
  }
  return result;
}

static int load_events(struct cs_loader *loader)
{
  struct cs_vector list = CS_VECTOR_OF(uint64_t);
  struct cs_kept_event kept = {0};
  uint64_t address = loader->recording->header.first_event;
  int result;
  while ((result = cs_recording_next(loader->recording, &list, address, CS_TAG_EVENT, &kept.record,
                                     sizeof kept.record)) > 0) {
    kept.recording = process_of(loader, kept.record.process);
    result = cs_load_name(loader, kept.record.name, "?", &kept.name);
    struct cs_kept_event *added = result == 0 ? cs_vector_add(&loader->profile->kept.events, 1) : NULL;
    if (!added) {
      result = -ENOMEM;
      break;
    }
    *added = kept;
    address = kept.record.next;
  }
  cs_vector_free(&list);
  return result;
}

static int keep_tasks(struct cs_loader *loader, const struct cs_rec_tasks *record, uint32_t thread)
{
  uint32_t stage = cs_recording_known(loader->recording, &loader->stages, record->stage);
  if (stage == CS_NONE) {
    loader->recording->damaged++;
    return 0;
  }
  struct cs_kept_tasks kept = {.record = *record, .thread = thread, .stage = loader->first_kept_stage + stage};
  int result = cs_load_histogram(loader, record->histogram, &kept.histogram);
  struct cs_kept_tasks *added = result == 0 ? cs_vector_add(&loader->profile->kept.tasks, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

static int keep_use(struct cs_loader *loader, const struct cs_vector *queues, const struct cs_rec_queue_use *record,
                    uint32_t thread)
{
  uint32_t queue = cs_recording_known(loader->recording, queues, record->queue);
  if (queue == CS_NONE) {
    loader->recording->damaged++;
    return 0;
  }
  struct cs_kept_use kept = {.record = *record, .thread = thread, .queue = loader->first_kept_queue + queue};
  int result = cs_load_histogram(loader, record->put_histogram, &kept.put_histogram);
  if (result == 0)
    result = cs_load_histogram(loader, record->get_histogram, &kept.get_histogram);
  struct cs_kept_use *added = result == 0 ? cs_vector_add(&loader->profile->kept.uses, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

/* The records of one thread: its tasks, then its uses of queues. */
static int load_thread(struct cs_loader *loader, const struct cs_kept_lists *lists, uint32_t thread,
                       struct cs_vector *tasks, struct cs_vector *uses, const struct cs_vector *queues)
{
  struct cs_rec_tasks task;
  uint64_t address = lists->first_tasks;
  int result;
  while ((result = cs_recording_next(loader->recording, tasks, address, CS_TAG_TASKS, &task, sizeof task)) > 0) {
    result = keep_tasks(loader, &task, thread);
    if (result < 0)
      return result;
    address = task.next;
  }
  struct cs_rec_queue_use use;
  address = lists->first_queue_use;
  while (result == 0 &&
         (result = cs_recording_next(loader->recording, uses, address, CS_TAG_QUEUE_USE, &use, sizeof use)) > 0) {
    result = keep_use(loader, queues, &use, thread);
    address = use.next;
  }
  return result;
}

int cs_load_kept(struct cs_loader *loader, const struct cs_vector *threads, uint32_t first_thread)
{
  struct cs_vector queues = CS_VECTOR_OF(uint64_t), tasks = CS_VECTOR_OF(uint64_t), uses = CS_VECTOR_OF(uint64_t);
  loader->first_kept_queue = loader->profile->kept.queues.count;
  int result = load_queues(loader, &queues);
  if (result == 0)
    result = load_events(loader);
  for (uint32_t i = 0; i < threads->count && result == 0; i++)
    result = load_thread(loader, cs_vector_at(threads, i), first_thread + i, &tasks, &uses, &queues);
  cs_vector_free(&queues);
  cs_vector_free(&tasks);
  cs_vector_free(&uses);
  return result;
}
