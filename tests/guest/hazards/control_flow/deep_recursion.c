/* Recursion of two functions, 40,000 frames deep and back, in a thread with a stack of 64 MiB. */
#include "tests/guest/hazard.h"

#include <pthread.h>

OWN static long ping(long n);

OWN static long pong(long n)
{
  CALLED(pong);
  const volatile long below = ping(n - 1);
  return below + 1;
}

OWN static long ping(long n)
{
  CALLED(ping);
  const volatile long below = n > 0 ? pong(n - 1) : 0;
  return below + 1;
}

static void *thread(void *depth)
{
  CALLED(thread);
  printf("%ld\n", ping((long)depth));
  return NULL;
}

int main(void)
{
  CALLED(main);
  pthread_attr_t attributes;
  pthread_t id;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 20);
  pthread_create(&id, &attributes, thread, (void *)40000);
  pthread_join(id, NULL);
  return 0;
}
