// pthread_exit() and cancellation through frames with destructors and catch (...).
#include "tests/guest/hazard.h"

#include <pthread.h>

static int cleaned;

struct Guard {
  __attribute__((noinline)) ~Guard()
  {
    __atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
  }
};

extern "C" OWN void end_thread(int n)
{
  CALLED(end_thread);
  Guard guard;
  try {
    if (n == 0)
      pthread_exit(nullptr);
    end_thread(n - 1);
  } catch (...) {
    throw;
  }
  KEEP(n);
}

extern "C" OWN void *thread(void *cancelled)
{
  CALLED(thread);
  Guard guard;
  if (!cancelled)
    end_thread(3);
  for (;;)
    pause();
}

int main()
{
  CALLED(main);
  static int cancel;
  for (int i = 0; i < 20; i++) {
    pthread_t id;
    CHECK(pthread_create(&id, nullptr, thread, i % 2 ? &cancel : nullptr) == 0);
    if (i % 2)
      pthread_cancel(id);
    pthread_join(id, nullptr);
  }
  printf("%d\n", cleaned > 40);
  return 0;
}
