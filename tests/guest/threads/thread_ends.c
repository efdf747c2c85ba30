/* Threads that end by pthread_exit at depth, by deferred and by asynchronous cancellation, and with destructors of
 * thread-specific data that call instrumented code. */
#include "tests/guest/guest.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

COUNTER(down);
COUNTER(quits);
COUNTER(deferred);
COUNTER(asynchronous);
COUNTER(spin);
COUNTER(cleanup);
COUNTER(destroy);

static pthread_key_t key;
static sem_t ready;

static void cleanup(void *data)
{
  HIT(cleanup);
  KEEP(data);
}

static void destroy(void *data)
{
  HIT(destroy);
  long left = (long)data - 1;
  if (left > 0)
    pthread_setspecific(key, (void *)left);
}

static int down(int n)
{
  HIT(down);
  if (n == 0)
    pthread_exit((void *)3);
  int below = down(n - 1);
  KEEP(below);
  return below + 1;
}

static void *quits(void *data)
{
  HIT(quits);
  pthread_setspecific(key, (void *)3);
  pthread_cleanup_push(cleanup, data);
  down(20);
  pthread_cleanup_pop(0);
  return NULL;
}

static void *deferred(void *data)
{
  HIT(deferred);
  pthread_cleanup_push(cleanup, data);
  sem_post(&ready);
  for (;;)
    pause();
  pthread_cleanup_pop(0);
  return NULL;
}

static void spin(volatile unsigned long *turns)
{
  HIT(spin);
  sem_post(&ready);
  for (;;)
    (*turns)++;
}

static void *asynchronous(void *data)
{
  HIT(asynchronous);
  volatile unsigned long turns = 0;
  pthread_cleanup_push(cleanup, data);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  spin(&turns);
  pthread_cleanup_pop(0);
  return NULL;
}

static void *run(void *(*body)(void *), int cancel)
{
  pthread_t thread;
  void *result;
  CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
  if (cancel) {
    while (sem_wait(&ready))
      ;
    CHECK(pthread_cancel(thread) == 0);
  }
  CHECK(pthread_join(thread, &result) == 0);
  return result;
}

int main(void)
{
  CHECK(pthread_key_create(&key, destroy) == 0);
  CHECK(sem_init(&ready, 0, 0) == 0);
  for (int i = 0; i < 50; i++) {
    CHECK(run(quits, 0) == (void *)3);
    CHECK(run(deferred, 1) == PTHREAD_CANCELED);
    CHECK(run(asynchronous, 1) == PTHREAD_CANCELED);
  }
  TELL(down);
  TELL(quits);
  TELL(deferred);
  TELL(asynchronous);
  TELL(spin);
  TELL(cleanup);
  TELL(destroy);
  printf("count run 150\ncount main 1\n");
  return 0;
}
