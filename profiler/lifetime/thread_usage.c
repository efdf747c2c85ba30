/*
 * What a thread has used of processors: /proc/self/task/TID/schedstat, read once, at the end.
 */
#include "profiler/lifetime/thread_usage.h"

#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

/* The text of /proc/self/task/TID/schedstat; empty when there is none. */
static void read_schedstat(uint32_t tid, char *text, size_t size)
{
  char path[64];
  struct prof_text building = prof_text_begin(path, sizeof path);
  prof_text_add(&building, "/proc/self/task/");
  prof_text_add_number(&building, tid, 10);
  prof_text_add(&building, "/schedstat");
  long fd = prof_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
  long length = fd < 0 ? 0 : prof_sys_read(fd, text, size - 1);
  if (fd >= 0)
    prof_sys_close(fd);
  text[length > 0 ? length : 0] = '\0';
}

static const char *read_number(const char *text, uint64_t *number)
{
  *number = 0;
  while (*text == ' ')
    text++;
  for (; *text >= '0' && *text <= '9'; text++)
    *number = *number * 10 + (uint64_t)(*text - '0');
  return text;
}

static struct fmt_rec_task_work *work_of(uint64_t tasks)
{
  return (struct fmt_rec_task_work *)((const struct fmt_rec_tasks *)tasks)->work;
}

/* `part` thousandths of a number. */
static uint64_t part_of(uint64_t number, uint64_t part)
{
  return number / 1000 * part + number % 1000 * part / 1000;
}

void prof_note_thread_usage(struct fmt_rec_thread *record, uint32_t tid)
{
  char text[128];
  uint64_t cpu, queued, own = 0;
  read_schedstat(tid, text, sizeof text);
  (void)read_number(read_number(text, &cpu), &queued);
  for (uint64_t at = record->first_tasks; at; at = ((const struct fmt_rec_tasks *)at)->next)
    own += work_of(at)->own / 1000;
  for (uint64_t at = record->first_tasks; own && at; at = ((const struct fmt_rec_tasks *)at)->next) {
    struct fmt_rec_task_work *work = work_of(at);
    uint64_t part = work->own / own;
    work->thread_cpu_ns = part_of(cpu, part < 1000 ? part : 1000);
    work->queued_ns = part_of(queued, part < 1000 ? part : 1000);
  }
}
