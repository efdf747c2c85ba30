/* Control flow that loses exits: longjmp through frames, calls in tail position, exit() in the middle. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf place;
static volatile int sink;

__attribute__((noinline)) static void leave(int depth)
{
  if (depth == 0)
    longjmp(place, 1);
  leave(depth - 1);
  sink = depth;
}
__attribute__((noinline)) static int last(int n)
{
  sink = n;
  return n;
}
__attribute__((noinline)) static int middle(int n)
{
  return last(n + 1);
}
__attribute__((noinline)) static int tail(int n)
{
  return middle(n + 1);
}
__attribute__((noinline)) static void nothing(void)
{
}
__attribute__((noinline)) static void end(void)
{
  exit(0);
}

int main(void)
{
  for (volatile int i = 0; i < 5; i++) {
    if (!setjmp(place))
      leave(4);
    tail(i);
    nothing();
  }
  puts("left");
  end();
  return 1;
}
