/*
 * What the compiler is told of functions and branches.
 */
#ifndef CALLSIG_PROFILER_BASE_COMPILER_H
#define CALLSIG_PROFILER_BASE_COMPILER_H

#define PROF_COLD        __attribute__((noinline, cold))
#define PROF_LIKELY(x)   __builtin_expect(!!(x), 1)
#define PROF_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
