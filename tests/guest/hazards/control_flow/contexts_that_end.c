/* Contexts whose functions end, and leave the rest to uc_link: to one another, to the one that began them, and to none.
 */
#include "tests/guest/hazard.h"

#include <ucontext.h>

#define STACKS 4
#define ROUNDS 50

static ucontext_t contexts[STACKS], main_context;
static char stacks[STACKS][65536];
static volatile int ended;

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

static void body(int self, int a, int b, int c, int d, int e, int f, int g)
{
  CALLED(body);
  ended += work(self) > 0 && a + b + c + d + e + f + g == 28;
}

QUIET static void make(int self, ucontext_t *link)
{
  CHECK(getcontext(&contexts[self]) == 0);
  contexts[self].uc_stack.ss_sp = stacks[self];
  contexts[self].uc_stack.ss_size = sizeof stacks[self];
  contexts[self].uc_link = link;
  makecontext(&contexts[self], (void (*)(void))body, 8, self, 1, 2, 3, 4, 5, 6, 7);
}

int main(void)
{
  CALLED(main);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < STACKS; i++)
      make(i, i + 1 < STACKS ? &contexts[i + 1] : &main_context);
    CHECK(swapcontext(&main_context, &contexts[0]) == 0);
    work(3);
  }
  printf("%d\n", ended);
  fflush(stdout);
  make(0, NULL);
  setcontext(&contexts[0]); /* ends the thread, and so the process */
  return 1;
}
