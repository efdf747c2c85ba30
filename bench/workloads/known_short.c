/*
 * known_short: as known.c, with calls of some 3 to 30 ns.
 */
#include <stdint.h>

#include "known.h"

enum { ROUNDS = 40, ARGUMENTS = 8, CALLS = 50000 };

static uint64_t state = 1;

static __attribute__((noinline)) void work(long n)
{
  state = known_steps(state, n);
}

int main(void)
{
  static const long arguments[ARGUMENTS] = {3, 6, 9, 13, 16, 20, 23, 27};
  double seconds[ARGUMENTS] = {0};
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < ARGUMENTS; i++) {
      const double start = known_now();
      for (long calls = CALLS; calls > 0; calls--)
        work(arguments[i]);
      seconds[i] += known_now() - start;
    }
  known_show(ARGUMENTS, arguments, seconds);
  return state == 0;
}
