/* Eight functions that call each other in every order, five deep: more paths than a recording begins with room for.
 * argv[1] "refused": the kernel gives no memory from the beginning of main() on. "readable": of the mapping of the
 * recording as much can be read as the file has, and no more, before and after. */
#include "tests/guest/guest.h"

#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define FUNCTIONS 8u
#define DEPTH     5u

typedef int (*function)(unsigned order, unsigned depth);

static unsigned long calls[FUNCTIONS];
static int next(unsigned order, unsigned depth);

#define FUNCTION(number)                                                                                               \
  __attribute__((noinline)) static int path_##number(unsigned order, unsigned depth)                                   \
  {                                                                                                                    \
    calls[number]++;                                                                                                   \
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
FUNCTION(6)
FUNCTION(7)

static QUIET int next(unsigned order, unsigned depth)
{
  static const function functions[FUNCTIONS] = {path_0, path_1, path_2, path_3, path_4, path_5, path_6, path_7};
  return functions[order % FUNCTIONS](order / FUNCTIONS, depth);
}

/* Bytes that can be read of the mappings of `path`. */
static QUIET unsigned long readable_bytes(const char *path)
{
  char line[PATH_MAX + 200], mode[5];
  unsigned long bytes = 0, low, high;
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  while (fgets(line, sizeof line, maps)) {
    line[strcspn(line, "\n")] = '\0';
    const char *name = strchr(line, '/');
    CHECK(sscanf(line, "%lx-%lx %4s", &low, &high, mode) == 3);
    if (name && strcmp(name, path) == 0 && mode[0] == 'r')
      bytes += high - low;
  }
  fclose(maps);
  return bytes;
}

/* The bytes of the recording, all of which can be read, and no others; 0 without one. */
static QUIET unsigned long checked_bytes(void)
{
  const char *path = getenv("CALLSIG_OUTPUT");
  struct stat file;
  if (!path)
    return 0;
  CHECK(stat(path, &file) == 0);
  CHECK(readable_bytes(path) == (unsigned long)file.st_size);
  return (unsigned long)file.st_size;
}

int main(int argc, char **argv)
{
  const int readable = argc > 1 && strcmp(argv[1], "readable") == 0;
  static char buffer[1024];
  CHECK(setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
  if (argc > 1 && strcmp(argv[1], "refused") == 0)
    CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20}) == 0);
  unsigned long before = readable ? checked_bytes() : 0;
  unsigned orders = 1;
  for (unsigned i = 0; i < DEPTH; i++)
    orders *= FUNCTIONS;
  for (unsigned order = 0; order < orders; order++)
    CHECK(next(order, DEPTH - 1) == DEPTH);
  CHECK(!before || checked_bytes() > before);
  for (unsigned i = 0; i < FUNCTIONS; i++)
    printf("count path_%u %lu\n", i, calls[i]);
  printf("count main 1\n");
  return 0;
}
