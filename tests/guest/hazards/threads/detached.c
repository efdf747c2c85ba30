/* Twenty detached threads, of which the last ends the process. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static int left = 20;

OWN static int work(int n)
{
  CALLED(work);
  return n - 1;
}

static void *thread(void *unused)
{
  CALLED(thread);
  for (int i = 0; i < 100; i++)
    work(i);
  if (__atomic_sub_fetch(&left, 1, __ATOMIC_ACQ_REL) == 0)
    exit(5);
  for (;;)
    pause();
  return unused;
}

int main(void)
{
  CALLED(main);
  for (int i = 0; i < 20; i++) {
    pthread_t id;
    CHECK(pthread_create(&id, NULL, thread, NULL) == 0 && pthread_detach(id) == 0);
  }
  for (;;)
    pause();
}
