/*
 * The kernel's clock, read where the kernel has put its code for that into the process (the vDSO), and by no function
 * that the program may have replaced: it may live in a time of its own.
 */
#ifndef CALLSIG_PROFILER_BASE_KERNEL_CLOCK_H
#define CALLSIG_PROFILER_BASE_KERNEL_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. The first call looks for the code; where there is none, it is a system call.
 * Anywhere.
 */
uint64_t prof_kernel_monotonic_ns(void);

#endif
