/*
 * A recording's clock: how long its ticks are, and what it reads now.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_CLOCK_H
#define CALLSIG_OUTPUT_RECORDING_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"

/* How many ticks there are in a second, as a recording's header tells it. */
struct out_clock_rate {
  uint64_t injected_hz;
  uint32_t counter_khz;
};

/* Seconds a tick. The rate of a TSC follows from the recording's two readings. They are torn or missing where it is
 * outside of what any machine has, and did not go on together where it is another than was measured at the start, which
 * is taken then. Without that *uncalibrated is true, and a tick is taken for a nanosecond. */
double out_clock_tick(uint32_t clock, struct out_clock_rate rate, const struct fmt_rec_clock_point *start,
                      const struct fmt_rec_clock_point *last, bool *uncalibrated);

/* The clock of a process on this machine as it stands. False for a clock that only the process itself can read. */
bool out_clock_now(uint32_t clock, struct fmt_rec_clock_point *now);

#endif
