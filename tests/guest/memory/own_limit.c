/* A program that bounds its own address space, or was started so, and takes most of that. argv[1] "sets": by itself. */
#include "tests/guest/guest.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define LIMIT  ((size_t)512 << 20)
#define PIECE  ((size_t)20 << 20)
#define PIECES 20

COUNTER(work);
COUNTER(take);

static int work(int n)
{
  HIT(work);
  KEEP(n);
  return n ? work(n - 1) + 1 : 1;
}

static int take(void)
{
  HIT(take);
  char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (piece == MAP_FAILED)
    return 0;
  piece[0] = piece[PIECE - 1] = 1;
  return 1;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "sets") == 0)
    CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){LIMIT, LIMIT}) == 0);
  for (int i = 0; i < PIECES; i++) {
    CHECK(take());
    work(i);
  }
  TELL(work);
  TELL(take);
  printf("count main 1\n");
  return 0;
}
