/*
 * A clock that goes on only where a guest says so, and random numbers whose start is the guest's: how long calls take
 * is known to the tick, which is a nanosecond.
 */
#ifndef CALLSIG_TESTS_GUEST_OWN_CLOCK_H
#define CALLSIG_TESTS_GUEST_OWN_CLOCK_H

#include <callsig/callsig.h>
#include <stdint.h>

#include "tests/guest/guest.h"

static uint64_t now = 1, seed;

static QUIET uint64_t read_clock(void *data)
{
  (void)data;
  return now;
}

static QUIET void use_own_clock(uint64_t start)
{
  seed = start;
  CHECK(callsig_set_clock(read_clock, NULL, 1000000000) == 0);
}

static QUIET uint64_t random_below(uint64_t end)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (seed >> 33) % end;
}

#endif
