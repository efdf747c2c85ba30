/*
 * known_recursive: as known.c, of a function that calls itself: work(n) makes n steps, and above 1000 calls work(n / 2)
 * before. Calls of work(8000) are timed as a whole, of which every n has its steps.
 */
#include <stdint.h>

#include "known.h"

enum { ROUNDS = 30, ARGUMENTS = 6, STRAIGHT = 3, STEPS = 1000000, DEEP_CALLS = 3000 };

static uint64_t state = 1;

static __attribute__((noinline)) void work(long n)
{
  if (n > 1000)
    work(n / 2);
  state = known_steps(state, n);
}

int main(void)
{
  static const long arguments[ARGUMENTS] = {10, 100, 1000, 2000, 4000, 8000};
  double seconds[ARGUMENTS] = {0};
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < STRAIGHT; i++) {
      const double start = known_now();
      for (long calls = STEPS / arguments[i]; calls > 0; calls--)
        work(arguments[i]);
      seconds[i] += known_now() - start;
    }
  const double start = known_now();
  for (int calls = DEEP_CALLS; calls > 0; calls--)
    work(8000);
  const double deep = known_now() - start;
  for (int i = STRAIGHT - 1; i < ARGUMENTS; i++)
    seconds[i] += deep * (double)arguments[i] / (8000 + 4000 + 2000 + 1000);
  known_show(ARGUMENTS, arguments, seconds);
  return state == 0;
}
