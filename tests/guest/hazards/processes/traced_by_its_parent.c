/* A child that asks to be traced (PTRACE_TRACEME) and is stepped through its calls by its parent. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    int n = 0;
    for (int i = 0; i < 10; i++)
      n = work(n);
    _exit(n);
  }
  int status, steps = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
  for (; steps < 20000; steps++) {
    CHECK(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0);
    if (waitpid(child, &status, 0) != child || WIFEXITED(status))
      break;
  }
  if (!WIFEXITED(status)) {
    ptrace(PTRACE_CONT, child, NULL, NULL);
    waitpid(child, &status, 0);
  }
  printf("%d %d\n", steps > 50, WEXITSTATUS(status));
  return 0;
}
