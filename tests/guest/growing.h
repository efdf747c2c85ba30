/*
 * What hazards share whose recording goes out of reach and has to grow then: grow() has so many threads alive at once
 * that what was mapped before is not enough.
 */
#ifndef CALLSIG_TESTS_GROWING_H
#define CALLSIG_TESTS_GROWING_H

#include "tests/guest/hazard.h"

#include <pthread.h>

#define THREADS 400

static pthread_barrier_t all_work;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static QUIET void *work_beside(void *argument)
{
  (void)argument;
  int n = 0;
  while (n < 10)
    n = work(n);
  pthread_barrier_wait(&all_work);
  return NULL;
}

static QUIET void grow(void)
{
  pthread_t threads[THREADS];
  CHECK(pthread_barrier_init(&all_work, NULL, THREADS) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, work_beside, NULL) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

#endif
