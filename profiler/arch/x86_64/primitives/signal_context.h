/* What the kernel and a signal handler tell each other. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_SIGNAL_CONTEXT_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_SIGNAL_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

/* An action says where its handler returns to. */
#define PROF_RESTORER_FLAG 0x04000000u /* SA_RESTORER */

/* In guarded_copy.S, in the form that debuggers and unwinders know. */
void prof_signal_return(void) __attribute__((visibility("hidden")));

static inline uintptr_t prof_restorer(void)
{
  return (uintptr_t)prof_signal_return;
}

/* The instruction that was interrupted. Anywhere. */
static inline uintptr_t prof_context_pc(const ucontext_t *context)
{
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

/* Has the handler return to another. Anywhere. */
static inline void prof_context_continue(ucontext_t *context, uintptr_t pc)
{
  context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

#endif
