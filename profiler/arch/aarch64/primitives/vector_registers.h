/* The vector registers that arguments are passed in. */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_VECTOR_REGISTERS_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_VECTOR_REGISTERS_H

#include <stdint.h>

/* Low halves of v0..31 as they are now: `vectors` has PROF_VECTORS places. The profiler's own C is compiled without
 * these registers, so they are still the program's. Anywhere. */
void prof_capture_xmm(uint64_t *vectors);

/* Calls a function of the C library with these registers kept: it may use them, and a hook's caller has its arguments
 * in them. */
int prof_call_keeping_vectors(int (*function)(void *first, void *second), void *first, void *second);

#endif
