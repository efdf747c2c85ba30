/*
 * known: calls of which it is known how much work each argument stands for. work(n) makes n steps, each of which waits
 * for the one before; every n makes as many steps in all, in calls of some 10 ns to some 10 ms. Prints, as a line of
 * JSON, the seconds of CPU time that the calls of each n took: {"8": 0.06, ...}.
 */
#include <stdint.h>

#include "known.h"

enum { ROUNDS = 5, ARGUMENTS = 7, LARGEST = 8000000 };

static uint64_t state = 1;

static __attribute__((noinline)) void work(long n)
{
  state = known_steps(state, n);
}

static double call_all(long n)
{
  double start = known_now();
  for (long calls = LARGEST / n; calls > 0; calls--)
    work(n);
  return known_now() - start;
}

int main(void)
{
  static const long arguments[ARGUMENTS] = {8, 80, 800, 8000, 80000, 800000, 8000000};
  double seconds[ARGUMENTS] = {0};
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < ARGUMENTS; i++)
      seconds[i] += call_all(arguments[i]);
  known_show(ARGUMENTS, arguments, seconds);
  return state == 0;
}
