/*
 * What the kernel and a signal handler tell each other, by the same names on every processor. Apart from the other
 * primitives, since it takes the C library's <ucontext.h>.
 */
#ifndef CALLSIG_PROFILER_ARCH_SIGNAL_CONTEXT_H
#define CALLSIG_PROFILER_ARCH_SIGNAL_CONTEXT_H

#if defined(__x86_64__)
#include "profiler/arch/x86_64/primitives/signal_context.h"
#elif defined(__aarch64__)
#include "profiler/arch/aarch64/primitives/signal_context.h"
#endif

#endif
