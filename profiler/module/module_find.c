/*
 * The modules of this process that are known: found by an address, without a lock.
 */
#include "profiler/module/module_find.h"

#include "profiler/base/process.h"

struct prof_module *prof_module_find(uintptr_t address)
{
  struct prof_module *module = __atomic_load_n(&prof_process.modules, __ATOMIC_ACQUIRE);
  for (; module; module = module->next)
    if (address >= module->start && address < module->end && !module->unloaded)
      return module;
  return NULL;
}

const struct fmt_index_site *prof_module_site(const struct prof_module *module, uintptr_t pc)
{
  return fmt_index_site_at(&module->index, pc - module->bias);
}

const struct fmt_index_call_site *prof_module_call_site(const struct prof_module *module, uintptr_t pc)
{
  return fmt_index_call_site_at(&module->index, pc - module->bias);
}
