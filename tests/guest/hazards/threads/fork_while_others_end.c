/* fork() again and again while other threads begin and end; the children call, too. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static void *thread(void *unused)
{
  CALLED(thread);
  work(1);
  return unused;
}

static void *threads(void *ended)
{
  CALLED(threads);
  while (!__atomic_load_n((int *)ended, __ATOMIC_ACQUIRE)) {
    pthread_t id;
    CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
    pthread_join(id, NULL);
  }
  return NULL;
}

int main(void)
{
  CALLED(main);
  static int ended;
  pthread_t id;
  int sum = 0;
  CHECK(pthread_create(&id, NULL, threads, &ended) == 0);
  for (int i = 0; i < 20; i++) {
    int status;
    pid_t child = fork();
    if (child == 0)
      _exit(work(i));
    CHECK(waitpid(child, &status, 0) == child);
    sum += WEXITSTATUS(status);
  }
  __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
  pthread_join(id, NULL);
  printf("%d\n", sum);
  return 0;
}
