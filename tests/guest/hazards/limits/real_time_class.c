/* SCHED_FIFO on one processor, with a second thread of a lower priority that calls, too. */
/* hazard: needs root */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sched.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static void *thread(void *priority)
{
  CALLED(thread);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  sched_setaffinity(0, sizeof set, &set);
  (void)sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){(int)(long)priority});
  int n = 0;
  while (n < 500)
    n = work(n);
  return NULL;
}

int main(void)
{
  CALLED(main);
  pthread_t ids[2];
  for (long i = 0; i < 2; i++)
    CHECK(pthread_create(&ids[i], NULL, thread, (void *)(i + 1)) == 0);
  for (int i = 0; i < 2; i++)
    pthread_join(ids[i], NULL);
  return 0;
}
