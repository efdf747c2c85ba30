/* seccomp's strict mode: read, write and exit alone. */
/* hazard: expect falls: hooks read the time stamp counter, for which the kernel kills the program in this mode */
#include "tests/guest/hazard.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  int n = work(0);
  CHECK(prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_STRICT) == 0);
  while (n < 100)
    n = work(n);
  syscall(SYS_exit, 5L);
  return 0;
}
