/* A thread with a stack of 64 GiB, of which it uses little, far from where it begins. */
#include "tests/guest/hazard.h"

#include <pthread.h>

#define SIZE (64UL << 30)

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

OWN static long far_down(void)
{
  CALLED(far_down);
  volatile char *room = __builtin_alloca(SIZE / 2);
  room[0] = 1;
  return work(50) + room[0];
}

static void *thread(void *data)
{
  CALLED(thread);
  (void)data;
  long sum = work(20);
  for (int i = 0; i < 20; i++)
    sum += far_down();
  return (void *)(sum + work(5));
}

int main(void)
{
  CALLED(main);
  pthread_attr_t attributes;
  pthread_t id;
  void *result, *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(stack != MAP_FAILED);
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstack(&attributes, stack, SIZE) == 0);
  CHECK(pthread_create(&id, &attributes, thread, NULL) == 0);
  pthread_join(id, &result);
  printf("%ld\n", (long)result);
  return 0;
}
