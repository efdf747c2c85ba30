/* Makes rings of io_uring, where the kernel lets it, maps and unmaps them, and leaves one open. */
#include "tests/guest/hazard.h"

#include <linux/io_uring.h>

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
  for (int i = 0; i < 5; i++) {
    struct io_uring_params how = {0};
    const long ring = syscall(SYS_io_uring_setup, 8L, &how);
    calls();
    if (ring < 0)
      continue;
    const size_t size = how.sq_off.array + how.sq_entries * sizeof(unsigned);
    void *queue = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, (int)ring, 0);
    CHECK(queue != MAP_FAILED);
    calls();
    CHECK(munmap(queue, size) == 0);
    if (i < 4)
      close((int)ring);
  }
  calls();
  puts("done");
  return 0;
}
