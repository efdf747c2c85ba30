/* An alternate stack that is off while a handler runs on it (SS_AUTODISARM), which jumps to a stack of its own in
 * there. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <ucontext.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static char alternate[128 << 10], other[128 << 10];
static ucontext_t inside, elsewhere;
static volatile long sum;

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

static void aside(void)
{
  CALLED(aside);
  sum += work(5);
}

static void handler(int number)
{
  CALLED(handler);
  sum += work(number % 8);
  CHECK(getcontext(&elsewhere) == 0);
  elsewhere.uc_stack.ss_sp = other;
  elsewhere.uc_stack.ss_size = sizeof other;
  elsewhere.uc_link = &inside;
  makecontext(&elsewhere, aside, 0);
  CHECK(swapcontext(&inside, &elsewhere) == 0);
  sum += work(2);
}

OWN static void around(int n)
{
  CALLED(around);
  raise(SIGUSR1);
  sum += work(n % 5);
}

int main(void)
{
  CALLED(main);
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate, .ss_flags = (int)SS_AUTODISARM};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
  for (int i = 0; i < 100; i++)
    around(i);
  printf("%ld\n", sum);
  return 0;
}
