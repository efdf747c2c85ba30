/*
 * Callbacks of stages: entered in order, left in reverse. They are the program's code: nothing is held while they run.
 */
#include <errno.h>

#include "callsig/callsig.h"
#include "profiler/pipeline/stage.h"

#define LAST_ERRNO 4095

static int error_of(int result)
{
  return result >= -LAST_ERRNO && result <= 0 ? result : -ECANCELED;
}

static void count_failure(const struct callsig_stage *handle)
{
  struct fmt_rec_stage *record = prof_stage_record_known(handle->stage);
  if (record)
    __atomic_fetch_add(&record->callback_failures, 1, __ATOMIC_RELAXED);
}

/* What callback number `i` returned; 0 when there is none of the kind. */
static int enter_stage(struct callsig_stage *handle, uint32_t i)
{
  const struct callsig_hooks *hooks = &handle->hooks[i];
  return hooks->stage_enter ? hooks->stage_enter(handle, hooks->data) : 0;
}

static int leave_stage(struct callsig_stage *handle, uint32_t i)
{
  const struct callsig_hooks *hooks = &handle->hooks[i];
  return hooks->stage_exit ? hooks->stage_exit(handle, hooks->data) : 0;
}

/* Leaves callbacks `count` - 1 to 0. What the first that failed returned. */
static int leave_stages(struct callsig_stage *handle, uint32_t count)
{
  int first = 0;
  while (count > 0) {
    int result = leave_stage(handle, --count);
    if (result)
      count_failure(handle);
    if (result && !first)
      first = error_of(result);
  }
  return first;
}

int prof_stage_enter(struct callsig_stage *handle)
{
  for (uint32_t i = 0; i < handle->hook_count; i++) {
    int result = enter_stage(handle, i);
    if (result) {
      count_failure(handle);
      (void)leave_stages(handle, i);
      return error_of(result);
    }
  }
  return 0;
}

int prof_stage_leave(struct callsig_stage *handle)
{
  return leave_stages(handle, handle->hook_count);
}

static int leave_tasks(struct callsig_stage *handle, uint32_t count, uint64_t item, int failed)
{
  int first = 0;
  while (count > 0) {
    const struct callsig_hooks *hooks = &handle->hooks[--count];
    int result = hooks->task_exit ? hooks->task_exit(handle, item, failed, hooks->data) : 0;
    if (result)
      count_failure(handle);
    if (result && !first)
      first = error_of(result);
    failed = failed || result;
  }
  return first;
}

int prof_stage_enter_task(struct callsig_stage *handle, uint64_t item)
{
  for (uint32_t i = 0; i < handle->hook_count; i++) {
    const struct callsig_hooks *hooks = &handle->hooks[i];
    int result = hooks->task_enter ? hooks->task_enter(handle, item, hooks->data) : 0;
    if (result) {
      count_failure(handle);
      (void)leave_tasks(handle, i, item, 1);
      return error_of(result);
    }
  }
  return 0;
}

int prof_stage_leave_task(struct callsig_stage *handle, uint64_t item, int failed)
{
  return leave_tasks(handle, handle->hook_count, item, failed);
}
