/*
 * The tasks that a thread has open, as the program sees it: also those that are not recorded, since callbacks and
 * errors must not depend on whether a profile is made.
 *
 * The list is the thread's own and lies in memory that a fork copies. A signal handler may begin and end tasks between
 * any two instructions here; it leaves the list as it found it.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_OPEN_TASK_H
#define CALLSIG_PROFILER_PIPELINE_OPEN_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "callsig/callsig.h"
#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/compiler.h"

/* A task that was begun and not ended. */
struct prof_open_task {
  struct callsig_stage *stage; /* NULL: being begun */
  struct fmt_rec_frame *frame; /* its frame in the shadow stack; NULL: it is not recorded */
  uint64_t start;              /* ticks: when it began. Its frame's moves on while the thread waits for a processor */
  uint64_t item;
  uint64_t nested;  /* ticks of the tasks that began and ended inside of it, and of the waits for queues */
  uint32_t failed;  /* callsig_task_fail() was called */
  uint32_t sampled; /* what prof_task_sample_begin() gave */
  uint32_t over;    /* it ended out of order, with others above it */
};

#define PROF_OPEN_CHUNK_SIZE  4096u
#define PROF_OPEN_CHUNK_TASKS ((PROF_OPEN_CHUNK_SIZE - 4 * sizeof(void *)) / sizeof(struct prof_open_task))

/* A part of the list. */
struct prof_open_chunk {
  struct prof_open_chunk *outer, *inner;
  uint64_t used;
  uint64_t reserved;
  struct prof_open_task tasks[PROF_OPEN_CHUNK_TASKS];
};

/* The calling thread's chunk of the innermost task; NULL before the first. */
extern __thread struct prof_open_chunk *prof_open_chunk
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Goes on to the next chunk, made when new. False: no memory. Anywhere. */
bool prof_open_tasks_advance(void);
/* Adds an innermost task. NULL: no memory. Anywhere. */
static inline struct prof_open_task *prof_open_task_add(void)
{
  struct prof_open_chunk *chunk;
  while (PROF_UNLIKELY(!(chunk = prof_open_chunk) || chunk->used == PROF_OPEN_CHUNK_TASKS))
    if (!prof_open_tasks_advance())
      return NULL;
  struct prof_open_task *task = &chunk->tasks[chunk->used];
  prof_add(&chunk->used, 1);
  /* A handler that used this chunk while it was empty has gone back to the outer one. */
  __atomic_store_n(&prof_open_chunk, chunk, __ATOMIC_RELEASE);
  *task = (struct prof_open_task){0};
  return task;
}
/* Takes the task off. Anywhere. */
static inline void prof_open_task_remove(struct prof_open_task *task)
{
  task->frame = NULL;
  task->stage = NULL;
  __atomic_store_n(&task->over, 1, __ATOMIC_RELEASE);
  /* Those below a task that ends may have ended before it. */
  struct prof_open_chunk *chunk = prof_open_chunk;
  uint64_t used;
  while ((used = chunk->used) != 0 && chunk->tasks[used - 1].over) {
    /* A handler may have taken it off. */
    if (prof_replace(&chunk->used, used, used - 1))
      chunk->tasks[used - 1].over = 0;
    if (chunk->used == 0 && chunk->outer)
      prof_open_chunk = chunk = chunk->outer;
  }
}
/* The task that was begun before this one (NULL: the innermost), or NULL. Anywhere. */
struct prof_open_task *prof_open_task_before(const struct prof_open_task *task);
/* The innermost task, or NULL. Anywhere. */
static inline struct prof_open_task *prof_open_task_innermost(void)
{
  struct prof_open_chunk *chunk = prof_open_chunk;
  return chunk && chunk->used && chunk->tasks[chunk->used - 1].stage ? &chunk->tasks[chunk->used - 1]
                                                                     : prof_open_task_before(NULL);
}
/* The task whose frame this is, or NULL. Anywhere. */
struct prof_open_task *prof_open_task_of_frame(const struct fmt_rec_frame *frame);
/* The innermost recorded task outside of `task` (NULL: of all), or NULL. Anywhere. */
struct prof_open_task *prof_open_task_around(const struct prof_open_task *task);
/* The innermost recorded task, quickly where there is none or it is the last that was begun; or NULL. Anywhere. */
static inline struct prof_open_task *prof_open_task_recorded(void)
{
  struct prof_open_chunk *chunk = prof_open_chunk;
  const uint64_t used = chunk ? chunk->used : 0;
  if (used > 0 && chunk->tasks[used - 1].frame)
    return &chunk->tasks[used - 1];
  return used > 0 || (chunk && chunk->outer) ? prof_open_task_around(NULL) : NULL;
}
/* The same as the first, quickly where both lie in one chunk. Anywhere. */
static inline struct prof_open_task *prof_open_task_around_this(struct prof_open_task *task)
{
  const struct prof_open_chunk *chunk = prof_open_chunk;
  if (task == chunk->tasks && !chunk->outer)
    return NULL;
  return task > chunk->tasks && task < chunk->tasks + PROF_OPEN_CHUNK_TASKS && task[-1].frame
             ? task - 1
             : prof_open_task_around(task);
}
/* No task of the thread has a frame any more: its tree is a forked parent's. In a slow section. */
void prof_open_tasks_forget_frames(void);
/* Gives the calling thread's list back: the thread ends. */
void prof_open_tasks_release(void);

#endif
