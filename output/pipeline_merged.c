/* A merged recording's stages, queues and events: those of one process, as in its own recording. */
#include <errno.h>
#include <string.h>

#include "message.h"
#include "pipeline.h"

/* The process that a record refers to becomes the only one; false when another one is already. */
static bool agree(uint64_t process, uint64_t *only)
{
  bool same = *only == 0 || process == 0 || process == *only;
  if (*only == 0)
    *only = process;
  return same;
}

/* Follows three lists. What is damaged ends a list here, and is counted when the list is read. */
static bool agree_all(struct cs_recording *recording, uint64_t *only)
{
  bool same = true;
  const struct cs_rec_stage *stage;
  for (uint64_t at = recording->header.first_stage; same && at && cs_recording_spend(recording, sizeof *stage);) {
    stage = cs_recording_record(recording, at, CS_TAG_STAGE, sizeof *stage);
    same = !stage || agree(stage->process, only);
    at = stage ? stage->next : 0;
  }
  struct cs_rec_queue queue;
  for (uint64_t at = recording->header.first_queue; same && at && cs_recording_spend(recording, sizeof queue);) {
    const void *record = cs_recording_record(recording, at, CS_TAG_QUEUE, sizeof queue);
    memcpy(&queue, record ? record : &(struct cs_rec_queue){0}, sizeof queue);
    same = agree(queue.process, only);
    at = queue.next;
  }
  const struct cs_rec_event *event;
  for (uint64_t at = recording->header.first_event; same && at && cs_recording_spend(recording, sizeof *event);) {
    event = cs_recording_record(recording, at, CS_TAG_EVENT, sizeof *event);
    same = !event || agree(event->process, only);
    at = event ? event->next : 0;
  }
  return same;
}

int cs_pipeline_adopt(struct cs_recording *recording)
{
  struct cs_rec_header *header = &recording->header;
  uint64_t only = 0;
  if (!(header->flags & CS_REC_MERGED))
    return 0;
  if (!agree_all(recording, &only))
    return cs_stats_fail(-ENOTSUP,
                         "%s: holds the stages and queues of several processes, each with a clock of its own; name the "
                         "recording of one process",
                         recording->path);
  const struct cs_rec_process *process =
      cs_recording_record(recording, only ? only : header->first_process, CS_TAG_PROCESS, sizeof *process);
  if (!process)
    return 0;
  header->pid = process->pid;
  header->ppid = process->ppid;
  header->clock = process->clock;
  header->injected_hz = process->injected_hz;
  header->start_realtime_ns = process->start_realtime_ns;
  header->start = process->start;
  header->last = process->last;
  header->program = process->program;
  header->command = process->command;
  header->rank_source = process->rank_source;
  header->rank = process->rank;
  return 0;
}
