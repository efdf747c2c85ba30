/*
 * The hooks, called as a function would call them that does nothing else.
 */
#ifndef CALLSIG_PROFILER_HOOK_CALIBRATION_CALLS_H
#define CALLSIG_PROFILER_HOOK_CALIBRATION_CALLS_H

#include <stdint.h>

/* Calls the hooks `count` times for `function`, on one probe site, with the stack pointer unchanged in between. In
 * assembly. Anywhere. */
void prof_calibration_calls(uint64_t count, uintptr_t function) __attribute__((visibility("hidden")));
/* That site's address: what the enter hook returns to. */
extern const char prof_calibration_site[] __attribute__((visibility("hidden")));

/* The same with the hooks of sleds, whose entries go to `enter`, to return to prof_calibration_sled_site, and whose
 * exits go to `leave`. In between are so many times four multiplications, each of which waits for the one before. */
void prof_calibration_sled_calls(uint64_t count, void (*enter)(void), void (*leave)(void), uint64_t work);
extern const char prof_calibration_sled_site[];

#endif
