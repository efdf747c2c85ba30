/* prctl(): no new privileges, not dumpable, another name, another slack of timers, death of none. */
#include "tests/guest/hazard.h"

#include <sys/prctl.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
  prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
  prctl(PR_SET_NAME, "another name", 0L, 0L, 0L);
  prctl(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
  CALLED(main);
  char name[17] = "";
  int n = 0;
  while (n < 1000)
    n = work(n);
  prctl(PR_GET_NAME, name, 0L, 0L, 0L);
  printf("%s %d\n", name, (int)prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L));
  return 0;
}
