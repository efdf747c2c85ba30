/* main() leaves by pthread_exit() while others run on. */
#include "tests/guest/hazard.h"

#include <pthread.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static void *thread(void *main_thread)
{
  CALLED(thread);
  pthread_join(*(pthread_t *)main_thread, NULL);
  int n = 0;
  while (n < 1000)
    n = work(n);
  printf("%d\n", n);
  return NULL;
}

int main(void)
{
  CALLED(main);
  static pthread_t self;
  pthread_t id;
  self = pthread_self();
  CHECK(pthread_create(&id, NULL, thread, &self) == 0);
  work(1);
  pthread_exit(NULL);
}
