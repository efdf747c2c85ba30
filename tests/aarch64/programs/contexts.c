/* Coroutines on stacks of their own. */
#include <stdio.h>
#include <ucontext.h>

static ucontext_t outside, inside;
static char stack[65536];

__attribute__((noinline)) static int step(int n)
{
  return n + 1;
}
static void generate(int from, int count)
{
  for (int i = 0; i < count; i++) {
    step(from + i);
    swapcontext(&inside, &outside);
  }
}

int main(void)
{
  int total = 0;
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &outside;
  makecontext(&inside, (void (*)(void))generate, 2, 10, 4);
  for (int i = 0; i < 5; i++) {
    swapcontext(&outside, &inside);
    total += step(i);
  }
  printf("%d\n", total);
  return 0;
}
