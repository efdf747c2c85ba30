/*
 * Finds the probe sites of a module by scanning its code for calls of the hook.
 */
#include "symbols/sites/sites.h"

#include <errno.h>
#include <stdlib.h>

#include "symbols/processor/processor.h"
#include "symbols/sites/far_calls.h"

static int scan(const struct sym_hook *hook, const struct sym_code_bytes *code, struct base_vector *sites)
{
  for (size_t at = 0, step; at < code->size; at += step) {
    bool is_lazy;
    size_t size = sym_hook_call_at(hook, code, at, &is_lazy);
    step = size ? size : hook->processor->step;
    if (size == 0)
      continue;
    struct sym_found_site *site = base_vector_add(sites, 1);
    if (!site)
      return -ENOMEM;
    *site = (struct sym_found_site){.pc = code->address + at + size, .call = code->address + at, .is_lazy = is_lazy};
  }
  return 0;
}

static int compare(const void *a, const void *b)
{
  const struct sym_found_site *left = a, *right = b;
  return (left->pc > right->pc) - (left->pc < right->pc);
}

/* Puts the sites in order, each once. */
static void settle(struct base_vector *sites)
{
  struct sym_found_site *all = sites->data;
  uint32_t kept = 0;
  if (sites->count)
    qsort(all, sites->count, sizeof *all, compare);
  for (uint32_t i = 0; i < sites->count; i++)
    if (kept == 0 || all[kept - 1].pc != all[i].pc)
      all[kept++] = all[i];
  sites->count = kept;
}

int sym_sites_find(const struct sym_hook *hook, struct base_vector *sites)
{
  *sites = (struct base_vector)BASE_VECTOR_OF(struct sym_found_site);
  if (hook->targets.count == 0 && hook->slots.count == 0)
    return 0;
  int error = 0;
  for (uint32_t i = 0; !error && i < hook->sections.count; i++) {
    const struct sym_code_bytes *section = base_vector_at(&hook->sections, i);
    error = scan(hook, section, sites);
    if (!error && hook->processor == &sym_x86_64)
      error = sym_far_calls_find(hook, section, sites);
  }
  settle(sites);
  return error;
}

/* What a call of `address` comes to: of a stub, what it jumps to. */
static uint64_t behind_stub(const struct sym_hook *hook, uint64_t address)
{
  const struct sym_code_bytes *code = sym_hook_code_at(hook, address);
  struct sym_code_way way;
  if (!code || !hook->processor->stub_at(code, (size_t)(address - code->address), &way))
    return address;
  const struct sym_hook_slot *slot = sym_hook_slot_at(hook, way.slot);
  return slot ? slot->value : address;
}

uint64_t sym_call_target(const struct sym_hook *hook, uint64_t pc)
{
  const struct sym_code_bytes *code = sym_hook_code_at(hook, pc - 1);
  struct sym_code_way way;
  for (unsigned reading = 0; code && hook->processor->call_before(code, (size_t)(pc - code->address), reading, &way);
       reading++) {
    const struct sym_hook_slot *slot = way.slot ? sym_hook_slot_at(hook, way.slot) : NULL;
    if (slot)
      return slot->value;
    if (way.target)
      return behind_stub(hook, way.target);
  }
  return 0;
}
