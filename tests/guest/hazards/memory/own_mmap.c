/* mmap, munmap and mprotect of its own, which refuse whatever is not its own. */
#include "tests/guest/hazard.h"

#include <errno.h>

OWN void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
  CALLED(mmap);
  if (size != 12288) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  char *room = (char *)mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(room != MAP_FAILED);
  for (int i = 0; i < 1000; i++)
    room[i] = (char)work(i);
  printf("%d\n", room[77]);
  return 0;
}
