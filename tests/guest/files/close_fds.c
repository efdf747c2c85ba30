/* Closes every descriptor but the standard three at start, as daemons do, opens its own at the numbers it expects, and
 * goes on making new calls, so that the recording has to grow. */
#include "tests/guest/guest.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

COUNTER(varied);
COUNTER(leaf);

static int leaf(long x)
{
  HIT(leaf);
  KEEP(x);
  return (int)x;
}

#define LEVEL(name, next)                                                                                              \
  __attribute__((noinline)) static int name(long x)                                                                    \
  {                                                                                                                    \
    return next(x * 2) + next(x * 2 + 1);                                                                              \
  }

static int varied(long x)
{
  HIT(varied);
  return leaf(x % 200);
}

LEVEL(level_one, varied)
LEVEL(level_two, level_one)
LEVEL(level_three, level_two)

static int open_descriptors(void)
{
  int count = 0;
  for (int fd = 0; fd < 1024; fd++)
    count += fcntl(fd, F_GETFD) != -1;
  return count;
}

int main(void)
{
  for (int fd = 3; fd < 1024; fd++)
    close(fd);
  CHECK(open_descriptors() == 3);
  int fd = open("/dev/null", O_WRONLY);
  CHECK(fd == 3);
  for (long i = 0; i < 2000; i++) {
    level_three(i);
    CHECK(write(fd, "x", 1) == 1);
  }
  CHECK(open_descriptors() == 4);
  CHECK(close(fd) == 0);
  CHECK(open("/dev/null", O_RDONLY) == 3);
  TELL(varied);
  TELL(leaf);
  printf(
      "count level_one 8000\ncount level_two 4000\ncount level_three 2000\ncount open_descriptors 2\ncount main 1\n");
  return 0;
}
