/* Threads whose names are empty, are no text, or would steer a terminal. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/prctl.h>

static const char *const names[] = {"",           "\x1b[31mred", "a,b\"c",         "\xff\xfe\x80",
                                    "two\nlines", "=1+1",        "fifteen letters"};

OWN static long work(long n)
{
  CALLED(work);
  return n + 1;
}

static void *thread(void *name)
{
  CALLED(thread);
  long n = work(0);
  prctl(PR_SET_NAME, name);
  while (n < 20)
    n = work(n);
  return (void *)n;
}

int main(void)
{
  CALLED(main);
  long sum = 0;
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
    pthread_t id;
    void *result;
    CHECK(pthread_create(&id, NULL, thread, (void *)(uintptr_t)names[i]) == 0);
    pthread_join(id, &result);
    sum += (long)result;
  }
  printf("%ld\n", sum);
  return 0;
}
