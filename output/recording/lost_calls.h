/*
 * How many calls a process made that are in no recording.
 *
 * Not all that a recording counts as a loss is of that: exits without an entry, frames that were closed late, what was
 * merged or left out of a histogram are no calls that are missing, and FMT_LOSS_WAITED are ticks.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_LOST_CALLS_H
#define CALLSIG_OUTPUT_RECORDING_LOST_CALLS_H

#include <stdint.h>

#include "format/recording.h"

static inline uint64_t out_lost_calls(const uint64_t loss[FMT_LOSS_COUNT])
{
  return loss[FMT_LOSS_NO_SPACE] + loss[FMT_LOSS_NESTED] + loss[FMT_LOSS_LATE] + loss[FMT_LOSS_NO_SLED];
}

#endif
