/* The program executes itself with 60,000 arguments and an environment of a megabyte. argv[2]: this is it. */
#include "tests/guest/hazard.h"

#include <string.h>

#define ARGUMENTS 60000

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(int argc, char **argv)
{
  CALLED(main);
  int n = 0;
  while (n < 50)
    n = work(n);
  if (argc > 2) {
    printf("%d %d\n", argc, n);
    return 0;
  }
  char **words = calloc(ARGUMENTS + 1, sizeof *words), *large = calloc(1, 100001);
  CHECK(words && large);
  words[0] = argv[0];
  for (int i = 1; i < ARGUMENTS; i++)
    words[i] = "word";
  memset(large, 'x', 100000);
  for (int i = 0; i < 10; i++) {
    char name[] = {'L', 'A', 'R', 'G', 'E', (char)('0' + i), 0};
    CHECK(setenv(name, large, 1) == 0);
  }
  execv("/proc/self/exe", words);
  return 1;
}
