/* SIGILL of an instruction that its handler steps over by changing the context. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <ucontext.h>

static void handler(int number, siginfo_t *info, void *context)
{
  CALLED(handler);
  (void)number, (void)info;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

OWN static int strange(int n)
{
  CALLED(strange);
  __asm__ volatile("ud2" ::: "memory");
  return n + 1;
}

int main(void)
{
  CALLED(main);
  sigaction(SIGILL, &(struct sigaction){.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, NULL);
  int n = 0;
  while (n < 50)
    n = strange(n);
  printf("%d\n", n);
  return 0;
}
