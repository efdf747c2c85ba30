/* chroot() into an empty folder, and then so many threads at once that the recording has to grow. */
/* hazard: needs root */
/* hazard: expect static falls: nothing stands in for the C library, so that it cannot grow, which a line says */
#include "tests/guest/hazard.h"

#include <pthread.h>

#define THREADS 400

static pthread_barrier_t all_work;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static QUIET void *thread(void *argument)
{
  (void)argument;
  int n = 0;
  while (n < 10)
    n = work(n);
  pthread_barrier_wait(&all_work);
  return NULL;
}

int main(void)
{
  CALLED(main);
  char name[] = "root-XXXXXX";
  pthread_t threads[THREADS];
  work(0);
  CHECK(pthread_barrier_init(&all_work, NULL, THREADS) == 0);
  CHECK(mkdtemp(name) && chroot(name) == 0 && chdir("/") == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, thread, NULL) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  puts("done");
  return 0;
}
