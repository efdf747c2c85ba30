/* Threads that are cancelled asynchronously, in the middle of calls. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static volatile int running;

/* Has no count of its own: it may be cancelled between its hook and that. */
OWN static int work(int n)
{
  KEEP(n);
  return n + 1;
}

static void *thread(void *unused)
{
  CALLED(thread);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (int n = 0;;) {
    n = work(n);
    running = 1;
  }
  return unused;
}

int main(void)
{
  CALLED(main);
  int cancelled = 0;
  for (int i = 0; i < 20; i++) {
    pthread_t id;
    void *result;
    running = 0;
    CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
    while (!running)
      usleep(100);
    pthread_cancel(id);
    pthread_join(id, &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  printf("%d\n", cancelled);
  return 0;
}
