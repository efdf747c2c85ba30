/* Recursion until the stack is full; its handler on an alternate stack leaves by siglongjmp. */
/* hazard: expect counted */
#include "tests/guest/hazard.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>

static sigjmp_buf out;
static char stack[65536];

static void handler(int number)
{
  CALLED(handler);
  siglongjmp(out, number);
}

OWN static int deeper(volatile char *above)
{
  CALLED(deeper);
  volatile char room[4096];
  room[0] = above[0];
  return deeper(room) + room[1];
}

int main(void)
{
  CALLED(main);
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  sigaction(SIGSEGV, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_ONSTACK}, NULL);
  setrlimit(RLIMIT_STACK, &(struct rlimit){1 << 20, RLIM_INFINITY});
  for (volatile int i = 0; i < 3; i++)
    if (sigsetjmp(out, 1) == 0)
      deeper((volatile char *)"");
  printf("three times\n");
  return 0;
}
