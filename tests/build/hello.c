/* A program to be profiled: it knows nothing of callsig. */
#include <stdio.h>

__attribute__((noinline)) static int square(int n)
{
  return n * n;
}

int main(void)
{
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += square(i % 2);
  return printf("hello %d\n", sum) < 0;
}
