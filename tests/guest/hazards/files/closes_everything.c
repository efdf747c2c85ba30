/* Closes every descriptor, by close(), closefrom() and close_range(), before its first call and in between. */
#include "tests/guest/hazard.h"

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  for (int descriptor = 3; descriptor < 1024; descriptor++)
    close(descriptor);
  CALLED(main);
  int n = 0;
  for (int i = 0; i < 50; i++) {
    n = work(n);
    syscall(SYS_close_range, 3L, 65535L, 0L);
  }
  printf("%d\n", n);
  return 0;
}
