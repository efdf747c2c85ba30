/*
 * Finds the probe sites of a module by scanning its code for calls of the hook.
 */
#include "symbols/sites/sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/sites/far_calls.h"

enum {
  DIRECT_SIZE = 5, /* e8 rel32 */
  SLOT_SIZE = 6    /* ff 15 rel32 */
};

/* The size of the call of the hook at `at`, or 0. */
static size_t hook_call(const struct sym_hook *hook, const struct sym_code_section *section, size_t at, bool *is_lazy)
{
  const uint8_t *bytes = section->bytes + at;
  size_t left = section->size - at;
  if (left >= DIRECT_SIZE && bytes[0] == 0xe8) {
    const struct sym_hook_target *target = sym_hook_target_at(hook, sym_code_target(section, at + 1));
    *is_lazy = target && target->is_lazy;
    return target ? DIRECT_SIZE : 0;
  }
  if (left >= SLOT_SIZE && bytes[0] == 0xff && bytes[1] == 0x15) {
    const struct sym_hook_slot *slot = sym_hook_slot_at(hook, sym_code_target(section, at + 2));
    *is_lazy = slot && slot->is_lazy;
    return slot && slot->is_hook ? SLOT_SIZE : 0;
  }
  return 0;
}

static int scan(const struct sym_hook *hook, const struct sym_code_section *section, struct base_vector *sites)
{
  for (size_t at = 0; at < section->size; at++) {
    bool is_lazy;
    if (section->bytes[at] != 0xe8 && section->bytes[at] != 0xff)
      continue;
    size_t size = hook_call(hook, section, at, &is_lazy);
    if (size == 0)
      continue;
    struct sym_found_site *site = base_vector_add(sites, 1);
    if (!site)
      return -ENOMEM;
    *site =
        (struct sym_found_site){.pc = section->address + at + size, .call = section->address + at, .is_lazy = is_lazy};
    at += size - 1;
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
    const struct sym_code_section *section = base_vector_at(&hook->sections, i);
    error = scan(hook, section, sites);
    if (!error)
      error = sym_far_calls_find(hook, section, sites);
  }
  settle(sites);
  return error;
}

/* The slot that a stub at `address` jumps through, or NULL when there is no stub. */
static const struct sym_hook_slot *stub_slot(const struct sym_hook *hook, uint64_t address)
{
  static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  const struct sym_code_section *section = sym_hook_code_at(hook, address);
  if (!section)
    return NULL;
  size_t at = (size_t)(address - section->address), left = section->size - at;
  if (left >= 4 && memcmp(section->bytes + at, endbr64, sizeof endbr64) == 0) {
    at += 4;
    left -= 4;
  }
  if (left >= 1 && section->bytes[at] == 0xf2) {
    at++;
    left--;
  }
  bool is_jump = left >= SLOT_SIZE && section->bytes[at] == 0xff && section->bytes[at + 1] == 0x25;
  return is_jump ? sym_hook_slot_at(hook, sym_code_target(section, at + 2)) : NULL;
}

uint64_t sym_call_target(const struct sym_hook *hook, uint64_t pc)
{
  const struct sym_code_section *section = sym_hook_code_at(hook, pc - 1);
  if (!section)
    return 0;
  size_t end = (size_t)(pc - section->address);
  if (end >= SLOT_SIZE && section->bytes[end - SLOT_SIZE] == 0xff && section->bytes[end - SLOT_SIZE + 1] == 0x15) {
    const struct sym_hook_slot *slot = sym_hook_slot_at(hook, sym_code_target(section, end - 4));
    if (slot)
      return slot->value;
  }
  if (end < DIRECT_SIZE || section->bytes[end - DIRECT_SIZE] != 0xe8)
    return 0;
  uint64_t target = sym_code_target(section, end - 4);
  const struct sym_hook_slot *slot = stub_slot(hook, target);
  return slot ? slot->value : target;
}
