/* Threads on stacks that the program gives, from the heap, and uses again for the next. */
#include "tests/guest/hazard.h"

#include <pthread.h>

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

static void *thread(void *depth)
{
  CALLED(thread);
  return (void *)work((long)depth);
}

int main(void)
{
  CALLED(main);
  void *stack;
  long sum = 0;
  CHECK(posix_memalign(&stack, 4096, 1 << 20) == 0);
  for (long i = 0; i < 50; i++) {
    pthread_attr_t attributes;
    pthread_t id;
    void *result;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstack(&attributes, stack, 1 << 20) == 0);
    CHECK(pthread_create(&id, &attributes, thread, (void *)(i % 30)) == 0);
    pthread_join(id, &result);
    sum += (long)result;
  }
  free(stack);
  printf("%ld\n", sum);
  return 0;
}
