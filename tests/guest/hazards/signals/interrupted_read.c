/* read() that a signal interrupts: with EINTR, and with SA_RESTART not. */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>

static int ends[2];
static volatile int calls;

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  if (++calls == 4 && write(ends[1], "x", 1) != 1)
    _exit(3);
}

int main(void)
{
  CALLED(main);
  char byte;
  CHECK(pipe(ends) == 0);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler}, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 5000}}, NULL);
  long first = read(ends[0], &byte, 1);
  printf("%ld %d\n", first, errno == EINTR);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 5000}, {0, 5000}}, NULL);
  printf("%ld\n", (long)read(ends[0], &byte, 1));
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  return 0;
}
