/* A queue whose slots are reserved before there is an item: a program's own, and it tells of it as of one put. */
#ifndef CALLSIG_TESTS_PIPELINES_RESERVING_QUEUE_H
#define CALLSIG_TESTS_PIPELINES_RESERVING_QUEUE_H

#include <callsig/callsig.h>
#include <pthread.h>
#include <stdint.h>

struct reserving_queue {
  struct callsig_queue *queue;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned capacity; /* at most 64 */
  unsigned reserved, first, count;
  int shut;
  uint64_t items[64];
};

static uint64_t reserve(struct reserving_queue *slots)
{
  const uint64_t token = callsig_queue_put_begin(slots->queue);
  pthread_mutex_lock(&slots->mutex);
  while (slots->reserved + slots->count == slots->capacity)
    pthread_cond_wait(&slots->changed, &slots->mutex);
  slots->reserved++;
  pthread_mutex_unlock(&slots->mutex);
  return token;
}

static void fill(struct reserving_queue *slots, uint64_t token, uint64_t item)
{
  pthread_mutex_lock(&slots->mutex);
  slots->items[(slots->first + slots->count++) % 64] = item;
  slots->reserved--;
  callsig_queue_put_end(slots->queue, token, item, 0);
  pthread_cond_broadcast(&slots->changed);
  pthread_mutex_unlock(&slots->mutex);
}

static int take(struct reserving_queue *slots, uint64_t *item)
{
  const uint64_t token = callsig_queue_get_begin(slots->queue);
  pthread_mutex_lock(&slots->mutex);
  while (slots->count == 0 && !slots->shut)
    pthread_cond_wait(&slots->changed, &slots->mutex);
  const int none = slots->count == 0;
  if (!none) {
    *item = slots->items[slots->first];
    slots->first = (slots->first + 1) % 64;
    slots->count--;
  }
  callsig_queue_get_end(slots->queue, token, none ? 0 : *item, none);
  pthread_cond_broadcast(&slots->changed);
  pthread_mutex_unlock(&slots->mutex);
  return none;
}

static void shut_slots(struct reserving_queue *slots)
{
  pthread_mutex_lock(&slots->mutex);
  slots->shut = 1;
  pthread_cond_broadcast(&slots->changed);
  pthread_mutex_unlock(&slots->mutex);
}

#endif
