/* A forked child's first call has arguments in every vector register that passes some. */
#include "tests/guest/hazard.h"

#include <sys/wait.h>
#include <unistd.h>

OWN static double eight(double a, double b, double c, double d, double e, double f, double g, double h)
{
  CALLED(eight);
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

int main(void)
{
  CALLED(main);
  int wrong = 0;
  for (int i = 0; i < 20; i++) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
      _exit(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204 ? 0 : 1);
    int status;
    wrong += waitpid(pid, &status, 0) != pid || status != 0;
  }
  printf("%d wrong\n", wrong);
  return 0;
}
