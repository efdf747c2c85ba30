/* Seals its own mappings (mseal(), where the kernel has it), and goes on. */
#include "tests/guest/hazard.h"

#define MSEAL 462L

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

static QUIET void calls(void)
{
  for (long i = 0; i < 500; i++)
    work(i % 7);
}

int main(void)
{
  CALLED(main);
  calls();
  void *page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  syscall(MSEAL, page, 1L << 20, 0L);
  syscall(MSEAL, (uintptr_t)&main & ~(uintptr_t)4095, 4096L, 0L);
  for (long i = 0; i < 300; i++)
    work(i);
  puts("done");
  return 0;
}
