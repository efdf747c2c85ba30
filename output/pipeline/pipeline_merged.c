/* A merged recording's stages, queues and events: those of each process, as in its own recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/pipeline.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"

/* What refers to no process of the list belongs to the first. */
static void mark(const struct out_recording *recording, uint64_t process, struct out_pipeline_processes *processes)
{
  uint32_t number = out_recording_known(recording, &processes->list, process);
  uint8_t *has = &processes->has[number == FMT_NONE ? 0 : number];
  processes->count += !*has;
  *has = 1;
}

static int list_processes(struct out_recording *recording, struct base_vector *list)
{
  struct fmt_rec_process record;
  uint64_t address = recording->header.first_process;
  int result;
  while ((result = out_recording_next(recording, list, address, FMT_TAG_PROCESS, &record, sizeof record)) > 0)
    address = record.next;
  return result;
}

/* The three lists that begin in the header. */
static int mark_all(struct out_recording *recording, struct base_vector *numbered,
                    struct out_pipeline_processes *processes)
{
  union {
    struct fmt_rec_stage stage;
    struct fmt_rec_queue queue;
    struct fmt_rec_event event;
  } record;
  uint64_t address = recording->header.first_stage;
  int result;
  while ((result = out_recording_next(recording, numbered, address, FMT_TAG_STAGE, &record, sizeof record.stage)) > 0) {
    mark(recording, record.stage.process, processes);
    address = record.stage.next;
  }
  address = recording->header.first_queue;
  while (result == 0 &&
         (result = out_recording_next(recording, numbered, address, FMT_TAG_QUEUE, &record, sizeof record.queue)) > 0) {
    mark(recording, record.queue.process, processes);
    address = record.queue.next;
    result = 0;
  }
  address = recording->header.first_event;
  while (result == 0 &&
         (result = out_recording_next(recording, numbered, address, FMT_TAG_EVENT, &record, sizeof record.event)) > 0) {
    mark(recording, record.event.process, processes);
    address = record.event.next;
    result = 0;
  }
  return result;
}

int out_pipeline_find_processes(struct out_recording *recording, struct out_pipeline_processes *processes)
{
  struct base_vector numbered = BASE_VECTOR_OF(uint64_t);
  uint64_t damaged = recording->damaged;
  *processes = (struct out_pipeline_processes){.list = BASE_VECTOR_OF(uint64_t)};
  if (!(recording->header.flags & FMT_REC_MERGED))
    return 0;
  int result = list_processes(recording, &processes->list);
  if (result == 0 && processes->list.count > 0) {
    processes->has = calloc(processes->list.count, sizeof *processes->has);
    result = processes->has ? mark_all(recording, &numbered, processes) : -ENOMEM;
  }
  base_vector_free(&numbered);
  out_recording_forget_numbers(recording);
  /* It is counted when everything is read. */
  recording->damaged = damaged;
  if (result < 0)
    out_pipeline_processes_free(processes);
  return result;
}

void out_pipeline_processes_free(struct out_pipeline_processes *processes)
{
  base_vector_free(&processes->list);
  free(processes->has);
  processes->has = NULL;
}

void out_pipeline_adopt(struct out_recording *recording, uint64_t address)
{
  struct fmt_rec_header *header = &recording->header;
  const struct fmt_rec_process *process = out_recording_record(recording, address, FMT_TAG_PROCESS, sizeof *process);
  if (!process)
    return;
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
}

int out_pipeline_read_process(struct out_recording *recording, uint32_t process, struct callsig_pipeline **read)
{
  struct out_pipeline_processes processes;
  *read = NULL;
  if (out_pipeline_find_processes(recording, &processes) < 0)
    return out_stats_no_memory();
  int result = process > 0 && process <= processes.list.count
                   ? 0
                   : out_stats_fail(-EINVAL, "%s: there is no process %u in it", recording->path, process);
  if (result == 0) {
    out_pipeline_adopt(recording, *(const uint64_t *)base_vector_at(&processes.list, process - 1));
    result = out_pipeline_read_part(recording, process, NULL, read);
  }
  out_pipeline_processes_free(&processes);
  return result;
}

int out_pipeline_read(struct out_recording *recording, const struct fmt_rec_clock_point *now,
                      struct callsig_pipeline **read)
{
  struct out_pipeline_processes processes;
  *read = NULL;
  if (out_pipeline_find_processes(recording, &processes) < 0)
    return out_stats_no_memory();
  uint32_t chosen = 0;
  while (processes.count == 1 && !processes.has[chosen])
    chosen++;
  int result = 0;
  if (processes.count > 1)
    result = out_stats_fail(-ENOTSUP,
                            "%s: holds the stages and queues of several processes, each with a clock of its own; name "
                            "the recording of one process",
                            recording->path);
  else if (processes.list.count > 0)
    out_pipeline_adopt(recording, *(const uint64_t *)base_vector_at(&processes.list, chosen));
  out_pipeline_processes_free(&processes);
  return result < 0 ? result : out_pipeline_read_part(recording, 0, now, read);
}

int out_pipeline_stats(const struct callsig_pipeline *pipeline, struct callsig_stats **stats)
{
  int result = callsig_stats_load(pipeline->file, stats);
  if (result == 0)
    (*stats)->only_process = pipeline->only_process;
  return result;
}
