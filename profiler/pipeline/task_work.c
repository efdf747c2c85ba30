/*
 * When a stage's tasks worked, and how much of it on a processor.
 */
#include "profiler/pipeline/task_work.h"

#include <sys/resource.h>
#include <time.h>

#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/counter.h"
#include "profiler/base/preemption.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/syscall.h"

/* A task is looked at once in so many ticks of tasks, in the mean: some tenths of a millisecond. */
#define PACE       (UINT64_C(1) << 19)
#define MOST_APART 4096u /* tasks between two that are looked at, in the mean, at most */

/* The first slots: 2^22 ticks, some milliseconds. */
#define FIRST_SHIFT 22u

struct usage {
  uint64_t cpu_ns, waits, preempted;
};

/* False: the kernel does not say. */
static bool read_usage(struct usage *usage)
{
  struct timespec time;
  struct rusage resources;
  if (prof_sys_failed(PROF_SYSCALL2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time)) ||
      prof_sys_failed(PROF_SYSCALL2(SYS_getrusage, 1 /* RUSAGE_THREAD */, &resources)))
    return false;
  usage->cpu_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  usage->waits = (uint64_t)resources.ru_nvcsw;
  usage->preempted = (uint64_t)resources.ru_nivcsw;
  return true;
}

void prof_task_work_start(struct prof_thread *t)
{
  uint64_t waited;
  if (!prof_preemption_waited(&waited))
    return;
  /* All that it can have waited since. */
  const uint64_t since = prof_monotonic_ns() - t->born_ns;
  t->waited_unborn_ns = waited > since ? waited - since : 0;
}

uint32_t prof_task_sample_begin(struct prof_task_sample *sample)
{
  struct usage usage;
  if (prof_process.settings.clock == FMT_CLOCK_CPU || !read_usage(&usage)) {
    sample->until = MOST_APART;
    return 0;
  }
  sample->cpu_ns = usage.cpu_ns;
  sample->waits = usage.waits;
  sample->preempted = usage.preempted;
  sample->number = sample->number == UINT32_MAX ? 1 : sample->number + 1;
  return sample->number;
}

/* How many tasks pass until the next one that is looked at, evenly around the mean that the pace asks for. The tasks
 * since the last look say how long one takes: a stage whose first tasks are tiny may have long ones by now. */
static uint32_t draw(struct prof_task_sample *sample, const struct fmt_rec_tasks *tasks)
{
  const uint64_t successes = tasks->tasks - tasks->failures;
  if (successes < sample->seen_tasks || tasks->total < sample->seen_total) /* it began anew */
    sample->seen_tasks = sample->seen_total = 0;
  const uint64_t passed = successes - sample->seen_tasks;
  const uint64_t mean = passed ? (tasks->total - sample->seen_total) / passed : 0;
  uint64_t apart = mean ? PACE / mean : MOST_APART;
  apart = apart < MOST_APART ? apart : MOST_APART;
  uint32_t random = sample->random ? sample->random : 2463534242u;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  sample->random = random;
  return apart ? (uint32_t)(((uint64_t)random * (2 * apart + 1)) >> 32) : 0;
}

/* A long task was not looked at. */
static void look_earlier(struct prof_task_sample *sample, const struct fmt_rec_tasks *tasks)
{
  const uint32_t until = draw(sample, tasks);
  if (until < sample->until)
    sample->until = until;
}

static PROF_COLD void end_sample(struct fmt_rec_tasks *tasks, struct prof_task_sample *sample, uint64_t ticks,
                                 uint64_t end)
{
  struct fmt_rec_task_work *work = (struct fmt_rec_task_work *)tasks->work;
  const uint64_t before = __atomic_exchange_n(sample->last_end, end, __ATOMIC_RELAXED);
  struct usage usage;
  sample->gap = before == 0 ? 0 : before < end ? end - before : before - end;
  sample->until = draw(sample, tasks);
  sample->seen_tasks = tasks->tasks - tasks->failures;
  sample->seen_total = tasks->total;
  if (!read_usage(&usage))
    return;
  prof_add(&work->sampled_ticks, ticks);
  prof_add(&work->cpu_ns, usage.cpu_ns - sample->cpu_ns);
  prof_add(&work->waits, usage.waits - sample->waits);
  prof_add(&work->preempted, usage.preempted - sample->preempted);
  if (usage.waits == sample->waits) {
    prof_add(&work->ready_ticks, ticks);
    prof_add(&work->ready_cpu_ns, usage.cpu_ns - sample->cpu_ns);
  }
  prof_add(&work->sampled, 1);
}

/* Adds `own` ticks, evenly from `start` to `end`, which are since the recording began. */
static void spread(struct fmt_rec_task_work *work, uint64_t start, uint64_t end, uint64_t own)
{
  const uint32_t shift = work->shift;
  const uint64_t first = start >> shift, last = end >> shift;
  if (PROF_LIKELY(first == last)) {
    prof_add(&work->slots[last].own, own);
    return;
  }
  const uint64_t part = own < end - start ? (own << 10) / (end - start) : 1024;
  for (uint64_t slot = first; slot <= last; slot++) {
    uint64_t from = slot == first ? start : slot << shift, to = slot == last ? end : (slot + 1) << shift;
    prof_add(&work->slots[slot].own, ((to - from) >> 10) * part + ((((to - from) & 1023) * part) >> 10));
  }
}

/* Since the recording began. */
static uint64_t since_start(uint64_t ticks)
{
  const uint64_t start = prof_process.header->start.ticks;
  return ticks > start ? ticks - start : 0;
}

bool prof_task_work_count(struct fmt_rec_tasks *tasks, struct prof_task_sample *sample, uint32_t number, uint64_t start,
                          uint64_t ticks, uint64_t own)
{
  struct fmt_rec_task_work *work = (struct fmt_rec_task_work *)tasks->work;
  if (PROF_UNLIKELY(start > UINT64_MAX / 2)) /* it never began */
    return true;
  const uint64_t begin = since_start(start), end = begin + ticks;
  if (PROF_UNLIKELY(end >> work->shift >= FMT_TASK_SLOTS))
    return false;
  prof_add(&work->own, own);
  if (PROF_LIKELY(prof_process.settings.clock != FMT_CLOCK_CPU)) {
    spread(work, begin, end, own);
    prof_add(&work->slots[end >> work->shift].tasks, 1);
  }
  if (PROF_UNLIKELY(number && number == sample->number))
    end_sample(tasks, sample, ticks, start + ticks);
  else if (ticks >= PROF_TASK_LONG && sample->until)
    look_earlier(sample, tasks);
  return true;
}

static void widen(struct fmt_rec_task_work *work)
{
  fmt_task_slots_widen(work->slots);
  work->shift++;
}

void prof_task_work_extend(struct fmt_rec_task_work *work, uint64_t end)
{
  while (work->shift < 63 && since_start(end) >> work->shift >= FMT_TASK_SLOTS)
    widen(work);
}

struct fmt_rec_task_work *prof_task_work_make(struct prof_tree *tree)
{
  struct fmt_rec_task_work *work = prof_record_alloc(tree, sizeof *work);
  if (!work)
    return NULL;
  work->shift = FIRST_SHIFT;
  work->tag = (struct fmt_rec_tag){FMT_TAG_TASK_WORK, sizeof *work};
  return work;
}

void prof_task_work_clear(struct fmt_rec_task_work *work)
{
  *work = (struct fmt_rec_task_work){.tag = work->tag, .shift = FIRST_SHIFT};
}

void prof_task_work_move(struct fmt_rec_task_work *target, struct fmt_rec_task_work *source)
{
  while (target->shift < source->shift)
    widen(target);
  while (source->shift < target->shift)
    widen(source);
  prof_move(&target->own, &source->own);
  prof_move(&target->sampled, &source->sampled);
  prof_move(&target->sampled_ticks, &source->sampled_ticks);
  prof_move(&target->cpu_ns, &source->cpu_ns);
  prof_move(&target->waits, &source->waits);
  prof_move(&target->preempted, &source->preempted);
  prof_move(&target->ready_ticks, &source->ready_ticks);
  prof_move(&target->ready_cpu_ns, &source->ready_cpu_ns);
  prof_move(&target->thread_cpu_ns, &source->thread_cpu_ns);
  prof_move(&target->queued_ns, &source->queued_ns);
  for (unsigned i = 0; i < FMT_TASK_SLOTS; i++) {
    prof_move(&target->slots[i].own, &source->slots[i].own);
    prof_move(&target->slots[i].tasks, &source->slots[i].tasks);
  }
}
