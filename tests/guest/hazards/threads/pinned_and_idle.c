/* Threads pinned to one processor, of the classes SCHED_IDLE and SCHED_BATCH, with every niceness. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static void *thread(void *number)
{
  CALLED(thread);
  long which = (long)number;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  sched_setaffinity(0, sizeof set, &set);
  sched_setscheduler(0, which % 2 ? SCHED_IDLE : SCHED_BATCH, &(struct sched_param){0});
  setpriority(PRIO_PROCESS, 0, (int)which);
  int n = 0;
  while (n < 200)
    n = work(n);
  return NULL;
}

int main(void)
{
  CALLED(main);
  pthread_t ids[10];
  for (long i = 0; i < 10; i++)
    CHECK(pthread_create(&ids[i], NULL, thread, (void *)i) == 0);
  for (int i = 0; i < 10; i++)
    pthread_join(ids[i], NULL);
  return 0;
}
