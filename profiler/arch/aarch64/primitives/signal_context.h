/* What the kernel and a signal handler tell each other. */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_SIGNAL_CONTEXT_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_SIGNAL_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

/* What an action says of where its handler returns to: nothing, since the kernel has a place of its own. */
#define PROF_RESTORER_FLAG 0u

static inline uintptr_t prof_restorer(void)
{
  return 0;
}

/* The instruction that was interrupted. Anywhere. */
static inline uintptr_t prof_context_pc(const ucontext_t *context)
{
  return context->uc_mcontext.pc;
}

/* Has the handler return to another. Anywhere. */
static inline void prof_context_continue(ucontext_t *context, uintptr_t pc)
{
  context->uc_mcontext.pc = pc;
}

#endif
