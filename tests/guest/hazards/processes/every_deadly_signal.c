/* A child for each signal that ends a process, raised while it is in a call. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

OWN static void end_by(int number)
{
  CALLED(end_by);
  raise(number);
}

int main(void)
{
  CALLED(main);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  const int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP, SIGABRT,  SIGBUS,
                         SIGFPE,  SIGKILL, SIGUSR1,   SIGSEGV, SIGUSR2, SIGPIPE,  SIGALRM,
                         SIGTERM, SIGXCPU, SIGVTALRM, SIGPROF, SIGPOLL, SIGRTMIN, SIGSYS};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    int status;
    if (fork() == 0) {
      end_by(numbers[i]);
      _exit(99);
    }
    wait(&status);
    printf("%d: %d\n", numbers[i], status & ~0x80);
    fflush(stdout);
  }
  return 0;
}
