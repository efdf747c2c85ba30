/* A generator by swapcontext, whose stack is on the heap and is freed while it is suspended. */
#include "tests/guest/hazard.h"

#include <ucontext.h>

static ucontext_t here, there;
static int value;

OWN static void yield_value(int n)
{
  CALLED(yield_value);
  value = n;
  swapcontext(&there, &here);
}

static void numbers(void)
{
  CALLED(numbers);
  for (int i = 0;; i++)
    yield_value(i);
}

int main(void)
{
  CALLED(main);
  long sum = 0;
  for (int round = 0; round < 20; round++) {
    char *stack = malloc(65536);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = 65536;
    makecontext(&there, numbers, 0);
    for (int i = 0; i < 10; i++) {
      swapcontext(&here, &there);
      sum += value;
    }
    free(stack);
  }
  printf("%ld\n", sum);
  return 0;
}
