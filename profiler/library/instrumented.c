/*
 * Finds out whether a module is instrumented: by its index, where the recording has one, else by its file.
 */
#include "profiler/library/instrumented.h"

#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"
#include "profiler/module/locate.h"
#include "profiler/module/module_find.h"
#include "profiler/module/site.h"
#include "profiler/sled/elf_sleds.h"

bool prof_instrumented_holds(struct prof_instrumented *known, uintptr_t address)
{
  for (uint32_t i = 0; i < known->count; i++)
    if (address >= known->modules[i].start && address < known->modules[i].end)
      return known->modules[i].is_instrumented;
  /* Where the library lies by now may have been a module that another thread has unloaded and has not told of yet. */
  if (__atomic_load_n(&prof_process.unloading, __ATOMIC_SEQ_CST))
    prof_sites_check_at(address);
  const struct prof_module *module = prof_module_find(address);
  if (module && module->index.header)
    return module->index.count[FMT_SECTION_SITES] != 0;
  struct prof_located *found = prof_scratch_take(sizeof *found);
  if (!found)
    return false;
  bool is_located = prof_locate(address, found) == 0;
  bool is_instrumented = is_located && prof_elf_is_instrumented(prof_located_file(found)) > 0;
  if (is_located && known->count < PROF_INSTRUMENTED_KNOWN) {
    known->modules[known->count].start = found->start;
    known->modules[known->count].end = found->end;
    known->modules[known->count++].is_instrumented = is_instrumented;
  }
  prof_scratch_give(found, sizeof *found);
  return is_instrumented;
}
