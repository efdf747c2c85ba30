/* Recordings of calls at random, the same for the same seed. */
#ifndef CALLSIG_TESTS_RANDOM_RECORDING_H
#define CALLSIG_TESTS_RANDOM_RECORDING_H

#include <stdint.h>

/* The numbers of a test, the same every time; begins with any state. */
struct dice {
  uint64_t state;
};

/* The next number below `sides`. */
uint32_t roll(struct dice *dice, uint32_t sides);

/* A recording of every kind of thing, different for every seed; saved at `path`. */
void save_random_recording(unsigned seed, const char *path);

#endif
