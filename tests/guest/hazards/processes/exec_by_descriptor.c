/* Executes itself by a descriptor that closes then, with fexecve() and then by execveat(). */
/* hazard: run first */
#include "tests/guest/hazard.h"

#include <string.h>

extern char **environ;

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

static QUIET void calls(void)
{
  for (long i = 0; i < 500; i++)
    work(i % 7);
}

int main(int count, char **words)
{
  CALLED(main);
  CHECK(count == 2);
  calls();
  const int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  CHECK(self >= 0);
  if (strcmp(words[1], "first") == 0)
    fexecve(self, (char *[]){words[0], "second", NULL}, environ);
  if (strcmp(words[1], "second") == 0)
    syscall(SYS_execveat, (long)self, "", (char *[]){words[0], "third", NULL}, environ, (long)AT_EMPTY_PATH);
  CHECK(strcmp(words[1], "third") == 0);
  puts("done");
  return 0;
}
