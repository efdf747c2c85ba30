/* The recording of a rank, with the records that say more of calls than how often they were and how long. */
#include "tests/support/seed_rank.h"

#include <stdlib.h>
#include <string.h>

#include "format/asked.h"
#include "format/counters.h"
#include "format/pauses.h"
#include "format/samples.h"
#include "format/sampling.h"
#include "format/tasks.h"
#include "tests/support/index_writer.h"
#include "tests/support/pipeline_writer.h"

enum { END = 2000, CALLS = 60 };

/* step(n), whose calls are sampled. */
static void call_steps(struct recording_thread *thread, uint64_t module, uint32_t rank)
{
  uint64_t now = 10;
  for (uint64_t i = 0; i < CALLS; i++) {
    recording_enter(thread, module, 0, (const uint64_t[]){0, i % 3}, 2, now);
    if (i % 4 == 0) {
      recording_enter(thread, module, 1, (const uint64_t[]){0, rank}, 2, now + 1);
      recording_exit(thread, now + 2);
    }
    now += 3 + i % 5 + rank;
    recording_exit(thread, now);
  }
}

/* The newest edge asked for memory, in the tree and in one that was folded into it, and slept. */
static void ask_and_sleep(struct recording_writer *writer, struct recording_thread *thread)
{
  const uint64_t edge = recording_thread_record(thread)->first_edge;
  uint64_t next = 0;
  for (unsigned i = 0; i < 2; i++) {
    const uint64_t address = recording_writer_make(writer, FMT_TAG_ASKED, sizeof(struct fmt_rec_asked));
    struct fmt_rec_asked *asked = recording_writer_at(writer, address);
    asked->next = next;
    asked->calls = 5;
    asked->bytes = 4096;
    asked->freed_calls = 3;
    asked->freed_bytes = 1024;
    asked->lost_calls = 1;
    asked->lost_bytes = 64;
    next = address;
  }
  const uint64_t slept = recording_writer_make(writer, FMT_TAG_SLEEP, sizeof(struct fmt_rec_sleep));
  struct fmt_rec_sleep *sleep = recording_writer_at(writer, slept);
  sleep->times = 2;
  sleep->ticks = 3;
  sleep->unsure = 1;
  sleep->drawn = sleep->drawn_times = 1;
  const uint64_t sampling = edge - sizeof(struct fmt_rec_sampling);
  struct fmt_rec_sampling *record = recording_writer_at(writer, sampling);
  record->sleep = (uint32_t)((slept - recording_writer_header(writer)->base) / 8);
  struct fmt_rec_asked_list *list = recording_writer_at(writer, sampling - sizeof *list);
  list->first = list->last = next;
}

static void pause(struct recording_writer *writer, uint32_t rank)
{
  const uint64_t address = recording_writer_make(writer, FMT_TAG_PAUSES, sizeof(struct fmt_rec_pauses));
  struct fmt_rec_pauses *pauses = recording_writer_at(writer, address);
  pauses->list[0] = (struct fmt_rec_pause){.from = 600, .until = 700, .ticks = 100};
  pauses->list[1] = (struct fmt_rec_pause){.from = 800, .until = 900, .ticks = 60};
  pauses->count = 2;
  pauses->sequence = 4;
  pauses->since = rank ? 0 : END - 100;
  recording_writer_header(writer)->pauses = address;
  recording_writer_header(writer)->is_off = rank == 0;
}

/* A counter and a level, inside of the stage and outside; and when an event happened. */
static void count(struct recording_writer *writer, struct recording_thread *thread, uint64_t stage)
{
  for (uint32_t kind = FMT_COUNTER_SUM; kind <= FMT_COUNTER_LEVEL; kind++) {
    const uint64_t name = recording_writer_name(writer, kind ? "depth" : "bytes");
    const uint64_t counter = recording_writer_make(writer, FMT_TAG_COUNTER, sizeof(struct fmt_rec_counter));
    struct fmt_rec_counter *record = recording_writer_at(writer, counter);
    record->next = recording_writer_header(writer)->first_counter;
    record->name = name;
    record->kind = kind;
    recording_writer_header(writer)->first_counter = counter;
    const uint64_t used = recording_writer_make(writer, FMT_TAG_COUNTER_USE, sizeof(struct fmt_rec_counter_use));
    struct fmt_rec_counter_use *use = recording_writer_at(writer, used);
    use->next = recording_thread_record(thread)->first_counter_use;
    use->counter = counter;
    use->stage = kind ? 0 : stage;
    use->count = 3;
    use->amount = use->last = 12;
    use->last_ticks = 90;
    use->least = (UINT64_C(1) << 63) + 1;
    use->most = (UINT64_C(1) << 63) + 7;
    use->shift = 6;
    use->slots[1] = (struct fmt_rec_counter_slot){.amount = 12, .count = 3};
    recording_thread_record(thread)->first_counter_use = used;
  }
  pipeline_writer_event(writer, "flush", 2, 9);
  const uint64_t times = recording_writer_make(writer, FMT_TAG_EVENT_TIMES, sizeof(struct fmt_rec_event_times));
  struct fmt_rec_event_times *record = recording_writer_at(writer, times);
  record->places[0] = (struct fmt_rec_event_time){.number = 1, .start = 40, .duration = 4};
  record->places[1] = (struct fmt_rec_event_time){.number = 2, .start = 80, .duration = 5};
  ((struct fmt_rec_event *)recording_writer_at(writer, recording_writer_header(writer)->first_event))->times = times;
}

/* What the stage's tasks did with their time, and where they were seen waiting. */
static void run_tasks(struct recording_writer *writer, struct recording_thread *thread, uint64_t stage)
{
  recording_enter_task(thread, stage, "width=640", 1000);
  recording_exit(thread, 1050);
  pipeline_writer_task(writer, thread, stage, 1000, 1050, 0);
  pipeline_writer_gap(writer, thread, stage, 20);
  const uint64_t did = recording_writer_make(writer, FMT_TAG_TASK_WORK, sizeof(struct fmt_rec_task_work));
  struct fmt_rec_task_work *work = recording_writer_at(writer, did);
  work->own = 50;
  work->sampled = work->waits = 1;
  work->sampled_ticks = 50;
  work->cpu_ns = work->thread_cpu_ns = 40000000;
  work->queued_ns = 1000000;
  work->shift = 6;
  work->slots[15] = (struct fmt_rec_task_slot){.own = 50, .tasks = 1};
  const uint64_t waited = recording_writer_make(writer, FMT_TAG_TASK_WAITS, sizeof(struct fmt_rec_task_waits));
  struct fmt_rec_task_waits *waits = recording_writer_at(writer, waited);
  waits->slots[0] = (struct fmt_rec_task_wait){
      .edge = recording_thread_record(thread)->first_edge, .address = 0x1000, .looks = 4, .kind = FMT_WAIT_LOCK};
  struct fmt_rec_tasks *tasks = recording_writer_at(writer, recording_thread_record(thread)->first_tasks);
  tasks->work = did;
  tasks->waits = waited;
}

/* A run without hooks spent its time in step(). */
static void sample_beside(struct recording_writer *writer)
{
  enum { PLACES = 2 };
  const uint64_t path = recording_writer_name(writer, "/bin/rank"), function = recording_writer_name(writer, "step"),
                 file = recording_writer_name(writer, "a.c");
  const uint64_t address = recording_writer_make(
      writer, FMT_TAG_SAMPLES, sizeof(struct fmt_rec_samples) + PLACES * sizeof(struct fmt_rec_place));
  struct fmt_rec_samples *samples = recording_writer_at(writer, address);
  samples->program = path;
  samples->period = 1024 * 1000000;
  samples->samples = 100;
  samples->used_ns = 100000000;
  samples->method = FMT_SAMPLES_STOPS;
  samples->flags = FMT_SAMPLES_OWN_RUN;
  samples->count = PLACES;
  const struct fmt_rec_place places[PLACES] = {{.name = path, .parent = FMT_NONE, .samples = 10},
                                               {.name = function, .file = file, .line = 1, .samples = 90}};
  memcpy(samples + 1, places, sizeof places);
  recording_writer_header(writer)->samples = address;
}

static uint64_t make_module(struct recording_writer *writer)
{
  struct index_writer *index = index_writer_new();
  const uint32_t type = index_writer_type(index, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  index_writer_function(index, "a.c", 1, "step", 0);
  index_writer_arg(index, FMT_ARG_VALUE, "n", type);
  index_writer_function(index, "a.c", 9, "exchange", 0);
  index_writer_arg(index, FMT_ARG_VALUE, "rank", type);
  size_t size;
  void *made = index_writer_finish(index, &size);
  const uint64_t module = recording_writer_module(writer, "/bin/rank", 0x10000, 0x10000, made, size);
  free(made);
  index_writer_free(index);
  return module;
}

struct recording_writer *seed_rank(uint32_t rank, bool stays, uint64_t *end)
{
  struct recording_writer *writer = recording_writer_new(100 + rank, 1000);
  const uint64_t module = make_module(writer), source = recording_writer_name(writer, "PMI_RANK"),
                 program = recording_writer_name(writer, "/bin/rank");
  struct fmt_rec_header *header = recording_writer_header(writer);
  header->program = program;
  header->rank_source = source;
  header->rank = rank;
  header->flags |= FMT_REC_SLEEP;
  header->timeline_min = UINT64_MAX;
  header->overhead = 1536;
  header->drawn_from = 4;
  header->sample_price = 300;
  recording_writer_ask(writer);
  recording_writer_sample(writer, 1 + rank, 2);
  struct recording_thread *thread = recording_writer_thread(writer, 100 + rank, "main");
  call_steps(thread, module, rank);
  ask_and_sleep(writer, thread);
  pause(writer, rank);
  if (stays) {
    const uint64_t stage = pipeline_writer_stage(writer, 0, 1, "decode", 4, 0);
    run_tasks(writer, thread, stage);
    count(writer, thread, stage);
    sample_beside(writer);
  }
  *end = END;
  return writer;
}
