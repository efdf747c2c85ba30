/*
 * The processor's registers. Nothing but macros: it is included by assembly.
 */
#ifndef CALLSIG_PROFILER_ARCH_REGISTERS_H
#define CALLSIG_PROFILER_ARCH_REGISTERS_H

#if defined(__x86_64__)
#include "profiler/arch/x86_64/primitives/registers.h"
#elif defined(__aarch64__)
#include "profiler/arch/aarch64/primitives/registers.h"
#endif

#endif
