/* exec of what is not there, may not be run, or is no program: it comes back, and the program runs on. */
#include "tests/guest/hazard.h"

#include <errno.h>

OWN static int attempt(const char *path)
{
  CALLED(attempt);
  execl(path, path, (char *)NULL);
  return errno;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 20; i++)
    sum += attempt("/nowhere/program") + attempt("/proc/self/maps") + attempt("/proc");
  printf("%d\n", sum);
  return 0;
}
