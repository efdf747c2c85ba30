/*
 * Modules that are unloaded: their addresses may belong to another module the moment after, so nothing may be found by
 * them any more.
 *
 * Which modules a dlclose() takes away is known afterwards only, when another thread may have loaded something in their
 * place already. So before it, the edges of every module but the program's are made unreachable in all threads: hooks
 * take the slow path then, which looks at the module each time. When no dlclose() is under way any more, those of the
 * modules that stayed are put back; those of a module that went are, one by one, when it has come back to its place,
 * and so are those of modules whose library calls are counted: one that is where it was may have been loaded anew, and
 * the first call in it leads its slots again. Who unloads a module goes through the edges before it does so, and nobody
 * puts any back until that has ended.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "callsig/callsig.h"
#include "profiler/base/compiler.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/module/module.h"
#include "profiler/module/site.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/fast_compare.h"

static void suspend(struct fmt_rec_edge *edge)
{
  const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  if (compare && prof_site_may_go(compare->site) && !(edge->flags & FMT_EDGE_INHERITED))
    __atomic_store_n(&edge->site, prof_site_key(compare->site), __ATOMIC_RELAXED);
}

static void resume(struct fmt_rec_edge *edge)
{
  const struct prof_site *site = prof_site_suspended(edge->site);
  if (site && !site->module->unloaded && !__atomic_load_n(&site->module->imports_due, __ATOMIC_RELAXED))
    __atomic_store_n(&edge->site, site->pc, __ATOMIC_RELAXED);
}

static void change_list(const uint64_t *first, void (*change)(struct fmt_rec_edge *edge))
{
  uint64_t next = __atomic_load_n(first, __ATOMIC_ACQUIRE);
  while (next) {
    struct fmt_rec_edge *edge = (struct fmt_rec_edge *)(uintptr_t)next;
    change(edge);
    next = edge->next;
  }
}

static void change_edges(const struct prof_tree *tree, void (*change)(struct fmt_rec_edge *edge))
{
  change_list(&tree->record->first_edge, change);
  change_list(&tree->first_stand_in, change);
}

/* Counts the dlclose() that begins or ends (`change` 1 or -1). The first one suspends all edges, and each other one
 * those that were made since; the last one puts them back. Under threads_lock trees stay, and nobody does the opposite.
 * No hook goes by the edges of the folded tree. */
static void count_unloading(int change)
{
  prof_lock(&prof_process.threads_lock);
  uint32_t unloading = __atomic_add_fetch(&prof_process.unloading, (uint32_t)change, __ATOMIC_SEQ_CST);
  for (struct prof_thread *t = prof_thread_first(); t && (change > 0 || unloading == 0); t = prof_thread_after(t))
    change_edges(&t->tree, change > 0 ? suspend : resume);
  prof_unlock(&prof_process.threads_lock);
}

/* Marks the modules that are gone. */
static void check_modules(void)
{
  struct prof_module *module = __atomic_load_n(&prof_process.modules, __ATOMIC_ACQUIRE);
  for (; module; module = module->next)
    prof_sites_check(module);
}

static bool has_loaded_modules(void)
{
  if (__atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) != PROF_PROCESS_RECORDING || prof_fork_happened())
    return false;
  struct prof_module *module = __atomic_load_n(&prof_process.modules, __ATOMIC_ACQUIRE);
  while (module && (module->unloaded || module->main_program))
    module = module->next;
  return module != NULL;
}

/* May a module that is known be unloaded? Not in a forked child whose state is still the parent's. */
static bool matters(void)
{
  return has_loaded_modules() || (prof_process.has_sleds && !prof_fork_happened());
}

/* Counts the calling thread among those that unload. Sleds that another thread is switching are done then, and others
 * wait. */
static void begin_unloading(void)
{
  uint64_t mask = prof_block_signals();
  count_unloading(1);
  prof_lock(&prof_process.modules_lock);
  prof_unlock(&prof_process.modules_lock);
  prof_restore_signals(mask);
}

static void end_unloading(void)
{
  uint64_t mask = prof_block_signals();
  check_modules();
  count_unloading(-1);
  prof_restore_signals(mask);
  if (__atomic_exchange_n(&prof_process.sleds_waiting, 0, __ATOMIC_SEQ_CST))
    prof_process.upcalls.switch_sleds(!__atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST));
}

/* A statically linked program has no dlsym() unless it loads modules itself. */
extern __typeof__(dlsym) dlsym __attribute__((weak));

PROF_STANDS_IN int dlclose(void *handle)
{
  static int (*next)(void *);
  if (!next && dlsym)
    next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
  if (!next)
    return 0; /* nothing can be unloaded here: what dlclose() is free to do */
  if (!matters())
    return next(handle);
  uint32_t epoch = prof_process.epoch;
  begin_unloading();
  int result = next(handle);
  /* A destructor may have forked: nothing of this is in the child's own recording. */
  if (prof_fork_happened() || prof_process.epoch != epoch)
    return result;
  end_unloading();
  return result;
}
