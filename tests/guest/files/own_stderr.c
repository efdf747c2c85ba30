/* A program that closes its stderr and has a file of its own under that number, while there is something to say.
 * argv[1]: the file. Nothing but its own bytes may be in it. Its limit on the size of files makes the recording full.
 */
#include "tests/guest/guest.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define FUNCTIONS 6u

typedef int (*function)(unsigned order, unsigned depth);
static int next(unsigned order, unsigned depth);

#define FUNCTION(number)                                                                                               \
  __attribute__((noinline)) static int path_##number(unsigned order, unsigned depth)                                   \
  {                                                                                                                    \
    int below = depth ? next(order, depth - 1) : 0;                                                                    \
    KEEP(below);                                                                                                       \
    return below + 1;                                                                                                  \
  }

FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)

static QUIET int next(unsigned order, unsigned depth)
{
  static const function functions[FUNCTIONS] = {path_0, path_1, path_2, path_3, path_4, path_5};
  return functions[order % FUNCTIONS](order / FUNCTIONS, depth);
}

int main(int argc, char **argv)
{
  CHECK(argc == 2);
  close(2);
  CHECK(open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) == 2);
  struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  for (unsigned order = 0; order < 6 * 6 * 6 * 6 * 6; order++)
    next(order, 4);
  CHECK(write(2, "mine", 4) == 4);
  CHECK(lseek(2, 0, SEEK_END) == 4);
  printf("done\n");
  return 0;
}
