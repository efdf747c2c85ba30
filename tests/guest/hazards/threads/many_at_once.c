/* Three hundred threads that are alive at once. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static pthread_barrier_t all;

OWN static int work(int n)
{
  CALLED(work);
  return n;
}

static void *thread(void *unused)
{
  CALLED(thread);
  work(1);
  pthread_barrier_wait(&all);
  work(2);
  return unused;
}

int main(void)
{
  CALLED(main);
  static pthread_t ids[300];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 65536);
  pthread_barrier_init(&all, NULL, 301);
  for (int i = 0; i < 300; i++)
    CHECK(pthread_create(&ids[i], &attributes, thread, NULL) == 0);
  pthread_barrier_wait(&all);
  for (int i = 0; i < 300; i++)
    pthread_join(ids[i], NULL);
  return 0;
}
