/*
 * The kernel's clock, read where the kernel has put its code for that into the process (the vDSO), and by no function
 * that the program may have replaced: it may live in a time of its own.
 */
#ifndef CALLSIG_PROFILER_BASE_KERNEL_CLOCK_H
#define CALLSIG_PROFILER_BASE_KERNEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. The first call looks for the code; where there is none, it is a system call.
 * Anywhere.
 */
uint64_t prof_kernel_monotonic_ns(void);

/* Does the address lie in the kernel's code, which may be that of a reading? False where none was made. Anywhere. */
bool prof_kernel_clock_holds(uintptr_t address);

#endif
