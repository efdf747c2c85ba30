/*
 * What makecontext(), swapcontext() and setcontext() in place of the C library's do on every processor.
 */
#include "profiler/base/make_context.h"

#include <dlfcn.h>
#include <stdint.h>

#include "profiler/base/coroutine.h"

/* A statically linked program has no dlsym() unless it loads modules itself. */
extern __typeof__(dlsym) dlsym __attribute__((weak));

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Since glibc 2.35. */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

static const void *object_of(const void *address)
{
  struct dl_find_object object;
  const bool is_found = _dl_find_object && _dl_find_object((void *)(uintptr_t)address, &object) == 0;
  return is_found ? object.dlfo_map_start : NULL;
}

/* Is this the C library's, and not that of a library which stands in for it, too? For getcontext() none has a reason.
 */
static bool is_c_library(const void *function)
{
  const void *library = object_of(dlsym(RTLD_NEXT, "getcontext"));
  return library && library == object_of(function);
}
#else
static bool is_c_library(const void *function)
{
  (void)function;
  return false;
}
#endif

void *prof_context_maker(const ucontext_t *context, void *own, bool is_better)
{
  static void *maker; /* atomic */
  uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;
  if (low && context->uc_stack.ss_size)
    prof_stack_note(low, low + context->uc_stack.ss_size);
  void *known = __atomic_load_n(&maker, __ATOMIC_RELAXED);
  if (!known) {
    known = dlsym ? dlsym(RTLD_NEXT, "makecontext") : NULL;
    if (!known || (is_better && is_c_library(known)))
      known = own;
    __atomic_store_n(&maker, known, __ATOMIC_RELAXED);
  }
  return known;
}

void *prof_context_next(const char *name, void **next, void *own)
{
  if (!*next && dlsym)
    *next = dlsym(RTLD_NEXT, name);
  return *next ? *next : own;
}
