/* Handlers that set another alternate stack while they run on one (SS_AUTODISARM), and have the next signal run there.
 */
#include "tests/guest/hazard.h"

#include <signal.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif
#define STACKS 4
#define STACK  65536

static char stacks[STACKS][STACK];
static volatile int depth, most;

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

QUIET static void use(int number)
{
  const stack_t stack = {.ss_sp = stacks[number], .ss_size = STACK, .ss_flags = (int)SS_AUTODISARM};
  CHECK(sigaltstack(&stack, NULL) == 0);
}

static void handler(int number)
{
  CALLED(handler);
  work(depth);
  if (++depth < STACKS) {
    use(depth);
    raise(number);
  }
  most = depth > most ? depth : most;
  depth--;
  work(depth);
}

int main(void)
{
  CALLED(main);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_NODEFER};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  for (int i = 0; i < 100; i++) {
    use(0);
    raise(SIGUSR1);
    work(i % 5);
  }
  printf("%d\n", most);
  return 0;
}
