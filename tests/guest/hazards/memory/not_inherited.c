/* Pages that a child does not get, or gets empty (MADV_DONTFORK, MADV_WIPEONFORK). */
#include "tests/guest/hazard.h"

#include <sys/wait.h>

OWN static int read_from(const volatile char *at)
{
  CALLED(read_from);
  return *at;
}

int main(void)
{
  CALLED(main);
  char *pages = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pages[0] = pages[4096] = 7;
  CHECK(madvise(pages, 4096, MADV_DONTFORK) == 0 && madvise(pages + 4096, 4096, MADV_WIPEONFORK) == 0);
  int status, sum = read_from(pages) + read_from(pages + 4096);
  if (fork() == 0)
    _exit(read_from(pages + 4096) * 10 + 3);
  wait(&status);
  printf("%d %d\n", sum, WEXITSTATUS(status));
  return 0;
}
