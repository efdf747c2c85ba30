/*
 * The processor's registers by their DWARF numbers, and what is known of a call.
 *
 * Nothing but macros: it is included by assembly.
 */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_REGISTERS_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_REGISTERS_H

#define PROF_MACHINE   183 /* EM_AARCH64 */
#define PROF_REGISTERS 32  /* x0 to x30 and sp, a power of two */
#define PROF_R_SIZE    256 /* their bytes */
#define PROF_VECTORS   32  /* a power of two */
#define PROF_SP        31
#define PROF_FP        29 /* x29 */
#define PROF_CALL_SITE 1  /* x1: the hook's second argument */
#define PROF_RETURNED  0  /* x0: what a function returns */

/* A call leaves the return address in this register, x30, and the function's frame keeps it where the index says. Where
 * a call puts it into memory itself, PROF_RETURN_OFFSET says how far from the canonical frame address. */
#define PROF_RETURN_OFFSET 0
#define PROF_LINK          30

/* Reads the thread pointer, and how far above it the executable's thread-local block begins at least: two words are the
 * C library's. */
#define PROF_READ_THREAD_POINTER "mrs %0, tpidr_el0"
#define PROF_THREAD_BLOCK_ABOVE  16

/* Whether sleds can be switched on. */
#define PROF_HAS_SLEDS 0

#endif
