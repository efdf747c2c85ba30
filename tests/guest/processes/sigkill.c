/* Calls functions for ever, and tells through a shared file how far it came, until somebody kills it. argv[1]: the
 * file; argv[2] "threads": each time in a thread of its own. */
#include "tests/guest/guest.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct progress {
  volatile uint64_t started; /* calls of step() that began */
  volatile uint64_t done;    /* calls of step() that returned */
};

static int inner(int x)
{
  KEEP(x);
  return x + 1;
}

static int step(int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += inner(i);
  return sum;
}

static QUIET void *body(void *data)
{
  int sum = step((int)(uintptr_t)data);
  KEEP(sum);
  return NULL;
}

static QUIET void step_in_thread(int n)
{
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, (void *)(uintptr_t)n) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
  CHECK(argc >= 2);
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  CHECK(fd >= 0);
  CHECK(ftruncate(fd, sizeof(struct progress)) == 0);
  struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(progress != MAP_FAILED);
  for (unsigned round = 0;; round++) {
    progress->started++;
    if (argc > 2)
      step_in_thread((int)(round % 7));
    else
      body((void *)(uintptr_t)(round % 7));
    progress->done++;
  }
}
