/* Recursion, direct and mutual, deep enough to grow the shadow stack. */
#include <stdio.h>

#ifdef SLEDS
__asm__(".pushsection callsig_sleds, \"a\", %progbits\n\t.zero 32\n\t.popsection");
#endif

static int fib(int n)
{
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
/* Hofstadter's sequences. */
static int male(int n);
static int female(int n)
{
  return n ? n - male(female(n - 1)) : 1;
}
static int male(int n)
{
  return n ? n - female(male(n - 1)) : 0;
}
static int deep(int n)
{
  volatile int kept = n;
  return n ? deep(n - 1) + (kept & 1) : 0;
}
static int ackermann(int m, int n)
{
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
  printf("%d %d %d %d\n", fib(16), female(12), deep(3000), ackermann(2, 4));
  return 0;
}
