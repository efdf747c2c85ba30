/* prctl(PR_SET_DUMPABLE, 0) of another user: its own files in /proc belong to root from then on. */
/* hazard: needs root */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

OWN static int later(const char *text, int n)
{
  CALLED(later);
  return work(n) + text[0];
}

static void *thread(void *text)
{
  CALLED(thread);
  for (int i = 0; i < 50; i++)
    later((char *)text, i);
  return NULL;
}

int main(void)
{
  CALLED(main);
  int n = 0, status;
  while (n < 100)
    n = work(n);
  CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
  CHECK(prctl(PR_SET_DUMPABLE, 0L) == 0);
  CHECK(open("/proc/self/maps", O_RDONLY) == -1);
  pthread_t id;
  CHECK(pthread_create(&id, NULL, thread, "text") == 0);
  pthread_join(id, NULL);
  while (n < 300)
    n = work(n);
  fflush(stdout);
  if (fork() == 0)
    _exit(work(later("t", 0) - 't'));
  wait(&status);
  printf("%d %d\n", n, WEXITSTATUS(status));
  return 0;
}
