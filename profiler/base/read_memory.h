/*
 * Reading memory of the program that may not be there.
 */
#ifndef CALLSIG_PROFILER_BASE_READ_MEMORY_H
#define CALLSIG_PROFILER_BASE_READ_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Reads `size` bytes at `address`, which need not be mapped: 0 or -EFAULT. Never faults, never blocks. Anywhere. */
int prof_read_memory(void *target, uintptr_t address, size_t size);

#endif
