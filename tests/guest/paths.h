/*
 * Eight functions that call each other in every order, five deep: more paths than a recording begins with room for.
 */
#ifndef CALLSIG_TESTS_GUEST_PATHS_H
#define CALLSIG_TESTS_GUEST_PATHS_H

#include "tests/guest/guest.h"

#define FUNCTIONS 8u
#define DEPTH     5u

typedef int (*function)(unsigned order, unsigned depth);

static unsigned long calls[FUNCTIONS];
static int next(unsigned order, unsigned depth);

#define FUNCTION(number)                                                                                               \
  __attribute__((noinline)) static int path_##number(unsigned order, unsigned depth)                                   \
  {                                                                                                                    \
    calls[number]++;                                                                                                   \
    int below = depth ? next(order, depth - 1) : 0;                                                                    \
    KEEP(below);                                                                                                       \
    return below + 1;                                                                                                  \
  }

FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)

static QUIET int next(unsigned order, unsigned depth)
{
  static const function functions[FUNCTIONS] = {path_0, path_1, path_2, path_3, path_4, path_5, path_6, path_7};
  return functions[order % FUNCTIONS](order / FUNCTIONS, depth);
}

static QUIET void call_all_paths(void)
{
  unsigned orders = 1;
  for (unsigned i = 0; i < DEPTH; i++)
    orders *= FUNCTIONS;
  for (unsigned order = 0; order < orders; order++)
    CHECK(next(order, DEPTH - 1) == DEPTH);
}

static inline QUIET void tell_paths(void)
{
  for (unsigned i = 0; i < FUNCTIONS; i++)
    printf("count path_%u %lu\n", i, calls[i]);
}

#endif
