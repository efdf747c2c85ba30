/* Threads that are cancelled at a cancellation point, below handlers of pthread_cleanup_push. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static int cleaned;

static void clean(void *unused)
{
  CALLED(clean);
  (void)unused;
  __atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
}

OWN static void wait_for_ever(int depth)
{
  CALLED(wait_for_ever);
  pthread_cleanup_push(clean, NULL);
  if (depth)
    wait_for_ever(depth - 1);
  for (;;)
    pause();
  pthread_cleanup_pop(0);
}

static void *thread(void *unused)
{
  CALLED(thread);
  wait_for_ever(3);
  return unused;
}

int main(void)
{
  CALLED(main);
  for (int i = 0; i < 20; i++) {
    pthread_t id;
    void *result;
    CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
    pthread_cancel(id);
    pthread_join(id, &result);
    if (result != PTHREAD_CANCELED)
      return 1;
  }
  return 0;
}
