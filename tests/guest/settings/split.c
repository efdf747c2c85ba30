/* Calls of which it is known how much time each argument stands for, by a clock that goes on only where they say so:
 * work(n) takes n ns, give or take a tenth, for n from 10 ns to 10 ms, and all calls of each n take about as long in
 * all. */
#include "tests/guest/own_clock.h"

enum { SHORTEST = 10, LONGEST = 10000000, IN_ALL = 10 * LONGEST };

static QUIET uint64_t duration(uint64_t n)
{
  return n - n / 10 + random_below(n / 5 + 1);
}

static __attribute__((noinline)) uint64_t work(uint64_t n)
{
  uint64_t ticks = duration(n);
  now += ticks;
  return ticks;
}

static __attribute__((noinline)) uint64_t call_all(uint64_t n)
{
  uint64_t truth = 0;
  for (uint64_t i = 0; i < IN_ALL / n / (n < 1000 ? 10 : 1); i++)
    truth += work(n);
  return truth;
}

QUIET int main(void)
{
  use_own_clock(1);
  for (uint64_t n = SHORTEST; n <= LONGEST; n *= 10) {
    uint64_t truth = call_all(n);
    printf("truth %lu %lu\n", (unsigned long)n, (unsigned long)truth);
  }
  return 0;
}
