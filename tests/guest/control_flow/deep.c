/* Recursion 1,000,000 deep, in a thread with the stack for it, twice, and a function of two names on the way. */
#include "tests/guest/guest.h"

#include <pthread.h>

#define DEPTH 1000000

COUNTER(down);
COUNTER(other);

static long other(int n);

static long down(int n)
{
  HIT(down);
  if (n == 0)
    return 0;
  long below = n % 4 ? down(n - 1) : other(n - 1);
  KEEP(below);
  return below + 1;
}

static long other(int n)
{
  HIT(other);
  if (n == 0)
    return 0;
  long below = down(n - 1);
  KEEP(below);
  return below + 1;
}

static void *body(void *data)
{
  for (int i = 0; i < 2; i++)
    CHECK(down(DEPTH) == DEPTH);
  return data;
}

int main(void)
{
  pthread_attr_t attributes;
  pthread_t thread;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, (size_t)1 << 30) == 0);
  CHECK(pthread_create(&thread, &attributes, body, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  TELL(down);
  TELL(other);
  printf("count body 1\ncount main 1\n");
  return 0;
}
