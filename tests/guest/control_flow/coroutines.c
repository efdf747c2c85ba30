/* Two ucontext coroutines that hand control to and fro in the middle of instrumented functions, beside main. */
#include "tests/guest/guest.h"

#include <ucontext.h>

COUNTER(ping);
COUNTER(pong);
COUNTER(hop);
COUNTER(leaf);

#define ROUNDS 20000

static ucontext_t main_context, ping_context, pong_context;
static char ping_stack[1 << 18], pong_stack[1 << 18];

static int leaf(int x)
{
  HIT(leaf);
  KEEP(x);
  return x;
}

/* Suspends the running coroutine while this frame is open. */
static int hop(ucontext_t *from, ucontext_t *to, int n)
{
  HIT(hop);
  int before = leaf(n);
  swapcontext(from, to);
  return before + leaf(n);
}

static void ping(int rounds)
{
  HIT(ping);
  for (int i = 0; i < rounds; i++)
    CHECK(hop(&ping_context, &pong_context, i & 3) == 2 * (i & 3));
}

static void pong(int rounds)
{
  HIT(pong);
  for (int i = 0; i < rounds; i++)
    CHECK(hop(&pong_context, &ping_context, i & 3) == 2 * (i & 3));
}

static void prepare(ucontext_t *context, char *stack, size_t size, void (*body)(int), ucontext_t *next)
{
  CHECK(getcontext(context) == 0);
  context->uc_stack.ss_sp = stack;
  context->uc_stack.ss_size = size;
  context->uc_link = next;
  makecontext(context, (void (*)(void))body, 1, ROUNDS);
}

int main(void)
{
  prepare(&pong_context, pong_stack, sizeof pong_stack, pong, &main_context);
  prepare(&ping_context, ping_stack, sizeof ping_stack, ping, &pong_context);
  CHECK(swapcontext(&main_context, &ping_context) == 0);
  leaf(1);
  TELL(ping);
  TELL(pong);
  TELL(hop);
  TELL(leaf);
  printf("count prepare 2\ncount main 1\n");
  return 0;
}
