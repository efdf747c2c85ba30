/* Tells the instructions that call hooks from the program's own. */
#include "symbols/sites/hook_calls.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/processor/processor.h"

static int compare_sled(const void *key, const void *sled)
{
  const uint64_t address = *(const uint64_t *)key, at = ((const struct fmt_index_sled *)sled)->address;
  return (address > at) - (address < at);
}

/* What gcc's plug-in fills up with before a sled is part of its instruction: prefixes that mean nothing. */
#define FILLING 0x2E

static bool is_sled(const struct sym_hook *hook, const struct sym_sleds *sleds, uint64_t address)
{
  const struct sym_code_bytes *code = sym_hook_code_at(hook, address);
  const struct base_vector *list = &sleds->sleds;
  if (code == NULL || list->count == 0)
    return false;
  for (size_t at = (size_t)(address - code->address); at < code->size && code->bytes[at] == FILLING; at++)
    address++;
  return bsearch(&address, list->data, list->count, list->entry_size, compare_sled) != NULL;
}

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

/* The jump of a stub, or the first instruction before it. */
static bool is_stub(const struct sym_hook *hook, uint64_t address)
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

static bool leads_to_hook(const struct sym_hook *hook, const struct sym_code_way *way)
{
  if (way->target != 0)
    return sym_hook_target_at(hook, way->target) != NULL || is_stub(hook, way->target);
  return way->slot != 0 && is_slot_of_hook(hook, way->slot);
}

bool sym_is_hook_call(const struct sym_hook *hook, const struct sym_sleds *sleds, uint64_t address)
{
  const struct sym_code_bytes *code = sym_hook_code_at(hook, address);
  struct sym_code_way way;
  if ((sleds != NULL && is_sled(hook, sleds, address)) || is_stub(hook, address))
    return true;
  if (code == NULL)
    return false;
  const size_t at = (size_t)(address - code->address);
  bool is_hook = hook->processor->call_at(code, at, &way) && leads_to_hook(hook, &way);
  for (unsigned reading = 0; !is_hook && hook->processor->call_before(code, at + 1, reading, &way); reading++)
    is_hook = leads_to_hook(hook, &way);
  return is_hook;
}
