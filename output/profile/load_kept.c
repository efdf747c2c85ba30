/* Keeps the records of stages, queues and events, and of what threads did with them. */
#include <errno.h>
#include <string.h>

#include "output/profile/load.h"

/* The number of the process that a record of a merged recording refers to. */
static uint32_t process_of(struct out_loader *loader, uint64_t address)
{
  out_load_choose_process(loader, loader->recording->header.flags & FMT_REC_MERGED ? address : 0);
  return loader->number;
}

int out_load_keep_stage(struct out_loader *loader, const struct fmt_rec_stage *record, uint32_t stage)
{
  struct out_kept_stage *kept = base_vector_add(&loader->profile->kept.stages, 1);
  if (!kept)
    return -ENOMEM;
  *kept = (struct out_kept_stage){.record = *record, .recording = process_of(loader, record->process), .stage = stage};
  return 0;
}

static int load_queues(struct out_loader *loader, struct base_vector *list)
{
  struct out_kept_queue kept = {0};
  uint64_t address = loader->recording->header.first_queue;
  int result;
  while ((result = out_recording_next(loader->recording, list, address, FMT_TAG_QUEUE, &kept.record,
                                      sizeof kept.record)) > 0) {
    kept.recording = process_of(loader, kept.record.process);
    result = out_load_name(loader, kept.record.name, "?", &kept.name);
    if (result == 0)
      result = out_load_name(loader, kept.record.label, "?", &kept.label);
    struct out_kept_queue *added = result == 0 ? base_vector_add(&loader->profile->kept.queues, 1) : NULL;
    if (!added)
      return -ENOMEM;
    *added = kept;
    address = kept.record.next;
  }
  return result;
}

static int load_events(struct out_loader *loader)
{
  struct base_vector list = BASE_VECTOR_OF(uint64_t);
  struct out_kept_event kept = {0};
  uint64_t address = loader->recording->header.first_event;
  int result;
  while ((result = out_recording_next(loader->recording, &list, address, FMT_TAG_EVENT, &kept.record,
                                      sizeof kept.record)) > 0) {
    kept.recording = process_of(loader, kept.record.process);
    result = out_load_name(loader, kept.record.name, "?", &kept.name);
    struct out_kept_event *added = result == 0 ? base_vector_add(&loader->profile->kept.events, 1) : NULL;
    if (!added) {
      result = -ENOMEM;
      break;
    }
    *added = kept;
    address = kept.record.next;
  }
  base_vector_free(&list);
  return result;
}

static int keep_tasks(struct out_loader *loader, const struct fmt_rec_tasks *record, uint32_t thread)
{
  uint32_t stage = out_recording_known(loader->recording, &loader->stages, record->stage);
  if (stage == FMT_NONE) {
    loader->recording->damaged++;
    return 0;
  }
  struct out_kept_tasks kept = {.record = *record, .thread = thread, .stage = loader->first_kept_stage + stage};
  int result = out_load_histogram(loader, record->histogram, &kept.histogram);
  struct out_kept_tasks *added = result == 0 ? base_vector_add(&loader->profile->kept.tasks, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

static int keep_use(struct out_loader *loader, const struct base_vector *queues, const struct fmt_rec_queue_use *record,
                    uint32_t thread)
{
  uint32_t queue = out_recording_known(loader->recording, queues, record->queue);
  if (queue == FMT_NONE) {
    loader->recording->damaged++;
    return 0;
  }
  struct out_kept_use kept = {.record = *record, .thread = thread, .queue = loader->first_kept_queue + queue};
  int result = out_load_histogram(loader, record->put_histogram, &kept.put_histogram);
  if (result == 0)
    result = out_load_histogram(loader, record->get_histogram, &kept.get_histogram);
  struct out_kept_use *added = result == 0 ? base_vector_add(&loader->profile->kept.uses, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = kept;
  return 0;
}

/* The records of one thread: its tasks, then its uses of queues. */
static int load_thread(struct out_loader *loader, const struct out_kept_lists *lists, uint32_t thread,
                       struct base_vector *tasks, struct base_vector *uses, const struct base_vector *queues)
{
  struct fmt_rec_tasks task;
  uint64_t address = lists->first_tasks;
  int result;
  while ((result = out_recording_next(loader->recording, tasks, address, FMT_TAG_TASKS, &task, sizeof task)) > 0) {
    result = keep_tasks(loader, &task, thread);
    if (result < 0)
      return result;
    address = task.next;
  }
  struct fmt_rec_queue_use use;
  address = lists->first_queue_use;
  while (result == 0 &&
         (result = out_recording_next(loader->recording, uses, address, FMT_TAG_QUEUE_USE, &use, sizeof use)) > 0) {
    result = keep_use(loader, queues, &use, thread);
    address = use.next;
  }
  return result;
}

int out_load_kept(struct out_loader *loader, const struct base_vector *threads, uint32_t first_thread)
{
  struct base_vector queues = BASE_VECTOR_OF(uint64_t), tasks = BASE_VECTOR_OF(uint64_t),
                     uses = BASE_VECTOR_OF(uint64_t);
  loader->first_kept_queue = loader->profile->kept.queues.count;
  int result = load_queues(loader, &queues);
  if (result == 0)
    result = load_events(loader);
  for (uint32_t i = 0; i < threads->count && result == 0; i++)
    result = load_thread(loader, base_vector_at(threads, i), first_thread + i, &tasks, &uses, &queues);
  base_vector_free(&queues);
  base_vector_free(&tasks);
  base_vector_free(&uses);
  return result;
}
