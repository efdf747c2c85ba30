/* Its current folder is removed while it is there. */
#include "tests/guest/hazard.h"

#include <sys/stat.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  char name[] = "folder-XXXXXX";
  CALLED(main);
  CHECK(mkdtemp(name) && chdir(name) == 0);
  CHECK(rmdir("../") != 0);
  char path[64];
  snprintf(path, sizeof path, "../%s", name);
  CHECK(rmdir(path) == 0);
  for (int i = 0; i < 1000; i++)
    work(i);
  printf("%d\n", getcwd(path, sizeof path) == NULL);
  return 0;
}
