/* umask 0777 from the start of main(), and files that it makes under it. */
#include "tests/guest/hazard.h"

#include <sys/stat.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  umask(0777);
  CALLED(main);
  struct stat status;
  int file = open("made", O_CREAT | O_RDWR, 0666);
  CHECK(file >= 0 && fstat(file, &status) == 0 && unlink("made") == 0);
  for (int i = 0; i < 1000; i++)
    work(i);
  printf("%o %o\n", status.st_mode & 0777, umask(0));
  return 0;
}
