/*
 * Sleds, on a processor for which they cannot be switched on: they stay off, and that is told once.
 */
#include <stddef.h>

#include "profiler/base/lock.h"
#include "profiler/base/message.h"
#include "profiler/base/proc_maps.h"
#include "profiler/sled/elf_sleds.h"

static bool visit(const struct prof_mapping *mapping, void *data)
{
  (void)data;
  if (!mapping->executable || mapping->path[0] != '/' || prof_elf_mapped_has_sleds(mapping) <= 0)
    return true;
  prof_message("%s: its sleds stay off, since callsig has none on this processor: build it with -finstrument-functions",
               mapping->path);
  return false;
}

__attribute__((constructor)) static void look_at_start(void)
{
  uint64_t mask = prof_block_signals();
  prof_proc_maps_walk(visit, NULL);
  prof_restore_signals(mask);
}
