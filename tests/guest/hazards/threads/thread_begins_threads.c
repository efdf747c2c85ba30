/* Threads that begin threads, eight deep, each joined by the one before. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static void *thread(void *depth)
{
  CALLED(thread);
  pthread_t id;
  void *below = NULL;
  if (depth && pthread_create(&id, NULL, thread, (char *)depth - 1) == 0)
    pthread_join(id, &below);
  return (char *)below + 1;
}

int main(void)
{
  CALLED(main);
  long sum = 0;
  for (int i = 0; i < 20; i++)
    sum += (long)thread((void *)8);
  printf("%ld\n", sum);
  return 0;
}
