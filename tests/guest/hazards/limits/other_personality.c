/* personality(): no randomised addresses and the old layout of memory, by running itself again. */
#include "tests/guest/hazard.h"

#include <sys/personality.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(int argc, char **argv)
{
  CALLED(main);
  int n = 0;
  while (n < 100)
    n = work(n);
  if (argc == 1 && personality(ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT) != -1)
    execl("/proc/self/exe", argv[0], "again", (char *)NULL);
  printf("%x\n", (unsigned)personality(0xffffffff));
  return 0;
}
