/* All signals are blocked, and one thread takes them by sigwait(). */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <signal.h>

static sigset_t set;

OWN static int taken(int number)
{
  CALLED(taken);
  return number == SIGTERM;
}

static void *waiter(void *unused)
{
  CALLED(waiter);
  int number;
  do
    sigwait(&set, &number);
  while (!taken(number));
  return unused;
}

int main(void)
{
  CALLED(main);
  pthread_t thread;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  CHECK(pthread_create(&thread, NULL, waiter, NULL) == 0);
  for (int i = 0; i < 20; i++)
    CHECK(pthread_sigqueue(thread, SIGRTMIN, (union sigval){.sival_int = i}) == 0);
  pthread_kill(thread, SIGTERM);
  pthread_join(thread, NULL);
  return 0;
}
