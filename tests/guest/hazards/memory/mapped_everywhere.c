/* Mappings at fixed places: low, high, in every gap near its own text, and around its stack. */
#include "tests/guest/hazard.h"

#include <errno.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  const uintptr_t text = (uintptr_t)&work & ~(uintptr_t)0xfff, stack = (uintptr_t)&flags & ~(uintptr_t)0xfff;
  int made = 0;
  for (uintptr_t step = 1; step < 512; step++) {
    made += mmap((void *)(text - (step << 16)), 4096, PROT_READ, flags, -1, 0) != MAP_FAILED;
    made += mmap((void *)(text + (step << 16)), 4096, PROT_READ, flags, -1, 0) != MAP_FAILED;
    made += mmap((void *)(stack - (step << 24)), 4096, PROT_READ, flags, -1, 0) != MAP_FAILED;
    made += mmap((void *)(0x10000 + (step << 20)), 4096, PROT_READ, flags, -1, 0) != MAP_FAILED;
    work((int)step);
  }
  printf("%d\n", made > 100);
  return 0;
}
