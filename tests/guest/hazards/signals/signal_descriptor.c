/* Signals that are read from a descriptor (signalfd). */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/signalfd.h>

OWN static int got(uint32_t number)
{
  CALLED(got);
  return number == SIGUSR1;
}

int main(void)
{
  CALLED(main);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int descriptor = signalfd(-1, &set, 0), sum = 0;
  printf("descriptor %d\n", descriptor);
  for (int i = 0; i < 50; i++) {
    struct signalfd_siginfo info;
    raise(SIGUSR1);
    CHECK(read(descriptor, &info, sizeof info) == sizeof info);
    sum += got(info.ssi_signo);
  }
  printf("%d\n", sum);
  return 0;
}
