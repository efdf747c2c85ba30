/* A handler that calls instrumented code, under a fast interval timer, in the middle of hooks. argv[1] "stack": the
 * handler runs on an alternate stack. */
#include "tests/guest/guest.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

COUNTER(tick);
COUNTER(tock);
COUNTER(leaf);
COUNTER(middle);
COUNTER(fresh);

static int tock(int x)
{
  HIT(tock);
  KEEP(x);
  return x;
}

static void tick(int n)
{
  HIT(tick);
  for (int i = 0; i < n; i++)
    tock(i);
}

static int leaf(int a)
{
  HIT(leaf);
  KEEP(a);
  return a + 1;
}

static int middle(int a)
{
  HIT(middle);
  return leaf(a) + leaf(a + 1);
}

/* A new signature at every call for a while: slow paths for signals to fall into. */
static int fresh(unsigned n)
{
  HIT(fresh);
  KEEP(n);
  return (int)n;
}

static QUIET void on_alarm(int number)
{
  (void)number;
  tick(2);
}

static char alternate[65536];

int main(int argc, char **argv)
{
  int own_stack = argc > 1 && strcmp(argv[1], "stack") == 0;
  if (own_stack) {
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    CHECK(sigaltstack(&stack, NULL) == 0);
  }
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART | (own_stack ? SA_ONSTACK : 0)};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval timer = {.it_interval = {0, 50}, .it_value = {0, 50}};
  CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
  long sum = 0;
  for (unsigned round = 0; count_of_tick < 4000; round++) {
    sum += middle((int)(round % 5));
    sum += fresh(round);
  }
  timer = (struct itimerval){0};
  CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
  KEEP(sum);
  TELL_VARIES(tick);
  TELL_VARIES(tock);
  TELL_VARIES(leaf);
  TELL_VARIES(middle);
  TELL_VARIES(fresh);
  printf("count main 1\n");
  return 0;
}
