/* Calls functions for ever, and tells through a shared file how far it came, until somebody kills it. argv[1]: the
 * file. */
#include "guest.h"

#include <fcntl.h>
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

int main(int argc, char **argv)
{
  CHECK(argc == 2);
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  CHECK(fd >= 0);
  CHECK(ftruncate(fd, sizeof(struct progress)) == 0);
  struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(progress != MAP_FAILED);
  for (unsigned round = 0;; round++) {
    progress->started++;
    int sum = step((int)(round % 7));
    KEEP(sum);
    progress->done++;
  }
}
