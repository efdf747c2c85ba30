/* Four threads that begin children by vfork() and by posix_spawn(), again and again, while all of them call. argv[1]:
 * this is one. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

#define TIMES 12

extern char **environ;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

OWN static int by_vfork(char *path)
{
  CALLED(by_vfork);
  char *const arguments[] = {path, "child", NULL};
  const pid_t child = vfork();
  if (child == 0) {
    execv("/proc/self/exe", arguments);
    _exit(9);
  }
  return child;
}

OWN static int by_spawn(char *path)
{
  CALLED(by_spawn);
  pid_t child;
  char *const arguments[] = {path, "child", NULL};
  CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
  return child;
}

static void *thread(void *path)
{
  CALLED(thread);
  long sum = 0;
  for (int i = 0; i < TIMES; i++) {
    int status;
    const pid_t child = i & 1 ? by_vfork(path) : by_spawn(path);
    sum += work(i);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    sum += WEXITSTATUS(status);
  }
  return (void *)sum;
}

int main(int argc, char **argv)
{
  CALLED(main);
  pthread_t ids[4];
  long sum = 0;
  if (argc > 1)
    return work(6);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&ids[i], NULL, thread, argv[0]) == 0);
  for (int i = 0; i < 4; i++) {
    void *result;
    pthread_join(ids[i], &result);
    sum += (long)result;
  }
  printf("%ld\n", sum);
  return 0;
}
