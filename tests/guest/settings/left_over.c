/* Counts begin anew in a function that has not written to its variables yet, where signals that interrupted hooks have
 * left what the kernel saved there: nothing of that is a hook that goes on. With "blocks" the program blocks signals
 * and unblocks them again before. */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#define SIGNALS_AT_ALL 400

COUNTER(later);

static volatile int signals;

static APART int often(int n)
{
  KEEP(n);
  return n;
}

static APART int later(int n)
{
  HIT(later);
  KEEP(n);
  return n;
}

static QUIET void on_alarm(int number)
{
  signals += number == SIGALRM;
}

/* Calls, while signals come, this far below its caller. */
static APART QUIET void call_below(void)
{
  char far[16 << 10], *kept = far;
  KEEP(kept);
  for (int i = 0; i < 10000; i++)
    often(i);
  KEEP(kept);
}

/* Its variables lie where that was. */
static APART QUIET void begin_anew(void)
{
  char unwritten[64 << 10], *kept = unwritten;
  KEEP(kept);
  CHECK(callsig_reset() == 0);
  for (int i = 0; i < 1000; i++)
    later(i);
  KEEP(kept);
}

int main(int argc, char **argv)
{
  const struct sigaction action = {.sa_handler = on_alarm};
  struct itimerval interval = {.it_interval.tv_usec = 250, .it_value.tv_usec = 250};
  sigset_t all, before;
  CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &interval, NULL) == 0);
  while (signals < SIGNALS_AT_ALL)
    call_below();
  memset(&interval, 0, sizeof interval);
  CHECK(setitimer(ITIMER_REAL, &interval, NULL) == 0);
  if (argc > 1 && strcmp(argv[1], "blocks") == 0)
    CHECK(sigfillset(&all) == 0 && sigprocmask(SIG_BLOCK, &all, &before) == 0 &&
          sigprocmask(SIG_SETMASK, &before, NULL) == 0);
  begin_anew();
  later(0);
  TELL(later);
  return 0;
}
