/* All descriptors are closed (close_range), those of standard streams too, and their numbers are given to files of its
 * own, in which nothing else may be written. */
#include "tests/guest/hazard.h"

#include <sys/stat.h>

#define NUMBERS 40

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n > 0 ? work(n - 1) : 0;
  return below + 1;
}

OWN static int again(int n)
{
  CALLED(again);
  return work(n) + work(n / 2);
}

int main(void)
{
  CALLED(main);
  const int output = fcntl(1, F_DUPFD, 500);
  syscall(SYS_close_range, 0L, 499L, 0L);
  for (int i = 0; i < NUMBERS; i++)
    CHECK(open(".", O_TMPFILE | O_RDWR, 0600) == i || open("/dev/null", O_RDWR) == i);
  for (int i = 0; i < 2000; i++)
    work(i);
  again(7);
  long size = 0;
  for (int i = 0; i < NUMBERS; i++) {
    struct stat status;
    CHECK(fstat(i, &status) == 0);
    size += status.st_size + lseek(i, 0, SEEK_CUR);
  }
  dprintf(output, "%ld bytes\n", size);
  return size != 0;
}
