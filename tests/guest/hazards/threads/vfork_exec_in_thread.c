/* Threads that vfork() while others call, whose children call and execute the program again. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/wait.h>

#define THREADS 4
#define TURNS   5

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

OWN static void execute(void)
{
  CALLED(execute);
  execl("/proc/self/exe", "again", "child", (char *)NULL);
  _exit(9);
}

static void *thread(void *sum)
{
  CALLED(thread);
  for (int i = 0; i < TURNS; i++) {
    for (int n = 0; n < 100; n++)
      *(int *)sum += work(n);
    int status = 0;
    const pid_t child = vfork();
    if (child == 0)
      execute();
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  (void)argv;
  CALLED(main);
  if (argc == 2)
    return work(2);
  pthread_t threads[THREADS];
  int sums[THREADS] = {0};
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, thread, &sums[i]) == 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    printf("%d\n", sums[i]);
  }
  return 0;
}
