/*
 * A bounded queue between threads: a ring under one mutex, with the hooks of queue.c around each put and get.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "callsig/callsig.h"
#include "profiler/base/clock.h"
#include "profiler/base/options.h"
#include "profiler/base/syscall.h"

struct callsig_fifo {
  struct callsig_queue *queue;
  size_t size; /* bytes of this mapping */
  pthread_mutex_t mutex;
  pthread_cond_t not_full, not_empty;
  uint32_t capacity, first, count;
  bool shut;
  struct callsig_fifo_item items[];
};

/* A condition whose waits are timed by CLOCK_MONOTONIC. 0 or a negative errno. */
static int make_condition(pthread_cond_t *condition)
{
  pthread_condattr_t attributes;
  int error = pthread_condattr_init(&attributes);
  if (error)
    return -error;
  error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  if (!error)
    error = pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
  return -error;
}

static int make_locks(struct callsig_fifo *fifo)
{
  int error = -pthread_mutex_init(&fifo->mutex, NULL);
  if (error)
    return error;
  error = make_condition(&fifo->not_full);
  if (error)
    goto no_not_full;
  error = make_condition(&fifo->not_empty);
  if (error)
    goto no_not_empty;
  return 0;
no_not_empty:
  pthread_cond_destroy(&fifo->not_full);
no_not_full:
  pthread_mutex_destroy(&fifo->mutex);
  return error;
}

int callsig_fifo_open(const struct callsig_queue_options *given, struct callsig_fifo **fifo)
{
  struct callsig_queue_options options;
  if (!given || !fifo || given->size < sizeof given->size ||
      prof_options_check("callsig_fifo_open", given, sizeof options) != 0)
    return -EINVAL;
  prof_options_copy(&options, sizeof options, given);
  options.size = sizeof options;
  if (options.capacity == 0 || options.capacity > UINT32_MAX)
    return -EINVAL;
  const size_t size = sizeof(struct callsig_fifo) + options.capacity * sizeof(struct callsig_fifo_item);
  long mapped = prof_sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped))
    return -ENOMEM;
  struct callsig_fifo *made = (struct callsig_fifo *)mapped;
  made->size = size;
  made->capacity = (uint32_t)options.capacity;
  int error = make_locks(made);
  if (error)
    goto unmap;
  error = callsig_queue_open(&options, &made->queue);
  if (error)
    goto unlock;
  *fifo = made;
  return 0;
unlock:
  pthread_cond_destroy(&made->not_empty);
  pthread_cond_destroy(&made->not_full);
  pthread_mutex_destroy(&made->mutex);
unmap:
  prof_sys_munmap(made, size);
  return error;
}

void callsig_fifo_close(struct callsig_fifo *fifo)
{
  if (!fifo)
    return;
  callsig_queue_close(fifo->queue);
  pthread_cond_destroy(&fifo->not_empty);
  pthread_cond_destroy(&fifo->not_full);
  pthread_mutex_destroy(&fifo->mutex);
  prof_sys_munmap(fifo, fifo->size);
}

/* When `timeout_ns` from now is over, on CLOCK_MONOTONIC. */
static struct timespec deadline_of(uint64_t timeout_ns)
{
  const uint64_t second = 1000000000, now = prof_monotonic_ns(), ns = now % second + timeout_ns % second;
  return (struct timespec){.tv_sec = (time_t)(now / second + timeout_ns / second + ns / second),
                           .tv_nsec = (long)(ns % second)};
}

/* Waits once for the condition: 0 (perhaps in vain) or -ETIMEDOUT. */
static int wait(struct callsig_fifo *fifo, pthread_cond_t *condition, uint64_t timeout_ns,
                const struct timespec *deadline)
{
  if (timeout_ns == 0)
    return -ETIMEDOUT;
  if (timeout_ns == UINT64_MAX)
    return -pthread_cond_wait(condition, &fifo->mutex);
  return -pthread_cond_timedwait(condition, &fifo->mutex, deadline);
}

static int put(struct callsig_fifo *fifo, struct callsig_fifo_item item, uint64_t timeout_ns)
{
  struct timespec deadline = {0};
  int error = 0;
  if (timeout_ns != UINT64_MAX && timeout_ns != 0)
    deadline = deadline_of(timeout_ns);
  while (!fifo->shut && fifo->count == fifo->capacity && !error)
    error = wait(fifo, &fifo->not_full, timeout_ns, &deadline);
  if (fifo->shut)
    return -EPIPE;
  if (fifo->count == fifo->capacity)
    return error;
  fifo->items[((uint64_t)fifo->first + fifo->count) % fifo->capacity] = item;
  fifo->count++;
  return 0;
}

static int get(struct callsig_fifo *fifo, struct callsig_fifo_item *item, uint64_t timeout_ns)
{
  struct timespec deadline = {0};
  int error = 0;
  if (timeout_ns != UINT64_MAX && timeout_ns != 0)
    deadline = deadline_of(timeout_ns);
  while (!fifo->shut && fifo->count == 0 && !error)
    error = wait(fifo, &fifo->not_empty, timeout_ns, &deadline);
  if (fifo->count == 0)
    return fifo->shut ? -EPIPE : error;
  *item = fifo->items[fifo->first];
  fifo->first = (uint32_t)(((uint64_t)fifo->first + 1) % fifo->capacity);
  fifo->count--;
  return 0;
}

/* A thread that is cancelled while it waits lets the mutex go. */
static void unlock(void *mutex)
{
  pthread_mutex_unlock(mutex);
}

int callsig_fifo_put(struct callsig_fifo *fifo, struct callsig_fifo_item item, uint64_t timeout_ns)
{
  uint64_t token = callsig_queue_put_begin(fifo->queue);
  int error;
  pthread_mutex_lock(&fifo->mutex);
  pthread_cleanup_push(unlock, &fifo->mutex);
  error = put(fifo, item, timeout_ns);
  callsig_queue_put_end(fifo->queue, token, item.item, error);
  if (!error)
    pthread_cond_signal(&fifo->not_empty);
  pthread_cleanup_pop(1);
  return error;
}

int callsig_fifo_get(struct callsig_fifo *fifo, struct callsig_fifo_item *item, uint64_t timeout_ns)
{
  uint64_t token = callsig_queue_get_begin(fifo->queue);
  int error;
  pthread_mutex_lock(&fifo->mutex);
  pthread_cleanup_push(unlock, &fifo->mutex);
  error = get(fifo, item, timeout_ns);
  callsig_queue_get_end(fifo->queue, token, error ? 0 : item->item, error);
  if (!error)
    pthread_cond_signal(&fifo->not_full);
  pthread_cleanup_pop(1);
  return error;
}

void callsig_fifo_shut(struct callsig_fifo *fifo)
{
  pthread_mutex_lock(&fifo->mutex);
  fifo->shut = true;
  pthread_cond_broadcast(&fifo->not_full);
  pthread_cond_broadcast(&fifo->not_empty);
  pthread_mutex_unlock(&fifo->mutex);
}
