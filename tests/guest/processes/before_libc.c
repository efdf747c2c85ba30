/* The dynamic loader calls the program before the C library is set up: a resolver of an indirect function while the
 * program is relocated, and a malloc() of its own for what libraries ask for from then on. */
/* hazard: expect static before falls: its resolver runs before there is thread-local storage, and crashes */
#include "tests/guest/guest.h"

#include <stddef.h>
#include <stdint.h>

COUNTER(resolve);
COUNTER(give);
COUNTER(malloc);
COUNTER(free);
COUNTER(chosen);

static _Alignas(16) char heap[16 << 20];

static size_t give(size_t size)
{
  static size_t used;
  HIT(give);
  return __atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED);
}

/* Each block is preceded by its size. */
void *malloc(size_t size)
{
  HIT(malloc);
  size_t at = give(size);
  if (at + size + 16 > sizeof heap)
    return NULL;
  *(size_t *)(void *)(heap + at) = size;
  return heap + at + 16;
}

void free(void *block)
{
  HIT(free);
  KEEP(block);
}

QUIET void *calloc(size_t count, size_t size)
{
  return malloc(count * size); /* of memory that was never used */
}

QUIET void *realloc(void *block, size_t size)
{
  char *to = malloc(size);
  const char *from = block;
  size_t old = from ? *(const size_t *)(const void *)(from - 16) : 0;
  for (size_t i = 0; to && i < old && i < size; i++)
    to[i] = from[i];
  return to;
}

static int chosen(int x)
{
  HIT(chosen);
  KEEP(x);
  return x + 7;
}

static int (*resolve(void))(int)
{
  HIT(resolve);
  return chosen;
}

static int picked(int) __attribute__((ifunc("resolve")));

int main(void)
{
  for (int i = 0; i < 10; i++)
    CHECK(picked(i) == i + 7);
  free(malloc(3));
  static char buffer[4096];
  CHECK(setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
  unsigned long given = count_of_give, allocated = count_of_malloc, freed = count_of_free;
  CHECK(count_of_resolve > 0 && given == allocated);
  printf("count main 1\ncount chosen 10\nvaries resolve %lu\nvaries give %lu\nvaries malloc %lu\nvaries free %lu\n",
         count_of_resolve, given, allocated, freed);
  return 0;
}
