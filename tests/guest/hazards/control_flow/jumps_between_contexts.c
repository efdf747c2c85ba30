/* Coroutines that are begun by swapcontext() and from then on jump to one another by longjmp(). */
#include "tests/guest/hazard.h"

#include <setjmp.h>
#include <ucontext.h>

#define STACKS 3
#define TURNS  200

static ucontext_t contexts[STACKS], main_context;
static jmp_buf places[STACKS], main_place;
static char stacks[STACKS][65536];
static volatile int turns[STACKS], last;

OWN static int step(int n)
{
  CALLED(step);
  return n + 1;
}

/* Leaves the stack, and is come back to. */
OWN static void hop(int from, int to)
{
  CALLED(hop);
  if (_setjmp(places[from]) == 0) {
    if (turns[to] == 0)
      swapcontext(&contexts[from], &contexts[to]);
    else
      _longjmp(places[to], 1);
  }
}

static void body(int self)
{
  CALLED(body);
  while (turns[self] < TURNS) {
    turns[self] = step(turns[self]);
    hop(self, (self + 1) % STACKS);
  }
  last = self;
  _longjmp(main_place, 1);
}

int main(void)
{
  CALLED(main);
  for (int i = 0; i < STACKS; i++) {
    CHECK(getcontext(&contexts[i]) == 0);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = sizeof stacks[i];
    makecontext(&contexts[i], (void (*)(void))body, 1, i);
  }
  if (_setjmp(main_place) == 0)
    swapcontext(&main_context, &contexts[0]);
  printf("%d %d %d %d\n", turns[0], turns[1], turns[2], last);
  return 0;
}
