/* brk, sbrk, mremap, MADV_DONTNEED and MADV_FREE of what it has, with calls in between. */
#include "tests/guest/hazard.h"

OWN static int work(char *at)
{
  CALLED(work);
  return ++*at;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  char *room = (char *)mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  size_t size = 4 << 20;
  for (int i = 0; i < 20; i++) {
    CHECK(sbrk(8192) != (void *)-1);
    sum += work(room);
    room = (char *)mremap(room, size, size + (1 << 20), MREMAP_MAYMOVE);
    CHECK(room != MAP_FAILED);
    size += 1 << 20;
    sum += work(room + size - 1);
    madvise(room, size, i % 2 ? MADV_DONTNEED : MADV_COLD);
    CHECK(sbrk(-8192) != (void *)-1);
  }
  printf("%d\n", sum);
  return 0;
}
