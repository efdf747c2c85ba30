/* Tells the instructions that call hooks from the program's own. */
#include "symbols/sites/hook_calls.h"

#include <stdlib.h>

#include "symbols/elf/hook_way.h"
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

bool sym_is_hook_call(const struct sym_hook *hook, const struct sym_sleds *sleds, uint64_t address)
{
  const struct sym_code_bytes *code = sym_hook_code_at(hook, address);
  struct sym_code_way way;
  if ((sleds != NULL && is_sled(hook, sleds, address)) || sym_hook_is_stub(hook, address))
    return true;
  if (code == NULL)
    return false;
  const size_t at = (size_t)(address - code->address);
  bool is_hook = hook->processor->call_at(code, at, &way) && sym_hook_leads_to(hook, &way);
  for (unsigned reading = 0; !is_hook && hook->processor->call_before(code, at + 1, reading, &way); reading++)
    is_hook = sym_hook_leads_to(hook, &way);
  return is_hook;
}
