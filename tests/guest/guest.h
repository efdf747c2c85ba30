/*
 * What the guest programs share. A guest is a small real program that the tests compile with hooks
 * (-finstrument-functions, or sleds) and run with and without the profiler. It checks itself (exit status 1 and a line
 * on stderr when something is wrong) and counts the calls of its own functions, so that the driver knows every count
 * that the profile must show:
 *
 *   count NAME N    NAME was called N times, in every run
 *   varies NAME N   the same, but N differs from run to run
 */
#ifndef CALLSIG_TESTS_GUEST_H
#define CALLSIG_TESTS_GUEST_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/check.h"

#if defined(__clang__) /* whose sleds go by an attribute of their own */
#define QUIET __attribute__((no_instrument_function, xray_never_instrument))
#else
#define QUIET __attribute__((no_instrument_function))
#endif

/* Before a function that is called as it is written, neither inlined nor cloned. */
#if defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

#define COUNTER(name)     static volatile unsigned long count_of_##name
#define HIT(name)         ((void)__atomic_add_fetch(&count_of_##name, 1, __ATOMIC_RELAXED))
#define TELL(name)        printf("count " #name " %lu\n", count_of_##name)
#define TELL_VARIES(name) printf("varies " #name " %lu\n", count_of_##name)

/* Keeps `value` alive and unknown to the optimiser. */
#define KEEP(value) __asm__ volatile("" : "+r"(value) : : "memory")

#endif
