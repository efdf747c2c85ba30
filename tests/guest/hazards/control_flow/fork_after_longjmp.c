/* fork() right after a longjmp, before any call has ended the frames that were left. */
#include "tests/guest/hazard.h"

#include <setjmp.h>
#include <sys/wait.h>

static jmp_buf out;

OWN static void leave(int depth)
{
  CALLED(leave);
  if (depth == 0)
    longjmp(out, 1);
  leave(depth - 1);
  KEEP(depth);
}

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (volatile int i = 0; i < 5; i++) {
    if (setjmp(out) == 0)
      leave(4);
    int status;
    pid_t child = fork();
    if (child == 0)
      _exit(work(i));
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status);
  }
  printf("%d\n", sum);
  return 0;
}
