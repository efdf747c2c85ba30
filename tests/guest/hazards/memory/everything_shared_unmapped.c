/* Looks through its mappings and unmaps those of files that it made itself; all others it leaves. */
#include "tests/guest/hazard.h"

#include <string.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  int file = memfd_create("its own", 0), unmapped = 0;
  CHECK(ftruncate(file, 8192) == 0);
  for (int i = 0; i < 5; i++)
    CHECK(mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0) != MAP_FAILED);
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (fgets(line, sizeof line, maps)) {
    unsigned long from, to;
    if (strstr(line, "its own") && sscanf(line, "%lx-%lx", &from, &to) == 2)
      unmapped += munmap((void *)from, to - from) == 0;
    work(unmapped);
  }
  fclose(maps);
  printf("%d\n", unmapped);
  return 0;
}
