/* SIGFPE of a division by zero, out of which its handler jumps. */
#include "tests/guest/hazard.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out;

static void handler(int number, siginfo_t *info, void *context)
{
  CALLED(handler);
  (void)number, (void)context;
  siglongjmp(out, info->si_code == FPE_INTDIV ? 1 : 2);
}

OWN static int divide(int a, volatile int b)
{
  CALLED(divide);
  return a / b;
}

int main(void)
{
  CALLED(main);
  sigaction(SIGFPE, &(struct sigaction){.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, NULL);
  volatile int sum = 0;
  for (volatile int i = 0; i < 20; i++) {
    int how = sigsetjmp(out, 1);
    sum += how ? how : divide(100, i % 2);
  }
  printf("%d\n", sum);
  return 0;
}
