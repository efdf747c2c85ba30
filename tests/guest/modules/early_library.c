/* A library whose constructor calls before anything of the program has run that is linked with it; with LIBRARY the
 * library, else the program. */
#include "tests/guest/guest.h"

int in_library(int n);

#ifdef LIBRARY
int in_library(int n)
{
  KEEP(n);
  return n + 1;
}

__attribute__((constructor)) static void at_load(void)
{
  CHECK(in_library(1) == 2);
}
#else
int main(void)
{
  CHECK(in_library(2) == 3);
  printf("count at_load 1\ncount in_library 2\ncount main 1\n");
  return 0;
}
#endif
