/* Sums what tasks did with their time, and says which part of it was on a processor. */
#include "output/pipeline/task_work.h"

#include <math.h>

/* Wider than any recording's: what has no bits below it. */
#define WIDEST 63u

/* So many tasks, or this part of their time, tell of all of them. */
#define FEW_LOOKS 30
#define MOST_TIME 0.5

void out_task_work_widen(struct out_task_work *work, uint32_t shift)
{
  for (; work->shift < shift && work->shift < WIDEST; work->shift++)
    fmt_task_slots_widen(work->slots);
}

void out_task_work_add(struct out_task_work *sum, const struct fmt_rec_task_work *record, double tick)
{
  struct out_task_work added = {.shift = record->shift};
  for (unsigned i = 0; i < FMT_TASK_SLOTS; i++)
    added.slots[i] = record->slots[i];
  if (!sum->known)
    sum->shift = record->shift;
  out_task_work_widen(sum, added.shift);
  out_task_work_widen(&added, sum->shift);
  for (unsigned i = 0; i < FMT_TASK_SLOTS; i++) {
    sum->slots[i].own += added.slots[i].own;
    sum->slots[i].tasks += added.slots[i].tasks;
  }
  sum->known = true;
  sum->own += (double)record->own * tick;
  sum->looks += (double)record->sampled;
  sum->sampled_time += (double)record->sampled_ticks * tick;
  sum->sampled_cpu += (double)record->cpu_ns * 1e-9;
  sum->sampled_left += fmax(0, (double)record->ready_ticks * tick - (double)record->ready_cpu_ns * 1e-9);
  sum->thread_cpu += (double)record->thread_cpu_ns * 1e-9;
  sum->queued += (double)record->queued_ns * 1e-9;
}

struct out_task_shares out_task_shares(const struct out_task_work *work)
{
  const bool enough = work->looks >= FEW_LOOKS || work->sampled_time >= work->own * MOST_TIME;
  struct out_task_shares shares = {.known = work->known && work->sampled_time > 0 && enough, .looks = work->looks};
  if (!shares.known)
    return shares;
  shares.cpu = fmin(1, work->sampled_cpu / work->sampled_time);
  /* What a thread waited for a processor, it waited in its tasks as much as elsewhere, as far as is known. */
  double queued = work->lifetime > 0 ? work->queued / work->lifetime : 0;
  shares.ready = fmin(1 - shares.cpu, fmax(work->sampled_left / work->sampled_time, queued));
  shares.waiting = 1 - shares.cpu - shares.ready;
  return shares;
}
