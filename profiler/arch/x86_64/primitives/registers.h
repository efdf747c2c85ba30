/*
 * The processor's registers by their DWARF numbers, and what is known of a call.
 *
 * Nothing but macros: it is included by assembly.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_REGISTERS_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_REGISTERS_H

#define PROF_MACHINE   62  /* EM_X86_64 */
#define PROF_REGISTERS 16  /* general ones, a power of two */
#define PROF_R_SIZE    128 /* their bytes */
#define PROF_VECTORS   16  /* a power of two */
#define PROF_SP        7   /* rsp */
#define PROF_FP        6   /* rbp */
#define PROF_CALL_SITE 4   /* rsi: the hook's second argument */
#define PROF_RETURNED  0   /* rax: what a function returns */

/* A call puts the return address this far from the canonical frame address. PROF_LINK is the register that holds it
 * instead where a call does not; no register here. */
#define PROF_RETURN_OFFSET (-8)
#define PROF_LINK          PROF_REGISTERS

/* Reads the thread pointer, and how far above it the executable's thread-local block begins at least; 0: it ends there.
 */
#define PROF_READ_THREAD_POINTER "movq %%fs:0, %0"
#define PROF_THREAD_BLOCK_ABOVE  0

/* Whether sleds can be switched on. */
#define PROF_HAS_SLEDS 1

#endif
