/* SIGPIPE of a pipe that nobody reads: the default ends a child, and when it is ignored write() fails. */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

OWN static int send_to(int descriptor)
{
  CALLED(send_to);
  return write(descriptor, "x", 1) == -1 ? errno : 0;
}

int main(void)
{
  CALLED(main);
  int ends[2], status;
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  if (fork() == 0) {
    send_to(ends[1]);
    _exit(1);
  }
  wait(&status);
  signal(SIGPIPE, SIG_IGN);
  printf("%d %d\n", WTERMSIG(status), send_to(ends[1]) == EPIPE);
  return 0;
}
