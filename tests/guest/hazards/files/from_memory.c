/* The program is executed from a file in memory (memfd_create), which has no path. argv[1]: this is it. */
#include "tests/guest/hazard.h"

#include <sys/sendfile.h>
#include <sys/stat.h>

extern char **environ;

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

int main(int argc, char **argv)
{
  CALLED(main);
  if (argc > 1) {
    printf("%d\n", work(20));
    return 0;
  }
  struct stat about;
  int from = open("/proc/self/exe", O_RDONLY), file = memfd_create("program", 0);
  char *const arguments[] = {argv[0], "again", NULL};
  CHECK(from >= 0 && file >= 0 && fstat(from, &about) == 0);
  CHECK(sendfile(file, from, NULL, (size_t)about.st_size) == about.st_size);
  work(2);
  fexecve(file, arguments, environ);
  return 1;
}
