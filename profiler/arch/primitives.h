/*
 * The processor's primitives: what the C of the profiler needs of machine instructions, by the same names on every
 * processor.
 */
#ifndef CALLSIG_PROFILER_ARCH_PRIMITIVES_H
#define CALLSIG_PROFILER_ARCH_PRIMITIVES_H

#include "profiler/arch/common/guarded_copy.h"
#include "profiler/arch/registers.h"
#include "profiler/arch/thread_pointer.h"

#if defined(__x86_64__)
#include "profiler/arch/x86_64/primitives/bytes.h"
#include "profiler/arch/x86_64/primitives/clone.h"
#include "profiler/arch/x86_64/primitives/counter.h"
#include "profiler/arch/x86_64/primitives/signal_frame.h"
#include "profiler/arch/x86_64/primitives/syscall.h"
#include "profiler/arch/x86_64/primitives/time_stamp.h"
#include "profiler/arch/x86_64/primitives/vector_registers.h"
#include "profiler/arch/x86_64/primitives/word_pair.h"
#elif defined(__aarch64__)
#include "profiler/arch/aarch64/primitives/bytes.h"
#include "profiler/arch/aarch64/primitives/clone.h"
#include "profiler/arch/aarch64/primitives/counter.h"
#include "profiler/arch/aarch64/primitives/signal_frame.h"
#include "profiler/arch/aarch64/primitives/syscall.h"
#include "profiler/arch/aarch64/primitives/time_stamp.h"
#include "profiler/arch/aarch64/primitives/vector_registers.h"
#include "profiler/arch/aarch64/primitives/word_pair.h"
#else
#error "callsig's profiler knows x86-64 and aarch64"
#endif

#endif
