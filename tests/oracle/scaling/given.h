/*
 * What programs share that call a library's functions on data of their own: numbers in no order, the same in each run,
 * and an order for them.
 */
#ifndef CALLSIG_TESTS_ORACLE_SCALING_GIVEN_H
#define CALLSIG_TESTS_ORACLE_SCALING_GIVEN_H

/* Of functions of the program itself, which are no part of what is measured. */
#define QUIET __attribute__((no_instrument_function, noinline))

QUIET static unsigned long long next_random(void)
{
  static unsigned long long state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

QUIET static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#endif
