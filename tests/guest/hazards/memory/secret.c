/* Arguments that lie in memory of which the kernel itself reads nothing (memfd_secret). */
#include "tests/guest/hazard.h"

#include <string.h>

OWN static int work(const char *text, int n)
{
  CALLED(work);
  return n + text[n % 8];
}

int main(void)
{
  CALLED(main);
  const long file = syscall(SYS_memfd_secret, 0L);
  char *text = NULL;
  if (file >= 0) {
    CHECK(ftruncate((int)file, 4096) == 0);
    text = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file, 0);
  }
  if (file < 0 || text == MAP_FAILED)
    CHECK((text = calloc(1, 4096)) != NULL);
  strcpy(text, "a secret");
  int sum = 0;
  for (int i = 0; i < 200; i++)
    sum += work(text, i);
  printf("%d\n", sum);
  return 0;
}
