/*
 * The clock that the recording's ticks come from.
 */
#ifndef CALLSIG_PROFILER_BASE_CLOCK_H
#define CALLSIG_PROFILER_BASE_CLOCK_H

#include <stdint.h>

#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/compiler.h"
#include "profiler/base/process.h"

/* The recording's clock where that is not the time stamp counter. Anywhere. */
uint64_t prof_clock_read(void);
/* The recording's clock for the calling thread, in ticks. Anywhere. */
static inline uint64_t prof_clock_now(void)
{
  return PROF_LIKELY(prof_process.settings.clock == FMT_CLOCK_TSC) ? prof_time_stamp() : prof_clock_read();
}
/* A clock that all threads share, in the unit of the recording's: where that is each thread's CPU time,
 * CLOCK_MONOTONIC. Anywhere. */
uint64_t prof_clock_shared(void);
/* How long a thread of the process has run so far, in nanoseconds; 0 where there is none. Anywhere. */
uint64_t prof_clock_cpu_of(uint32_t tid);
/* CLOCK_MONOTONIC in nanoseconds. Anywhere. */
uint64_t prof_monotonic_ns(void);
/* CLOCK_REALTIME in nanoseconds. Anywhere. */
uint64_t prof_realtime_ns(void);
/* So many nanoseconds in ticks of the recording's clock, at most UINT64_MAX - 1. For the time stamp counter that takes
 * a tenth of a millisecond, of waiting. Any thread. */
uint64_t prof_clock_ticks(uint64_t ns);
/* So many nanoseconds in ticks of the recording's clock, which is the wall's, as prof_clock_measure() found it to be.
 * Anywhere. */
uint64_t prof_clock_ticks_passed(uint64_t ns);
/* The recording's clock and CLOCK_MONOTONIC, read at once. Anywhere. */
struct fmt_rec_clock_point prof_clock_point(void);
/* Measures how fast the time stamp counter is, where that is the clock, from the recording's start on, for which a
 * tenth of a millisecond has to pass. A forked child has what was measured in its parent. Once, when there is a
 * recording. */
void prof_clock_measure(struct prof_process *process);
/* The header's timeline_min, in ticks, by the settings and the clock: UINT64_MAX when there is no timeline. Any thread.
 */
uint64_t prof_clock_timeline_min(void);
/* The clock that "wall" means on this machine: FMT_CLOCK_TSC when the time stamp counter is invariant, else
 * FMT_CLOCK_MONOTONIC. Anywhere. */
uint32_t prof_clock_wall(void);
/* Writes header.last: the clock and CLOCK_MONOTONIC, now. Any thread. */
void prof_stamp_last(void);
/* Has the recording begin now: header.start and header.last. Under threads_lock. */
void prof_stamp_start(void);

#endif
