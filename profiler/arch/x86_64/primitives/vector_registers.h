/* The vector registers that arguments are passed in. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_VECTOR_REGISTERS_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_VECTOR_REGISTERS_H

#include <stdint.h>

/* Low halves of xmm0..15 as they are now: `xmm` has 16 places. The profiler's own C is compiled without these
 * registers, so they are still the program's. Anywhere. */
void prof_capture_xmm(uint64_t *xmm);

/* Calls a function of the C library with these registers kept: it may use them, and a hook's caller has its arguments
 * in them. */
int prof_call_keeping_vectors(int (*function)(void *first, void *second), void *first, void *second);

#endif
