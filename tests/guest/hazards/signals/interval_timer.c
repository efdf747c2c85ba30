/* ITIMER_REAL every 200 us, whose handler has hooks, while the program calls. */
/* hazard: expect counted */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/time.h>

static volatile int ticks;

OWN static void tick(void)
{
  CALLED(tick);
  ticks++;
}

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  tick();
}

OWN static int work(int n)
{
  CALLED(work);
  KEEP(n);
  return n;
}

int main(void)
{
  CALLED(main);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 200}, {0, 200}}, NULL);
  while (ticks < 300)
    work(ticks);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  return 0;
}
