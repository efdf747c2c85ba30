/* wait() sees no child but the program's own, before its first call and after. */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <sys/wait.h>

OWN static int none_left(void)
{
  CALLED(none_left);
  return wait(NULL) == -1 && errno == ECHILD;
}

int main(void)
{
  CALLED(main);
  int sum = none_left();
  for (int i = 0; i < 5; i++) {
    if (fork() == 0) {
      _exit(0);
    }
    sum += wait(NULL) > 0;
    sum += none_left();
  }
  printf("%d\n", sum);
  return 0;
}
