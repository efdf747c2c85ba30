/* A thread that forks; its child's only thread returns from the thread's function. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n * 2;
}

static void *thread(void *unused)
{
  CALLED(thread);
  pid_t child = fork();
  if (child == 0) {
    work(1);
    return NULL;
  }
  int status;
  waitpid(child, &status, 0);
  work(2);
  printf("%d\n", status);
  return unused;
}

int main(void)
{
  CALLED(main);
  pthread_t id;
  CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
  pthread_join(id, NULL);
  return 0;
}
