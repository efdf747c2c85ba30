/*
 * Modules that are unloaded: their addresses may belong to another module the moment after, so nothing may be found by
 * them any more.
 *
 * Which modules a dlclose() takes away is known afterwards only, when another thread may have loaded something in their
 * place already. So before it, the edges of every module but the program's are made unreachable in all threads (hooks
 * find them by the slow path then), and after it those of the modules that stayed are put back.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "callsig/callsig.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/module/module.h"
#include "profiler/module/site.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/fast_compare.h"

/* What the site of an edge reads while a dlclose() is under way: no probe site's address. */
#define SITE_SUSPENDED 1u

/* Calls `change` for each edge of each running thread that was made for a site of a module other than the program.
 * Holds threads_lock: their trees stay. */
static void for_each_edge(void (*change)(struct fmt_rec_edge *edge, const struct prof_site *site))
{
  prof_lock(&prof_process.threads_lock);
  for (struct prof_thread *t = prof_process.threads; t; t = t->next) {
    uint64_t next = __atomic_load_n(&t->tree.record->first_edge, __ATOMIC_ACQUIRE);
    while (next) {
      struct fmt_rec_edge *edge = (struct fmt_rec_edge *)(uintptr_t)next;
      const struct prof_fast_compare *compare = (const struct prof_fast_compare *)(uintptr_t)edge->site_info;
      if (compare && compare->site && compare->site->module)
        change(edge, compare->site);
      next = edge->next;
    }
  }
  prof_unlock(&prof_process.threads_lock);
}

static void suspend(struct fmt_rec_edge *edge, const struct prof_site *site)
{
  if (!site->module->main_program && edge->site == site->pc)
    __atomic_store_n(&edge->site, SITE_SUSPENDED, __ATOMIC_RELAXED);
}

static void resume(struct fmt_rec_edge *edge, const struct prof_site *site)
{
  if (edge->site == SITE_SUSPENDED)
    __atomic_store_n(&edge->site, site->module->unloaded ? 0 : site->pc, __ATOMIC_RELAXED);
}

/* Marks the modules that are gone, and forgets their sites. */
static void retire_unloaded(void)
{
  for (struct prof_module *module = prof_process.modules; module; module = module->next) {
    if (module->unloaded || module->main_program || prof_module_present(module))
      continue;
    prof_module_gone(module);
    prof_sites_retire(module->start, module->end);
  }
}

static bool has_loaded_modules(void)
{
  if (__atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) != PROF_PROCESS_RECORDING)
    return false;
  struct prof_module *module = __atomic_load_n(&prof_process.modules, __ATOMIC_ACQUIRE);
  while (module && (module->unloaded || module->main_program))
    module = module->next;
  return module != NULL;
}

/* A statically linked program has no dlsym() unless it loads modules itself. */
extern __typeof__(dlsym) dlsym __attribute__((weak));

CALLSIG_API int dlclose(void *handle)
{
  static int (*next)(void *);
  if (!next && dlsym)
    next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
  if (!next)
    return 0; /* nothing can be unloaded here: what dlclose() is free to do */
  if (!has_loaded_modules())
    return next(handle);
  uint64_t mask = prof_block_signals();
  for_each_edge(suspend);
  prof_restore_signals(mask);
  int result = next(handle);
  mask = prof_block_signals();
  retire_unloaded();
  for_each_edge(resume);
  prof_restore_signals(mask);
  return result;
}
