/*
 * Who gets a monitor's intervals: a thread with a queue of its own for each, so that one that takes its time delays
 * neither the readings nor the others.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_MONITOR_CONSUMER_H
#define CALLSIG_OUTPUT_MONITOR_MONITOR_CONSUMER_H

#include <pthread.h>
#include <stdatomic.h>

#include "output/pipeline/pipeline.h"

/* One reading: everything so far. Shared by the consumers. */
struct out_snapshot {
  atomic_uint references;
  unsigned number; /* 1, 2, 3 ... */
  bool final;
  struct callsig_pipeline *pipeline;
};

/* Takes the pipeline over; NULL when memory is short, after a message. The caller has the one reference. */
struct out_snapshot *out_snapshot_new(struct callsig_pipeline *pipeline, unsigned number, bool final);
/* NULL is allowed. */
void out_snapshot_release(struct out_snapshot *snapshot);

/* Gets intervals, oldest first: all of them, or it fails, and then gets them again, with others behind. */
typedef int (*out_deliver_fn)(const struct callsig_pipeline *const *intervals, size_t count, void *data);

enum {
  OUT_CONSUMER_WAITING = 64, /* readings that may wait; more are joined */
  OUT_CONSUMER_BATCH = 32,   /* of them, the most that are delivered at a time */
};

struct out_consumer {
  out_deliver_fn deliver;
  void *data;
  size_t batch;
  pthread_t thread;
  bool running;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Under the lock. */
  struct out_snapshot *waiting[OUT_CONSUMER_WAITING];
  size_t count, delivering; /* the first of them are being delivered */
  bool stopping;
  atomic_ullong cpu_ns;       /* what the thread has used so far, but for the delivery that is going on */
  atomic_ullong functions_ns; /* of it, for the last delivery with functions */
  /* The thread's own. */
  struct out_snapshot *before, *functions_before; /* what was delivered last; NULL: nothing */
  unsigned failures;                              /* deliveries that failed */
  size_t undelivered;                             /* readings that were given up at the end */
};

/* Starts the thread. `batch`: at most so many intervals at a time. 0 or -EAGAIN. */
int out_consumer_start(struct out_consumer *consumer, out_deliver_fn deliver, void *data, size_t batch);
/* Adds a reading: its own reference to it. Never waits for a delivery. */
void out_consumer_push(struct out_consumer *consumer, struct out_snapshot *snapshot);
/* Delivers what waits, or gives up after some tries, and ends the thread. */
void out_consumer_stop(struct out_consumer *consumer);

#endif
