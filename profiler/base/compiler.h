/*
 * What the compiler is told of functions and branches.
 */
#ifndef CALLSIG_PROFILER_BASE_COMPILER_H
#define CALLSIG_PROFILER_BASE_COMPILER_H

#define PROF_COLD        __attribute__((noinline, cold))
#define PROF_LIKELY(x)   __builtin_expect(!!(x), 1)
#define PROF_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Of functions that stand in for the C library's of the same name: where a statically linked program has one of its
 * own, that is no conflict, and it is the program's that is called. */
#define PROF_STANDS_IN CALLSIG_API __attribute__((weak))

/* Of functions that the program calls and that unblock signals: the handler of one that waited interrupts them, and is
 * to be told apart from one that interrupts a hook, since they hold no frame. In a section of their own, which the
 * linker names the ends of; see stack/interrupted.c. */
#define PROF_HOLDS_NO_FRAME __attribute__((noinline, section("callsig_holds_no_frame")))

#endif
