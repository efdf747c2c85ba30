/* Threads that end by the bare system call, past the C library, and a timer on which nobody waits for them. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static volatile int worked;

OWN static int work(int n)
{
  CALLED(work);
  return n;
}

static void *thread(void *unused)
{
  CALLED(thread);
  work(1);
  __atomic_add_fetch(&worked, 1, __ATOMIC_RELEASE);
  syscall(SYS_exit, 0L);
  return unused;
}

int main(void)
{
  CALLED(main);
  for (int i = 0; i < 10; i++) {
    pthread_t id;
    CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
    while (__atomic_load_n(&worked, __ATOMIC_ACQUIRE) <= i)
      usleep(100);
  }
  work(2);
  fflush(stdout);
  _exit(3);
}
