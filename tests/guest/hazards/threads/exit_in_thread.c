/* exit() in a thread while main() and three others call on. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static volatile int calls;

OWN static int quiet_work(int n)
{
  CALLED(quiet_work);
  return n + 1;
}

static QUIET void *spinner(void *unused)
{
  while (calls < 1000)
    calls++;
  for (;;)
    pause();
  return unused;
}

static void *ender(void *unused)
{
  CALLED(ender);
  for (int i = 0; i < 1000; i++)
    quiet_work(i);
  exit(7);
  return unused;
}

int main(void)
{
  CALLED(main);
  pthread_t id;
  for (int i = 0; i < 3; i++)
    CHECK(pthread_create(&id, NULL, spinner, NULL) == 0);
  CHECK(pthread_create(&id, NULL, ender, NULL) == 0);
  pthread_join(id, NULL);
  return 0;
}
