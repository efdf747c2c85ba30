/*
 * The list of a thread's open tasks: chunks of a page, linked both ways.
 */
#include "profiler/pipeline/open_task.h"

#include <sys/mman.h>

#include "profiler/base/compiler.h"
#include "profiler/base/lock.h"
#include "profiler/base/syscall.h"
#include "profiler/base/thread_end.h"

_Static_assert(sizeof(struct prof_open_chunk) <= PROF_OPEN_CHUNK_SIZE, "a chunk fits a page");

__thread struct prof_open_chunk *prof_open_chunk __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A chunk after `outer`, which is full or NULL, with signals blocked. */
static struct prof_open_chunk *next_chunk(struct prof_open_chunk *outer)
{
  if (outer && outer->inner)
    return outer->inner;
  long mapped = prof_sys_mmap(0, PROF_OPEN_CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped))
    return NULL;
  struct prof_open_chunk *made = (struct prof_open_chunk *)mapped;
  made->outer = outer;
  if (outer)
    outer->inner = made;
  else
    prof_thread_watch();
  return made;
}

PROF_COLD bool prof_open_tasks_advance(void)
{
  uint64_t mask = prof_block_signals();
  struct prof_open_chunk *next = next_chunk(prof_open_chunk);
  if (next)
    prof_open_chunk = next;
  prof_restore_signals(mask);
  return next != NULL;
}

/* The task before `task` in the list, or the last one for NULL, or NULL. */
static struct prof_open_task *before(const struct prof_open_task *task)
{
  struct prof_open_chunk *chunk = prof_open_chunk;
  if (task)
    while (chunk && !(task >= chunk->tasks && task < chunk->tasks + PROF_OPEN_CHUNK_TASKS))
      chunk = chunk->outer;
  if (!chunk)
    return NULL;
  uint64_t place = task ? (uint64_t)(task - chunk->tasks) : chunk->used;
  if (place > 0)
    return &chunk->tasks[place - 1];
  chunk = chunk->outer;
  return chunk && chunk->used ? &chunk->tasks[chunk->used - 1] : NULL;
}

struct prof_open_task *prof_open_task_before(const struct prof_open_task *task)
{
  struct prof_open_task *outer = before(task);
  while (outer && !outer->stage)
    outer = before(outer);
  return outer;
}

struct prof_open_task *prof_open_task_of_frame(const struct fmt_rec_frame *frame)
{
  struct prof_open_task *task = before(NULL);
  while (task && task->frame != frame)
    task = before(task);
  return task;
}

struct prof_open_task *prof_open_task_around(const struct prof_open_task *task)
{
  struct prof_open_task *outer = before(task);
  while (outer && !outer->frame)
    outer = before(outer);
  return outer;
}

void prof_open_tasks_forget_frames(void)
{
  for (struct prof_open_task *task = before(NULL); task; task = before(task))
    task->frame = NULL;
}

void prof_open_tasks_release(void)
{
  uint64_t mask = prof_block_signals();
  struct prof_open_chunk *chunk = prof_open_chunk;
  prof_open_chunk = NULL;
  while (chunk && chunk->inner)
    chunk = chunk->inner;
  while (chunk) {
    struct prof_open_chunk *outer = chunk->outer;
    prof_sys_munmap(chunk, PROF_OPEN_CHUNK_SIZE);
    chunk = outer;
  }
  prof_restore_signals(mask);
}
