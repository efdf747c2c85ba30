/* A child that stops itself and is continued, ten times. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/wait.h>

OWN static void stop(void)
{
  CALLED(stop);
  raise(SIGSTOP);
}

int main(void)
{
  CALLED(main);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 10; i++)
      stop();
    _exit(4);
  }
  int status, stops = 0;
  while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
    stops++;
    kill(child, SIGCONT);
  }
  printf("%d %d\n", stops, WEXITSTATUS(status));
  return 0;
}
