/* A hundred functions whose times are known, by a clock that goes on only where they say so: what is not timed has to
 * be within the error that is told. argv[1]: where the random numbers start. */
#include "tests/guest/own_clock.h"

#define CALLS 3000

static uint64_t truth[100];

/* Alike, a few lengths, mostly short, and short ones with a long one now and then. */
static QUIET void spend(unsigned row)
{
  uint64_t ticks = 20 + row;
  switch (row % 4) {
  case 0:
    ticks += random_below(10);
    break;
  case 1:
    ticks += 50 * random_below(4);
    break;
  case 2:
    ticks += random_below(1 + random_below(1 + random_below(600)));
    break;
  default:
    ticks += random_below(8) ? 0 : 300;
  }
  now += ticks;
  truth[row] += ticks;
}

#define ROW(number)                                                                                                    \
  static __attribute__((noinline)) void row_##number(void)                                                             \
  {                                                                                                                    \
    spend(1##number - 100);                                                                                            \
  }
#define TEN(of, digit)                                                                                                 \
  of(digit##0) of(digit##1) of(digit##2) of(digit##3) of(digit##4) of(digit##5) of(digit##6) of(digit##7) of(digit##8) \
      of(digit##9)
#define HUNDRED(of)                                                                                                    \
  TEN(of, 0) TEN(of, 1) TEN(of, 2) TEN(of, 3) TEN(of, 4) TEN(of, 5) TEN(of, 6) TEN(of, 7) TEN(of, 8) TEN(of, 9)
#define NAMED(number) row_##number,

HUNDRED(ROW)
static void (*const rows[])(void) = {HUNDRED(NAMED)};

static void calls(void)
{
  for (unsigned i = 0; i < 100 * CALLS; i++)
    rows[i % 100]();
}

QUIET int main(int argc, char **argv)
{
  CHECK(argc == 2);
  use_own_clock(strtoull(argv[1], NULL, 10));
  calls();
  for (unsigned i = 0; i < 100; i++)
    printf("count row_%02u %d\ntruth row_%02u %lu\n", i, CALLS, i, (unsigned long)truth[i]);
  printf("count calls 1\n");
  return 0;
}
