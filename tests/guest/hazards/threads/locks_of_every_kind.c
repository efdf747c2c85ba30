/* Mutexes (robust, recursive, with priority inheritance), read-write locks, conditions, barriers, once, spin locks. */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t robust, recursive, inheriting;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static long sum;

static void at_first(void)
{
  CALLED(at_first);
  sum = 1;
}

OWN static void add(long n)
{
  CALLED(add);
  sum += n;
}

static void *thread(void *number)
{
  CALLED(thread);
  for (int i = 0; i < 100; i++) {
    pthread_once(&once, at_first);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&inheriting);
    pthread_rwlock_wrlock(&shared);
    pthread_spin_lock(&spin);
    add((long)number);
    pthread_spin_unlock(&spin);
    pthread_rwlock_unlock(&shared);
    pthread_mutex_unlock(&inheriting);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
  }
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&robust); /* and is never unlocked */
  return NULL;
}

int main(void)
{
  CALLED(main);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&inheriting, &attributes);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_spin_init(&spin, 0);
  pthread_t ids[2];
  for (long i = 0; i < 2; i++)
    CHECK(pthread_create(&ids[i], NULL, thread, (void *)(i + 1)) == 0);
  for (int i = 0; i < 2; i++) {
    pthread_join(ids[i], NULL);
    if (i == 0)
      while (pthread_mutex_lock(&robust) == EOWNERDEAD) {
        pthread_mutex_consistent(&robust);
        pthread_mutex_unlock(&robust);
        break;
      }
  }
  printf("%ld\n", sum);
  return 0;
}
