/* Descriptors are handed out as they would be: the lowest that is free, in the program, a thread and a child. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/wait.h>

OWN static int next(void)
{
  CALLED(next);
  int descriptor = open("/dev/null", O_RDONLY);
  close(descriptor);
  return descriptor;
}

static void *thread(void *unused)
{
  CALLED(thread);
  printf("%d\n", next());
  fflush(stdout);
  return unused;
}

int main(void)
{
  CALLED(main);
  pthread_t id;
  printf("%d\n", next());
  CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
  pthread_join(id, NULL);
  close(0);
  printf("%d\n", next());
  fflush(stdout);
  if (fork() == 0) {
    printf("%d\n", next());
    fflush(stdout);
    _exit(0);
  }
  wait(NULL);
  return 0;
}
