/* An interpreter by a clock that goes on only where it says so: recursion through callbacks, and longjmps out of it.
 * The same functions take long as outermost calls, of which there are few, and are short in callbacks, of which there
 * are many. argv[1]: where the random numbers start. */
#include "tests/guest/own_clock.h"

#include <setjmp.h>

#define SCRIPTS 3
#define STEPS   20000

static jmp_buf *catcher;
static int depth, *steps_left;
COUNTER(step);
COUNTER(callback);
COUNTER(inner);
COUNTER(execute);
COUNTER(sort);

static int execute(void);

static __attribute__((noinline)) void step(void)
{
  HIT(step);
  now += 5 + random_below(20);
}

static __attribute__((noinline)) void callback(void)
{
  HIT(callback);
  now += 10;
  int *outer = steps_left, steps = 3;
  steps_left = &steps;
  depth++;
  execute();
  depth--;
  steps_left = outer;
  now += 10;
}

/* Callbacks from a function that calls itself. */
static __attribute__((noinline)) void sort(int count)
{
  HIT(sort);
  now += 15;
  if (count > 2) {
    sort(count / 2);
    sort(count - count / 2);
  }
  callback();
}

static __attribute__((noinline)) void inner(void)
{
  HIT(inner);
  now += 20;
  while (*steps_left > 0) {
    --*steps_left;
    uint64_t choice = random_below(depth ? 4000 : 64);
    if (choice == 0 && depth < 3)
      sort(8);
    else if (choice < 8 && depth < 4)
      callback();
    else
      step();
    if (random_below(depth ? 50000 : 20000) == 0)
      longjmp(*catcher, 1);
  }
}

static __attribute__((noinline)) int execute(void)
{
  HIT(execute);
  jmp_buf here, *outer = catcher;
  int thrown = _setjmp(here);
  catcher = &here;
  now += 10 + (uint64_t)thrown;
  inner();
  catcher = outer;
  return *steps_left;
}

static void scripts(void)
{
  for (int i = 0; i < SCRIPTS; i++) {
    int steps = STEPS;
    steps_left = &steps;
    CHECK(execute() == 0);
  }
}

QUIET int main(int argc, char **argv)
{
  CHECK(argc == 2);
  use_own_clock(strtoull(argv[1], NULL, 10));
  scripts();
  TELL(step);
  TELL(callback);
  TELL(sort);
  TELL(inner);
  TELL(execute);
  return 0;
}
