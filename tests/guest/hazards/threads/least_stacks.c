/* Threads with the least stack that the system allows, PTHREAD_STACK_MIN. */
#include "tests/guest/hazard.h"

#include <limits.h>
#include <pthread.h>

OWN static int work(int n)
{
  CALLED(work);
  KEEP(n);
  return n;
}

static void *thread(void *unused)
{
  CALLED(thread);
  for (int i = 0; i < 100; i++)
    work(i);
  return unused;
}

int main(void)
{
  CALLED(main);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0);
  for (int i = 0; i < 50; i++) {
    pthread_t id;
    CHECK(pthread_create(&id, &attributes, thread, NULL) == 0);
    pthread_join(id, NULL);
  }
  return 0;
}
