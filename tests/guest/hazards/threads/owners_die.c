/* Threads that end as owners of a robust mutex with inherited priority, one after the other. */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

static QUIET void calls(void)
{
  for (long i = 0; i < 500; i++)
    work(i % 7);
}

static QUIET void *own(void *unused)
{
  CHECK(pthread_mutex_lock(&mutex) == 0);
  calls();
  return unused;
}

int main(void)
{
  CALLED(main);
  pthread_mutexattr_t how;
  CHECK(pthread_mutexattr_init(&how) == 0 && pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST) == 0);
  CHECK(pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT) == 0 && pthread_mutex_init(&mutex, &how) == 0);
  for (int i = 0; i < 100; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, own, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_consistent(&mutex) == 0);
    work(3);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
  }
  puts("done");
  return 0;
}
