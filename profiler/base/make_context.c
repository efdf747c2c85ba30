/*
 * What makecontext(), swapcontext() and setcontext() in place of the C library's do on every processor.
 */
#include "profiler/base/make_context.h"

#include <dlfcn.h>
#include <stdint.h>

#include "profiler/base/coroutine.h"

/* A statically linked program has no dlsym() unless it loads modules itself. */
extern __typeof__(dlsym) dlsym __attribute__((weak));

void *prof_context_maker(const ucontext_t *context, void *own)
{
  static void *next;
  uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;
  if (low && context->uc_stack.ss_size)
    prof_stack_note(low, low + context->uc_stack.ss_size);
  return prof_context_next("makecontext", &next, own);
}

void *prof_context_next(const char *name, void **next, void *own)
{
  if (!*next && dlsym)
    *next = dlsym(RTLD_NEXT, name);
  return *next ? *next : own;
}
