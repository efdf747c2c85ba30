/* exec in a thread, which ends all others in the middle of calls. argv[1]: this is the second image. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static char **arguments;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static void *thread(void *unused)
{
  CALLED(thread);
  work(1);
  execl("/proc/self/exe", arguments[0], "again", (char *)NULL);
  return unused;
}

int main(int argc, char **argv)
{
  CALLED(main);
  arguments = argv;
  if (argc > 1) {
    work(2);
    printf("second\n");
    return 4;
  }
  pthread_t id;
  CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
  pthread_join(id, NULL);
  return 1;
}
