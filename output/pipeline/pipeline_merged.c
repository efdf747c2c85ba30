/* A merged recording's stages, queues and events: those of each process, as in its own recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/pipeline.h"
#include "output/recording/stage_reader.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"

struct marking {
  const struct out_recording *recording;
  struct out_pipeline_processes *processes;
};

/* What refers to no process of the list belongs to the first. */
static int mark(struct marking *marking, uint64_t process)
{
  struct out_pipeline_processes *processes = marking->processes;
  uint32_t number = out_recording_known(marking->recording, &processes->list, process);
  uint8_t *has = &processes->has[number == FMT_NONE ? 0 : number];
  processes->count += !*has;
  *has = 1;
  return 0;
}

static int mark_of_stage(void *data, const struct fmt_rec_stage *record)
{
  return mark(data, record->process);
}

static int mark_of_queue(void *data, const struct fmt_rec_queue *record, uint64_t address)
{
  (void)address;
  return mark(data, record->process);
}

static int mark_of_event(void *data, const struct fmt_rec_event *record)
{
  return mark(data, record->process);
}

static int mark_of_counter(void *data, const struct fmt_rec_counter *record)
{
  return mark(data, record->process);
}

static int list_processes(struct out_recording *recording, struct base_vector *list)
{
  struct fmt_rec_process record;
  uint64_t address = recording->header.first_process;
  int result;
  while ((result = out_recording_next(recording, list, address, FMT_TAG_PROCESS, &record, FMT_REC_PROCESS_LEAST)) > 0)
    address = record.next;
  return result;
}

/* Marks the processes that stages, queues and events refer to. */
static int mark_all(struct out_recording *recording, struct out_pipeline_processes *processes)
{
  static const struct out_stage_taker taker = {
      .stage = mark_of_stage, .queue = mark_of_queue, .event = mark_of_event, .counter = mark_of_counter};
  struct marking marking = {.recording = recording, .processes = processes};
  struct out_stage_reader reader;
  out_stage_reader_init(&reader, recording, &taker, &marking);
  int result = out_stage_reader_stages(&reader);
  if (result == 0)
    result = out_stage_reader_queues(&reader);
  if (result == 0)
    result = out_stage_reader_events(&reader);
  if (result == 0)
    result = out_stage_reader_counters(&reader);
  out_stage_reader_free(&reader);
  return result;
}

int out_pipeline_find_processes(struct out_recording *recording, struct out_pipeline_processes *processes)
{
  uint64_t damaged = recording->damaged;
  *processes = (struct out_pipeline_processes){.list = BASE_VECTOR_OF(uint64_t)};
  if (!(recording->header.flags & FMT_REC_MERGED))
    return 0;
  int result = list_processes(recording, &processes->list);
  if (result == 0 && processes->list.count > 0) {
    processes->has = calloc(processes->list.count, sizeof *processes->has);
    result = processes->has ? mark_all(recording, processes) : -ENOMEM;
  }
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

/* Makes the header of a merged recording that of the process at an address. */
static void adopt(struct out_recording *recording, uint64_t address)
{
  struct fmt_rec_header *header = &recording->header;
  const struct fmt_rec_process *process =
      out_recording_record(recording, address, FMT_TAG_PROCESS, FMT_REC_PROCESS_LEAST);
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
  header->steps = process->steps;
  header->active_steps = process->active_steps;
  header->flags = (header->flags & ~(uint32_t)FMT_REC_SCHEDULE) | (process->flags & FMT_REC_SCHEDULE);
  process = out_recording_record(recording, address, FMT_TAG_PROCESS, FMT_REC_PROCESS_RANKS);
  header->pauses = process ? process->pauses : 0;
  process = out_recording_record(recording, address, FMT_TAG_PROCESS, FMT_REC_PROCESS_FLOOR);
  header->counter_khz = process ? process->counter_khz : 0;
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
    adopt(recording, *(const uint64_t *)base_vector_at(&processes.list, process - 1));
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
    adopt(recording, *(const uint64_t *)base_vector_at(&processes.list, chosen));
  out_pipeline_processes_free(&processes);
  return result < 0 ? result : out_pipeline_read_part(recording, 0, now, read);
}

int out_pipeline_stats(const struct callsig_pipeline *pipeline, struct callsig_stats **stats)
{
  struct out_recording recording;
  *stats = NULL;
  int result = out_recording_read(pipeline->file, &recording);
  if (result < 0)
    return result;
  recording.is_told = pipeline->damage_is_told;
  result = out_stats_of_recording(&recording, NULL, stats);
  if (result == 0)
    (*stats)->only_process = pipeline->only_process;
  return result;
}
