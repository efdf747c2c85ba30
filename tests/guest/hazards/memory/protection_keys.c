/* Takes all memory protection keys, and forbids what they protect in turn, where the processor has such. */
#include "tests/guest/hazard.h"

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
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  const int key = pkey_alloc(0, 0);
  if (key >= 0)
    CHECK(pkey_mprotect(page, 4096, PROT_READ | PROT_WRITE, key) == 0);
  for (unsigned i = 0; i < 20; i++) {
    if (key >= 0)
      CHECK(pkey_set(key, i % 2 ? PKEY_DISABLE_ACCESS : 0) == 0);
    calls();
    pkey_alloc(0, PKEY_DISABLE_WRITE);
  }
  puts("done");
  return 0;
}
