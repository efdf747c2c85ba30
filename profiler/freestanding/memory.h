/*
 * A compiler may copy or fill memory with calls of memcpy() and memset() that no source asks for, and those would be
 * the program's. Included first in every file of the profiler, this makes them calls of its own.
 */
#ifndef CALLSIG_PROFILER_FREESTANDING_MEMORY_H
#define CALLSIG_PROFILER_FREESTANDING_MEMORY_H

#include <stddef.h>

__asm__("memcpy = prof_copy_bytes\n\tmemmove = prof_move_bytes\n\tmemset = prof_fill_bytes");

void *prof_copy_bytes(void *target, const void *source, size_t size) __attribute__((visibility("hidden")));
void *prof_move_bytes(void *target, const void *source, size_t size) __attribute__((visibility("hidden")));
void *prof_fill_bytes(void *target, int byte, size_t size) __attribute__((visibility("hidden")));

#endif
