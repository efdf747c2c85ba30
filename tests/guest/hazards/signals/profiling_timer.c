/* The program profiles itself by ITIMER_PROF. */
/* hazard: expect counted */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/time.h>

static volatile int samples;

static void sample(int number)
{
  CALLED(sample);
  (void)number;
  samples++;
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
  sigaction(SIGPROF, &(struct sigaction){.sa_handler = sample, .sa_flags = SA_RESTART}, NULL);
  setitimer(ITIMER_PROF, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
  while (samples < 10)
    work(samples);
  setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  return 0;
}
