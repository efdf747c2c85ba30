/* pthread_kill() of four threads, each of which counts its own. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t handled;

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  sem_post(&handled);
}

static void *thread(void *ended)
{
  CALLED(thread);
  while (!__atomic_load_n((int *)ended, __ATOMIC_ACQUIRE))
    usleep(500);
  return NULL;
}

int main(void)
{
  CALLED(main);
  static int ended;
  pthread_t threads[4];
  sem_init(&handled, 0, 0);
  signal(SIGUSR1, handler);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, thread, &ended) == 0);
  for (int i = 0; i < 100; i++) {
    pthread_kill(threads[i % 4], SIGUSR1);
    sem_wait(&handled);
  }
  __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
