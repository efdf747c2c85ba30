/* Calls without arguments, which stay on the fast path: so many that not each is timed. */
#include <stdio.h>

static volatile unsigned sink;

__attribute__((noinline)) static void leaf(void)
{
  for (unsigned i = 0; i < 20; i++)
    sink += i;
}
__attribute__((noinline)) static void branch(void)
{
  for (unsigned i = 0; i < 500; i++)
    leaf();
}

int main(void)
{
  for (unsigned i = 0; i < 200; i++)
    branch();
  printf("%u\n", sink);
  return 0;
}
