/*
 * How long the threads of each stage were ready and waited for a processor, as the kernel tells them, beside how long
 * they lived: by that a test knows whether other programs kept them waiting.
 *
 *   struct own_wait begun = own_wait_begin();
 *   ... what the thread does ...
 *   own_wait_end(&begun, "decode");
 *
 * and own_waits_print() at the end of main, which prints "waits STAGE READY LIVED", in seconds of all its threads.
 * Where the kernel does not tell, it prints nothing.
 */
#ifndef TESTS_PIPELINES_OWN_WAITS_H
#define TESTS_PIPELINES_OWN_WAITS_H

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OWN_WAITS static __attribute__((no_instrument_function, unused))

struct own_wait {
  double ready, lived;
};

static struct own_stage_waits {
  const char *stage;
  struct own_wait sum;
} own_waits[32];
static pthread_mutex_t own_waits_lock = PTHREAD_MUTEX_INITIALIZER;

/* Seconds that the calling thread was ready and waited for a processor so far, or -1; and the time. */
OWN_WAITS struct own_wait own_wait_begin(void)
{
  struct own_wait now = {.ready = -1};
  struct timespec time;
  char text[128] = "";
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  unsigned long long ran, ready;
  if (file >= 0 && read(file, text, sizeof text - 1) > 0 && sscanf(text, "%llu %llu", &ran, &ready) == 2)
    now.ready = (double)ready * 1e-9;
  if (file >= 0)
    close(file);
  clock_gettime(CLOCK_MONOTONIC, &time);
  now.lived = (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
  return now;
}

/* Adds what was since then to that of a stage. */
OWN_WAITS void own_wait_end(const struct own_wait *begun, const char *stage)
{
  const struct own_wait now = own_wait_begin();
  const size_t most = sizeof own_waits / sizeof own_waits[0];
  size_t i = 0;
  if (begun->ready < 0 || now.ready < 0)
    return;
  pthread_mutex_lock(&own_waits_lock);
  while (i < most && own_waits[i].stage && strcmp(own_waits[i].stage, stage) != 0)
    i++;
  if (i == most)
    abort();
  own_waits[i].stage = stage;
  own_waits[i].sum.ready += now.ready - begun->ready;
  own_waits[i].sum.lived += now.lived - begun->lived;
  pthread_mutex_unlock(&own_waits_lock);
}

OWN_WAITS void own_waits_print(void)
{
  for (size_t i = 0; i < sizeof own_waits / sizeof own_waits[0] && own_waits[i].stage; i++)
    printf("waits %s %.6f %.6f\n", own_waits[i].stage, own_waits[i].sum.ready, own_waits[i].sum.lived);
}

#endif
