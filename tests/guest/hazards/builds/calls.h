/*
 * The program of the hazards that are ways to build: calls, recursion and a buffer on the stack.
 */
#ifndef CALLSIG_TESTS_GUEST_HAZARDS_BUILDS_CALLS_H
#define CALLSIG_TESTS_GUEST_HAZARDS_BUILDS_CALLS_H

#include "tests/guest/hazard.h"

OWN static int leaf(int n)
{
  CALLED(leaf);
  KEEP(n);
  return n + 1;
}

OWN static int work(int n)
{
  CALLED(work);
  char room[64];
  room[n % 64] = (char)n;
  KEEP(room[0]);
  const volatile int below = n ? work(n - 1) : leaf(n);
  return below + leaf(n);
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += work(i % 20);
  printf("%d\n", sum);
  return 0;
}

#endif
