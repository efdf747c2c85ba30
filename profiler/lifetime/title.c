/*
 * The title that a forked child gives itself.
 */
#include "profiler/lifetime/title.h"

#include "profiler/base/lock.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/proc_files.h"
#include "profiler/base/process.h"
#include "profiler/base/read_memory.h"
#include "profiler/base/recording.h"
#include "profiler/base/settings.h"
#include "profiler/base/text.h"

static bool is_noted(const struct fmt_rec_header *header, const char *text, size_t length)
{
  const struct fmt_rec_name *noted = (const struct fmt_rec_name *)header->command;
  return noted && noted->length == length && prof_equal_bytes(noted->text, text, length);
}

/* A short title leaves NULs where a longer command line was: one of them is kept. */
static size_t length_of(const char *text, size_t size)
{
  while (size > 1 && text[size - 1] == '\0' && text[size - 2] == '\0')
    size--;
  return text[0] ? size : 0;
}

/* Writes the title where the one before the last was, if it has room there. A program may write one for each thing that
 * it does: two take turns, so that the one that readers are led to stays as it is. */
static struct fmt_rec_name *write_over(struct fmt_rec_name *name, const char *text, size_t length)
{
  if (!name || name->tag.size - sizeof *name <= length)
    return NULL;
  for (size_t i = 0; i < length; i++)
    name->text[i] = text[i];
  name->text[length] = '\0';
  name->length = (uint32_t)length;
  return name;
}

static void take(struct fmt_rec_header *header, const char *text, size_t size)
{
  struct prof_process *process = &prof_process;
  const size_t length = size ? length_of(text, size) : 0;
  if (length == 0 || is_noted(header, text, length))
    return;
  struct fmt_rec_name *title = write_over(process->title_before, text, length);
  if (!title)
    title = prof_record_name(text, length);
  if (!title)
    return;
  process->title_before = (struct fmt_rec_name *)header->command;
  __atomic_store_n(&header->command, (uintptr_t)title, __ATOMIC_RELEASE);
}

void prof_title_note(struct fmt_rec_header *header)
{
  if (!(header->flags & FMT_REC_CHILD))
    return;
  char *text = prof_scratch_take(PROF_MAX_PATH);
  if (!text)
    return;
  const long size = prof_small_file_read("/proc/self/cmdline", text, PROF_MAX_PATH);
  prof_lock(&prof_process.title_lock);
  take(header, text, size > 0 ? (size_t)size : 0);
  prof_unlock(&prof_process.title_lock);
  prof_scratch_give(text, PROF_MAX_PATH);
}

/* The size of what /proc/self/cmdline would show of memory that is there: a title that goes on beyond the arguments,
 * over the NUL that they ended with, ends with its own (proc(5)). 0: it is not there, or has no end. */
static size_t shown_size(const struct prof_argument_area *area)
{
  const char *text = (const char *)area->begin;
  if (area->end <= area->begin || !prof_is_mapped(area->begin, area->end - area->begin))
    return 0;
  const size_t size = area->end - area->begin;
  if (text[size - 1] == '\0' || area->environment_end <= area->end)
    return size < PROF_MAX_PATH ? size : PROF_MAX_PATH - 1;
  const size_t room = area->environment_end - area->begin;
  if (!prof_is_mapped(area->begin, room))
    return 0;
  size_t length = 0;
  while (length < room && length < PROF_MAX_PATH - 1 && text[length])
    length++;
  return length;
}

void prof_title_look(void)
{
  struct prof_process *process = &prof_process;
  if (!(process->header->flags & FMT_REC_CHILD))
    return;
  const char *text = (const char *)process->arguments.begin;
  const size_t size = shown_size(&process->arguments);
  /* Another thread that has it notes the same. */
  if (size == 0 || !prof_lock_try(&process->title_lock))
    return;
  if (!is_noted(process->header, text, size))
    take(process->header, text, size);
  prof_unlock(&process->title_lock);
}
