/*
 * Memory that the code of a module reaches by a call: within two gigabytes of it.
 */
#ifndef CALLSIG_PROFILER_SLED_NEAR_MEMORY_H
#define CALLSIG_PROFILER_SLED_NEAR_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Maps `size` bytes, zeroed, readable and writable, all of them within `reach` bytes of everything in [low, high).
 * The address, or a negative errno: compare with prof_sys_failed(). With signals blocked. */
long prof_near_map(uintptr_t low, uintptr_t high, uint64_t reach, size_t size);

#endif
