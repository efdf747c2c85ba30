/*
 * What a stage's tasks did with their time, in one thread: on a processor or not, and when. struct fmt_rec_task_work.
 *
 * How long a task was on a processor is asked of the kernel, which takes as long as ten tasks that do nothing: so of
 * random tasks alone, as many as leave the program's speed alone.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_TASK_WORK_H
#define CALLSIG_PROFILER_PIPELINE_TASK_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/process.h"
#include "profiler/base/tree_store.h"
#include "profiler/stack/thread.h"

/* Of tasks this long, in ticks, it is asked whether the next look is due earlier. */
#define PROF_TASK_LONG (UINT64_C(1) << 15)

/* The sampling of one stage's tasks in one thread, and the task that is being looked at. */
struct prof_task_sample {
  uint32_t until;                  /* tasks until the next one that is looked at */
  uint32_t random;                 /* the state of the draw */
  uint32_t number;                 /* of the task that was looked at last: 1, 2, 3 ... */
  uint64_t seen_tasks, seen_total; /* of the stage in this thread, without failures, when one was looked at last */
  uint64_t cpu_ns;                 /* of the thread at its beginning */
  uint64_t waits;                  /* how often it had gone to wait by then */
  uint64_t preempted;
  uint64_t *last_end; /* of the stage's tasks that were looked at, in all threads: ticks; 0 before the first */
  uint64_t gap;       /* between that and the end of the task that was counted last, to be counted; 0: none */
};

/* The calling thread is about to begin its first task. What it had waited for a processor before it was recorded, as
 * one does that was just made, is none of what its tasks wait: found out here. Some system calls. Anywhere. */
void prof_task_work_start(struct prof_thread *t);

/* Looks at a task that begins, since it is its turn: sample->until was 0. The number that it has then, to be given back
 * at its end; 0 where the kernel does not tell. Anywhere. */
uint32_t prof_task_sample_begin(struct prof_task_sample *sample);

/* A task that began at `start` has ended: `own` of its `ticks` without tasks and waits for queues inside; `number` is
 * what prof_task_sample_begin() gave. False: there was no room for when, and prof_task_work_extend() comes first.
 * Anywhere. */
bool prof_task_work_count(struct fmt_rec_tasks *tasks, struct prof_task_sample *sample, uint32_t number, uint64_t start,
                          uint64_t ticks, uint64_t own);
/* The same where it takes little: a short task that was not looked at, within one slot. False, and nothing is counted:
 * it is another. Anywhere. */
static inline bool prof_task_work_count_quickly(const struct fmt_rec_tasks *tasks, uint32_t number, uint64_t start,
                                                uint64_t ticks, uint64_t own)
{
  struct fmt_rec_task_work *work = (struct fmt_rec_task_work *)tasks->work;
  const uint64_t begin = start - prof_process.header->start.ticks;
  const uint64_t slot = begin >> work->shift;
  if (number || ticks >= PROF_TASK_LONG || prof_process.settings.clock == FMT_CLOCK_CPU || slot >= FMT_TASK_SLOTS ||
      (begin + ticks) >> work->shift != slot)
    return false;
  prof_add(&work->own, own);
  prof_add(&work->slots[slot].own, own);
  prof_add(&work->slots[slot].tasks, 1);
  return true;
}
/* Makes room up to `end`. In a slow section. */
void prof_task_work_extend(struct fmt_rec_task_work *work, uint64_t end);

/* An empty record of the tree. NULL: no space. In a slow section. */
struct fmt_rec_task_work *prof_task_work_make(struct prof_tree *tree);
/* As it was made. Under threads_lock. */
void prof_task_work_clear(struct fmt_rec_task_work *work);
/* Moves all of `source` to `target`: under threads_lock. */
void prof_task_work_move(struct fmt_rec_task_work *target, struct fmt_rec_task_work *source);

#endif
