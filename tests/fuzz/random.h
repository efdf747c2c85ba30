/*
 * The numbers that mutators choose by, and the values that they choose.
 */
#ifndef CALLSIG_TESTS_FUZZ_RANDOM_H
#define CALLSIG_TESTS_FUZZ_RANDOM_H

#include <stdint.h>
#include <string.h>

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016. The state is
 * never 0. */
static inline uint64_t fuzz_random(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

/* A number that code may have forgotten. */
static inline uint64_t fuzz_extreme(uint64_t *state)
{
  static const uint64_t values[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    8,
                                    15,
                                    16,
                                    63,
                                    64,
                                    127,
                                    255,
                                    256,
                                    4095,
                                    4096,
                                    0x7FFF,
                                    0xFFFF,
                                    UINT64_C(1) << 31,
                                    UINT32_MAX,
                                    UINT64_C(1) << 32,
                                    UINT64_C(1) << 62,
                                    INT64_MAX,
                                    UINT64_C(1) << 63,
                                    UINT64_MAX};
  return values[fuzz_random(state) % (sizeof values / sizeof values[0])];
}

/* Changes the `width` bytes at `at` (at most 8): a little, in one bit, to an extreme, or to whatever. */
static inline void fuzz_change_field(uint8_t *at, size_t width, uint64_t *state)
{
  uint64_t value = 0, what = fuzz_random(state);
  memcpy(&value, at, width);
  switch (fuzz_random(state) % 4) {
  case 0:
    value += what % 33 - 16;
    break;
  case 1:
    value ^= UINT64_C(1) << what % (8 * width);
    break;
  case 2:
    value = fuzz_extreme(state);
    break;
  default:
    value = what;
  }
  memcpy(at, &value, width);
}

#endif
