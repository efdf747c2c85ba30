/*
 * A recording's clock: how long its ticks are, and what it reads now.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_CLOCK_H
#define CALLSIG_OUTPUT_RECORDING_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"

/* Seconds a tick. The rate of a TSC follows from the recording's two readings; outside of what any machine has, they
 * are torn or missing: then *uncalibrated is true, and a tick is taken for a nanosecond. */
double out_clock_tick(uint32_t clock, uint64_t injected_hz, const struct fmt_rec_clock_point *start,
                      const struct fmt_rec_clock_point *last, bool *uncalibrated);

/* The clock of a process on this machine as it stands. False for a clock that only the process itself can read. */
bool out_clock_now(uint32_t clock, struct fmt_rec_clock_point *now);

#endif
