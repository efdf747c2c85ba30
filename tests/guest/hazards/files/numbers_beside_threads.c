/* Descriptors are the lowest that are free, and children have no others, while threads compute, more than there are
 * processors */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#define THREADS  3
#define CHILDREN 30
#define BEGUN    50 /* calls of each thread, until the others look */

static int is_done, calls[THREADS];

OWN static void compute(int *count)
{
  CALLED(compute);
  for (volatile int i = 0; i < 20000; i++)
    ;
  __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static void *thread(void *count)
{
  CALLED(thread);
  while (!__atomic_load_n(&is_done, __ATOMIC_RELAXED))
    compute(count);
  return NULL;
}

OWN static int next(void)
{
  CALLED(next);
  int descriptor = open("/dev/null", O_RDONLY);
  close(descriptor);
  return descriptor;
}

static QUIET double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* In a child that makes no calls. */
static QUIET int has_others(int first)
{
  for (int descriptor = first; descriptor < first + 8; descriptor++)
    if (fcntl(descriptor, F_GETFD) >= 0)
      return 1;
  return 0;
}

int main(void)
{
  CALLED(main);
  pthread_t ids[THREADS];
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&ids[i], NULL, thread, &calls[i]) == 0);
  for (int i = 0; i < THREADS; i++)
    while (__atomic_load_n(&calls[i], __ATOMIC_RELAXED) < BEGUN)
      ;
  const int first = next();
  int others = 0, status;
  for (const double end = now() + 0.5; now() < end;)
    others += next() != first;
  printf("other numbers: %d\n", others);
  fflush(stdout);
  for (int i = others = 0; i < CHILDREN; i++) {
    const pid_t child = fork();
    if (child == 0)
      _exit(has_others(first));
    CHECK(waitpid(child, &status, 0) == child);
    others += status != 0;
  }
  printf("children with other descriptors: %d\n", others);
  __atomic_store_n(&is_done, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < THREADS; i++)
    pthread_join(ids[i], NULL);
  return 0;
}
