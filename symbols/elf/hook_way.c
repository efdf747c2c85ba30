/* Looks up what a call or a stub leads to among the slots and targets of the two hooks. */
#include "symbols/elf/hook_way.h"

#include <stdlib.h>
#include <string.h>

static int compare_import(const void *key, const void *import)
{
  const uint64_t slot = *(const uint64_t *)key, at = ((const struct sym_import *)import)->slot;
  return (slot > at) - (slot < at);
}

/* The exit hook is an import like any other. */
static bool is_slot_of_hook(const struct sym_hook *hook, uint64_t address)
{
  const struct sym_hook_slot *slot = sym_hook_slot_at(hook, address);
  if (slot != NULL)
    return slot->is_hook;
  const struct base_vector *imports = &hook->imports;
  const struct sym_import *import =
      imports->count > 0 ? bsearch(&address, imports->data, imports->count, imports->entry_size, compare_import) : NULL;
  return import != NULL && strcmp(import->name, "__cyg_profile_func_exit") == 0;
}

bool sym_hook_is_stub(const struct sym_hook *hook, uint64_t address)
{
  const struct sym_code_bytes *code = sym_hook_code_at(hook, address);
  struct sym_code_way way;
  size_t start;
  if (code == NULL)
    return false;
  const size_t at = (size_t)(address - code->address);
  const struct sym_processor *processor = hook->processor;
  return (processor->stub_at(code, at, &way) || processor->stub_around(code, at, &start, &way)) &&
         is_slot_of_hook(hook, way.slot);
}

bool sym_hook_leads_to(const struct sym_hook *hook, const struct sym_code_way *way)
{
  if (way->target != 0)
    return sym_hook_target_at(hook, way->target) != NULL || sym_hook_is_stub(hook, way->target);
  return way->slot != 0 && is_slot_of_hook(hook, way->slot);
}
