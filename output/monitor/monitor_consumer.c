/* Hands intervals to the callback or the database, in a thread of its own. */
#include "output/monitor/monitor_consumer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "output/text/message.h"

enum {
  RETRY_MS = 500, /* after a failed delivery */
  LAST_TRIES = 5, /* at the end */
};

struct out_snapshot *out_snapshot_new(struct callsig_pipeline *pipeline, unsigned number, bool final)
{
  struct out_snapshot *snapshot = malloc(sizeof *snapshot);
  if (!snapshot) {
    out_stats_no_memory();
    return NULL;
  }
  *snapshot = (struct out_snapshot){.number = number, .final = final, .pipeline = pipeline};
  atomic_init(&snapshot->references, 1);
  return snapshot;
}

void out_snapshot_release(struct out_snapshot *snapshot)
{
  if (!snapshot || atomic_fetch_sub(&snapshot->references, 1) != 1)
    return;
  callsig_pipeline_free(snapshot->pipeline);
  free(snapshot);
}

static struct out_snapshot *retain(struct out_snapshot *snapshot)
{
  atomic_fetch_add(&snapshot->references, 1);
  return snapshot;
}

void out_consumer_push(struct out_consumer *consumer, struct out_snapshot *snapshot)
{
  pthread_mutex_lock(&consumer->lock);
  /* When the queue is full, the newest reading gives way: its interval and this one become one. A batch is smaller than
   * the queue, so that it is not being delivered. */
  if (consumer->count == OUT_CONSUMER_WAITING)
    out_snapshot_release(consumer->waiting[--consumer->count]);
  consumer->waiting[consumer->count++] = retain(snapshot);
  pthread_cond_signal(&consumer->changed);
  pthread_mutex_unlock(&consumer->lock);
}

/* The intervals that the first `count` readings end, which nobody changes meanwhile. Returns how many could be made. */
static size_t make_intervals(struct out_consumer *consumer, size_t count, struct callsig_pipeline **intervals)
{
  const struct out_snapshot *before = consumer->before, *functions = consumer->functions_before;
  size_t made = 0;
  for (; made < count; made++) {
    const struct out_snapshot *now = consumer->waiting[made];
    if (out_pipeline_delta(before ? before->pipeline : NULL, functions ? functions->pipeline : NULL, now->pipeline,
                           &intervals[made]) < 0)
      break;
    intervals[made]->info.intervals = now->number - (before ? before->number : 0);
    intervals[made]->info.final = now->final;
    before = now;
    if (now->pipeline->has_functions)
      functions = now;
  }
  return made;
}

/* The first `count` readings have been delivered. */
static void advance(struct out_consumer *consumer, size_t count)
{
  pthread_mutex_lock(&consumer->lock);
  for (size_t i = 0; i < count; i++) {
    struct out_snapshot *now = consumer->waiting[i];
    if (now->pipeline->has_functions) {
      out_snapshot_release(consumer->functions_before);
      consumer->functions_before = retain(now);
    }
    out_snapshot_release(consumer->before);
    consumer->before = now;
  }
  consumer->count -= count;
  for (size_t i = 0; i < consumer->count; i++)
    consumer->waiting[i] = consumer->waiting[count + i];
  pthread_mutex_unlock(&consumer->lock);
}

/* Delivers up to `count` readings. 0 when it did. */
static int deliver(struct out_consumer *consumer, size_t count)
{
  struct callsig_pipeline *intervals[OUT_CONSUMER_BATCH];
  size_t made = make_intervals(consumer, count, intervals);
  int result =
      made > 0 ? consumer->deliver((const struct callsig_pipeline *const *)intervals, made, consumer->data) : -ENOMEM;
  for (size_t i = 0; i < made; i++)
    callsig_pipeline_free(intervals[i]);
  if (result == 0)
    advance(consumer, made);
  return result;
}

/* Waits for readings; after a failed delivery at most for a while. The number to deliver, 0: it is over. */
static size_t wait_for_readings(struct out_consumer *consumer, bool failed)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += RETRY_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_mutex_lock(&consumer->lock);
  while (failed && pthread_cond_timedwait(&consumer->changed, &consumer->lock, &until) != ETIMEDOUT)
    ;
  while (consumer->count == 0 && !consumer->stopping)
    pthread_cond_wait(&consumer->changed, &consumer->lock);
  size_t count = consumer->count < consumer->batch ? consumer->count : consumer->batch;
  pthread_mutex_unlock(&consumer->lock);
  return count;
}

static bool is_stopping(struct out_consumer *consumer)
{
  pthread_mutex_lock(&consumer->lock);
  bool stopping = consumer->stopping;
  pthread_mutex_unlock(&consumer->lock);
  return stopping;
}

/* Notes what the thread has used, now that a delivery is over. `functions`: what was delivered of them before. */
static void note_use(struct out_consumer *consumer, const struct out_snapshot *functions)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  const unsigned long long used = (unsigned long long)time.tv_sec * 1000000000u + (unsigned long long)time.tv_nsec;
  if (consumer->functions_before != functions)
    atomic_store(&consumer->functions_ns, used - atomic_load(&consumer->cpu_ns));
  atomic_store(&consumer->cpu_ns, used);
}

static void *consume(void *data)
{
  struct out_consumer *consumer = data;
  unsigned last_tries = 0;
  bool failed = false;
  for (size_t count; (count = wait_for_readings(consumer, failed)) > 0;) {
    const struct out_snapshot *functions = consumer->functions_before;
    failed = deliver(consumer, count) < 0;
    consumer->failures += failed;
    note_use(consumer, functions);
    if (failed && is_stopping(consumer) && ++last_tries == LAST_TRIES)
      break;
  }
  return NULL;
}

int out_consumer_start(struct out_consumer *consumer, out_deliver_fn deliver_intervals, void *data, size_t batch)
{
  pthread_condattr_t attributes;
  sigset_t all, mask;
  *consumer = (struct out_consumer){.deliver = deliver_intervals, .data = data, .batch = batch};
  pthread_mutex_init(&consumer->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&consumer->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  /* Signals are the program's, or the command's, own threads'. */
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  int error = pthread_create(&consumer->thread, NULL, consume, consumer);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  consumer->running = error == 0;
  return -error;
}

void out_consumer_stop(struct out_consumer *consumer)
{
  if (!consumer->running)
    return;
  pthread_mutex_lock(&consumer->lock);
  consumer->stopping = true;
  pthread_cond_signal(&consumer->changed);
  pthread_mutex_unlock(&consumer->lock);
  pthread_join(consumer->thread, NULL);
  consumer->running = false;
  consumer->undelivered = consumer->count;
  for (size_t i = 0; i < consumer->count; i++)
    out_snapshot_release(consumer->waiting[i]);
  out_snapshot_release(consumer->before);
  out_snapshot_release(consumer->functions_before);
  pthread_mutex_destroy(&consumer->lock);
  pthread_cond_destroy(&consumer->changed);
}
