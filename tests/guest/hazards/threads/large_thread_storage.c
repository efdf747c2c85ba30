/* Thread-local arrays of 3 MiB, with which threads begin and end. */
#include "tests/guest/hazard.h"

#include <pthread.h>

#define ITEMS 400000

static __thread volatile long first[ITEMS] = {1};
static __thread volatile long last[ITEMS];

OWN static long work(long n)
{
  CALLED(work);
  first[n * 1000 % ITEMS] += n;
  last[ITEMS - 1 - n] += n;
  return first[n * 1000 % ITEMS] + last[ITEMS - 1 - n];
}

static void *thread(void *data)
{
  CALLED(thread);
  long sum = 0;
  for (long i = 0; i < 30; i++)
    sum += work(i);
  return (void *)(sum + (long)data);
}

int main(void)
{
  CALLED(main);
  long sum = 0;
  for (long i = 0; i < 8; i++) {
    pthread_t ids[3];
    void *result;
    for (int k = 0; k < 3; k++)
      CHECK(pthread_create(&ids[k], NULL, thread, (void *)i) == 0);
    for (int k = 0; k < 3; k++) {
      pthread_join(ids[k], &result);
      sum += (long)result;
    }
  }
  printf("%ld\n", sum + work(3));
  return 0;
}
