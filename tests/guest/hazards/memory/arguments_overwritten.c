/* The program writes its title over its arguments and its environment, as servers do. */
#include "tests/guest/hazard.h"

#include <string.h>

extern char **environ;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(int argc, char **argv)
{
  CALLED(main);
  char *const first = argv[0], *last = argv[argc - 1] + strlen(argv[argc - 1]);
  for (char **at = environ; *at; at++)
    last = *at + strlen(*at);
  int n = work(0);
  memset(first, 'x', (size_t)(last - first));
  while (n < 1000)
    n = work(n);
  printf("%d %c\n", n, argv[0][0]);
  return 0;
}
