/*
 * Schedules: which of the program's steps are recorded.
 *
 * While a program warms up, frames are opened and closed as ever, so that all that is made at first sight gets made;
 * but they count in a place that nobody reads, and their shadow stacks are not shown.
 */
#include <errno.h>
#include <stddef.h>

#include "callsig/callsig.h"
#include "format/recording.h"
#include "profiler/base/lock.h"
#include "profiler/base/options.h"
#include "profiler/base/process.h"
#include "profiler/session/control.h"
#include "profiler/session/startup.h"

enum phase { OFF, WARM, ACTIVE };

/* Under the process's schedule_lock. */
static struct {
  struct callsig_schedule_options options;
  uint64_t step; /* the one that runs, from 0 */
} schedule;

static enum phase phase_of(uint64_t step)
{
  const struct callsig_schedule_options *options = &schedule.options;
  const uint64_t cycle = options->wait + options->warmup + options->active, at = step % cycle;
  if (options->repeat && step / cycle >= options->repeat)
    return OFF;
  return at < options->wait ? OFF : at < options->wait + options->warmup ? WARM : ACTIVE;
}

static void enter(enum phase phase)
{
  prof_set_recording(phase == OFF, phase == WARM);
}

static int check(const struct callsig_schedule_options *options)
{
  uint64_t sum;
  if (options->active == 0 || __builtin_add_overflow(options->wait, options->warmup, &sum) ||
      __builtin_add_overflow(sum, options->active, &sum))
    return -EINVAL;
  return 0;
}

int callsig_schedule(const struct callsig_schedule_options *given)
{
  struct callsig_schedule_options options;
  if (!given || given->size < offsetof(struct callsig_schedule_options, repeat))
    return -EINVAL;
  int error = prof_options_check("callsig_schedule", given, sizeof options);
  if (error)
    return error;
  prof_options_copy(&options, sizeof options, given);
  error = check(&options);
  if (!error)
    error = prof_start_now();
  if (error)
    return error;
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.schedule_lock);
  if (prof_process.scheduled) {
    error = -EALREADY;
  } else {
    schedule.options = options;
    prof_process.scheduled = 1;
    __atomic_or_fetch(&prof_process.header->flags, FMT_REC_SCHEDULE, __ATOMIC_RELAXED);
    enter(phase_of(0));
  }
  prof_unlock(&prof_process.schedule_lock);
  prof_restore_signals(mask);
  return error;
}

int callsig_step(void)
{
  if (!prof_process.scheduled)
    return -EINVAL;
  int error = prof_start_now(); /* a forked child starts its recording */
  if (error)
    return error;
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.schedule_lock);
  enum phase ended = phase_of(schedule.step);
  schedule.step++;
  __atomic_fetch_add(&prof_process.header->steps, 1, __ATOMIC_RELAXED);
  if (ended == ACTIVE)
    __atomic_fetch_add(&prof_process.header->active_steps, 1, __ATOMIC_RELAXED);
  enter(phase_of(schedule.step));
  prof_unlock(&prof_process.schedule_lock);
  prof_restore_signals(mask);
  return 0;
}
