/*
 * Waits for queues that have begun: what tasks and other waits take inside of one is none of it, so that no time counts
 * twice. A program may begin to put before the work whose result it puts.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_OPEN_WAIT_H
#define CALLSIG_PROFILER_PIPELINE_OPEN_WAIT_H

#include <stdint.h>

#include "profiler/base/counter.h"
#include "profiler/base/process.h"
#include "profiler/pipeline/open_task.h"
#include "profiler/stack/thread.h"

/* A wait may have tasks and other waits inside: what these take from now on is none of it. */
static inline void prof_wait_note(struct prof_thread *t, uint64_t token)
{
  const struct prof_open_task *task = prof_open_task_recorded();
  t->waits.list[t->waits.begun++ % PROF_OPEN_WAITS] =
      (struct prof_open_wait){.token = token, .nested = task ? task->nested : t->waits.nested, .task = task};
}

/* The wait of this token, of the last ones that the thread has begun; NULL: another thread did, or it is long ago. */
static inline const struct prof_open_wait *prof_wait_find(const struct prof_open_waits *waits, uint64_t token)
{
  for (uint32_t i = 1; i <= PROF_OPEN_WAITS; i++) {
    const struct prof_open_wait *wait = &waits->list[(waits->begun - i) % PROF_OPEN_WAITS];
    if (wait->token == token)
      return wait;
  }
  return NULL;
}

/* The ticks from `token` to `now` without what tasks and other waits took in between, nor what was not recorded. `task`
 * is the one that is open now, or NULL. */
static inline uint64_t prof_wait_net(const struct prof_thread *t, const struct prof_open_task *task, uint64_t token,
                                     uint64_t now)
{
  const uint64_t resumed = __atomic_load_n(&prof_process.resumed_ticks, __ATOMIC_RELAXED);
  const struct prof_open_wait *wait = prof_wait_find(&t->waits, token);
  uint64_t from = token > resumed ? token : resumed, inside = 0;
  if (wait && wait->task == task && (!task || task->start <= token)) {
    const uint64_t nested = task ? task->nested : t->waits.nested;
    inside = nested > wait->nested ? nested - wait->nested : 0;
  } else if (wait && wait->task && t->waits.last_task > from)
    from = t->waits.last_task;
  const uint64_t ticks = now > from ? now - from : 0;
  return inside < ticks ? ticks - inside : 0;
}

/* A wait is none of the own time of the task around it, as far as it was in it. */
static inline void prof_wait_count(struct prof_thread *t, struct prof_open_task *task, uint64_t ticks, uint64_t now)
{
  if (!task)
    prof_add(&t->waits.nested, ticks);
  else if (now > task->start)
    prof_add(&task->nested, ticks < now - task->start ? ticks : now - task->start);
}

#endif
