/* A thread on a mapping that grows downwards (MAP_GROWSDOWN), as deep as it has to. */
#include "tests/guest/hazard.h"

#include <pthread.h>

#define ROOM  (64L << 20)
#define FIRST (128L << 10)

OWN static long work(long n)
{
  CALLED(work);
  volatile char room[1000];
  room[n % 1000] = (char)n;
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1 + (room[n % 1000] - (char)n);
}

static void *thread(void *depth)
{
  CALLED(thread);
  return (void *)(work((long)depth) + work(10));
}

int main(void)
{
  CALLED(main);
  char *room = mmap(NULL, (size_t)ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(room != MAP_FAILED && munmap(room, (size_t)ROOM) == 0);
  char *stack = mmap(room + ROOM - FIRST, (size_t)FIRST, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK(stack != MAP_FAILED);
  pthread_attr_t attributes;
  pthread_t id;
  void *result;
  pthread_attr_init(&attributes);
  /* The C library is told of all that it may become. */
  CHECK(pthread_attr_setstack(&attributes, stack + FIRST - (16L << 20), 16UL << 20) == 0);
  CHECK(pthread_create(&id, &attributes, thread, (void *)9000L) == 0);
  pthread_join(id, &result);
  printf("%ld\n", (long)result);
  return 0;
}
