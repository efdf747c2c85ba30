/*
 * What a thread has used of processors: /proc/self/task/TID/schedstat, read once, at the end.
 */
#include "profiler/lifetime/thread_usage.h"

#include "profiler/base/proc_files.h"

static struct fmt_rec_task_work *work_of(uint64_t tasks)
{
  return (struct fmt_rec_task_work *)((const struct fmt_rec_tasks *)tasks)->work;
}

/* `part` thousandths of a number. */
static uint64_t part_of(uint64_t number, uint64_t part)
{
  return number / 1000 * part + number % 1000 * part / 1000;
}

void prof_note_thread_usage(const struct prof_thread *t)
{
  const struct fmt_rec_thread *record = t->tree.record;
  char text[PROF_SCHEDSTAT_SIZE];
  uint64_t own = 0;
  if (record->period) /* what it used before it counted from zero is not known */
    return;
  prof_task_file_read(t->tid, "schedstat", text, sizeof text);
  const struct prof_schedstat used = prof_schedstat_parse(text);
  const uint64_t waited_ns = used.waited_ns > t->waited_unborn_ns ? used.waited_ns - t->waited_unborn_ns : 0;
  for (uint64_t at = record->first_tasks; at; at = ((const struct fmt_rec_tasks *)at)->next)
    own += work_of(at)->own / 1000;
  for (uint64_t at = record->first_tasks; own && at; at = ((const struct fmt_rec_tasks *)at)->next) {
    struct fmt_rec_task_work *work = work_of(at);
    uint64_t part = work->own / own;
    work->thread_cpu_ns = part_of(used.ran_ns, part < 1000 ? part : 1000);
    work->queued_ns = part_of(waited_ns, part < 1000 ? part : 1000);
  }
}
