/* Threads with the least stack that there may be (PTHREAD_STACK_MIN), in which functions of many arguments call one
 * another. */
#include "tests/guest/hazard.h"

#include <limits.h>
#include <pthread.h>

#define LIST(type, x)                                                                                                  \
  type x##0, type x##1, type x##2, type x##3, type x##4, type x##5, type x##6, type x##7, type x##8, type x##9
#define SUM(x) (x##0 + x##1 + x##2 + x##3 + x##4 + x##5 + x##6 + x##7 + x##8 + x##9)
#define TEN(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9

OWN static long forty(LIST(long, a), LIST(long, b), LIST(long, c), LIST(long, d))
{
  CALLED(forty);
  return SUM(a) + SUM(b) + SUM(c) + SUM(d);
}

OWN static long twenty(LIST(long, a), LIST(double, b), const char *text)
{
  CALLED(twenty);
  return SUM(a) + (long)SUM(b) + text[0] + forty(TEN(a0), TEN(a1), TEN(a2), TEN(a3));
}

static void *thread(void *sum)
{
  CALLED(thread);
  for (long i = 0; i < 20; i++)
    *(long *)sum += twenty(TEN(i), TEN((double)i), "text");
  return NULL;
}

int main(void)
{
  CALLED(main);
  pthread_attr_t attributes;
  long sum = 0;
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0);
  for (int i = 0; i < 30; i++) {
    pthread_t id;
    CHECK(pthread_create(&id, &attributes, thread, &sum) == 0);
    pthread_join(id, NULL);
  }
  printf("%ld\n", sum);
  return 0;
}
