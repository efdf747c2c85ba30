/*
 * Reading memory of the program that may not be there.
 */
#ifndef CALLSIG_PROFILER_BASE_READ_MEMORY_H
#define CALLSIG_PROFILER_BASE_READ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads `size` bytes at `address`, which need not be mapped: 0 or -EFAULT. Never faults, never blocks. No system call
 * where the pages were read before and the net holds. Anywhere. */
int prof_read_memory(void *target, uintptr_t address, size_t size);

/* The same for at most 8 bytes, without a system call: false too where one would be needed to know. Anywhere. */
bool prof_read_known(uint64_t *target, uintptr_t address, size_t size);

/* The same for a text that ends with a NUL byte or after `size` bytes: reads no further than what is mapped needs, and
 * gives how many bytes it read in *read, with the NUL byte where there is one. `target` has room for `size`. */
int prof_read_text(void *target, uintptr_t address, size_t size, size_t *read);

/* Is all of [address, address + size) mapped now? A system call for each page, that for the signal mask, which
 * sandboxes let pass that forbid others. Anywhere. */
bool prof_is_mapped(uintptr_t address, size_t size);

/* The same as prof_read_memory() for at most 8 bytes where the program keeps a variable that it reads itself at this
 * point: what is there now stays there while the hook runs. */
int prof_read_storage(uint64_t *target, uintptr_t address, size_t size);

#endif
