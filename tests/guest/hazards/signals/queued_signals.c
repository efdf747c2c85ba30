/* Real-time signals that were queued while they were blocked come in their order. */
#include "tests/guest/hazard.h"

#include <signal.h>

static int last = -1;

static void handler(int number, siginfo_t *info, void *context)
{
  CALLED(handler);
  (void)number, (void)context;
  last = info->si_value.sival_int == last + 1 ? last + 1 : -1000;
}

int main(void)
{
  CALLED(main);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 3);
  sigaction(SIGRTMIN + 3, &(struct sigaction){.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, NULL);
  sigprocmask(SIG_BLOCK, &set, NULL);
  for (int i = 0; i < 30; i++)
    CHECK(sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = i}) == 0);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  printf("last %d\n", last);
  return 0;
}
