/* The environment is cleared, and filled with other names for callsig's settings. */
#include "tests/guest/hazard.h"

extern char **environ;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  work(1);
  environ[0] = NULL;
  setenv("CALLSIG_OUTPUT", "/nowhere/else", 1);
  setenv("CALLSIG_DISABLED", "1", 1);
  work(2);
  clearenv();
  work(3);
  printf("%d\n", environ == NULL);
  return 0;
}
