#include "sites.h"

#include <errno.h>
#include <string.h>

enum {
  RDI = 7,            /* the number of rdi in an instruction */
  DIRECT_SIZE = 5,    /* e8 rel32 */
  SLOT_SIZE = 6,      /* ff 15 rel32 */
  ARGUMENT_REACH = 64 /* bytes before the call in which rdi is set */
};

/* The size of the call of the hook at `at`, or 0. */
static size_t hook_call(const struct cs_hook *hook, const struct cs_code_section *section, size_t at, bool *is_lazy)
{
  const uint8_t *bytes = section->bytes + at;
  size_t left = section->size - at;
  if (left >= DIRECT_SIZE && bytes[0] == 0xe8) {
    const struct cs_hook_target *target = cs_hook_target_at(hook, cs_code_target(section, at + 1));
    *is_lazy = target && target->is_lazy;
    return target ? DIRECT_SIZE : 0;
  }
  if (left >= SLOT_SIZE && bytes[0] == 0xff && bytes[1] == 0x15) {
    const struct cs_hook_slot *slot = cs_hook_slot_at(hook, cs_code_target(section, at + 2));
    *is_lazy = slot && slot->is_lazy;
    return slot && slot->is_hook ? SLOT_SIZE : 0;
  }
  return 0;
}

static int scan(const struct cs_hook *hook, const struct cs_code_section *section, struct cs_vector *sites)
{
  for (size_t at = 0; at < section->size; at++) {
    bool is_lazy;
    if (section->bytes[at] != 0xe8 && section->bytes[at] != 0xff)
      continue;
    size_t size = hook_call(hook, section, at, &is_lazy);
    if (size == 0)
      continue;
    struct cs_found_site *site = cs_vector_add(sites, 1);
    if (!site)
      return -ENOMEM;
    *site =
        (struct cs_found_site){.pc = section->address + at + size, .call = section->address + at, .is_lazy = is_lazy};
    at += size - 1;
  }
  return 0;
}

int cs_sites_find(const struct cs_hook *hook, struct cs_vector *sites)
{
  *sites = (struct cs_vector)CS_VECTOR_OF(struct cs_found_site);
  if (hook->targets.count == 0 && hook->slots.count == 0)
    return 0;
  int error = 0;
  for (uint32_t i = 0; !error && i < hook->sections.count; i++)
    error = scan(hook, cs_vector_at(&hook->sections, i), sites);
  return error;
}

/* What an instruction leaves in a register. */
struct setting {
  bool is_register; /* a copy of register `reg` */
  unsigned reg;
  uint64_t address; /* 0: not a setting that is understood */
};

/* Reads the instruction at `at`, which must end at or before `end`, as one that sets register `reg`. */
static struct setting read_setting(const struct cs_hook *hook, const struct cs_code_section *section, size_t at,
                                   size_t end, unsigned reg)
{
  const uint8_t *b = section->bytes + at;
  size_t left = end - at;
  struct setting setting = {0};
  uint8_t rex_reg = (uint8_t)(reg >= 8 ? 0x4c : 0x48); /* REX.W, with the register in ModRM.reg */
  uint8_t rip_modrm = (uint8_t)(0x05 | (reg & 7) << 3);
  if (left >= 7 && b[0] == rex_reg && b[2] == rip_modrm && b[1] == 0x8d) {
    setting.address = cs_code_target(section, at + 3);
  } else if (left >= 7 && b[0] == rex_reg && b[2] == rip_modrm && b[1] == 0x8b) {
    const struct cs_hook_slot *slot = cs_hook_slot_at(hook, cs_code_target(section, at + 3));
    setting.address = slot ? slot->value : 0;
  } else if (left >= 7 && b[0] == (reg >= 8 ? 0x49 : 0x48) && b[1] == 0xc7 && b[2] == (0xc0 | (reg & 7))) {
    int32_t value;
    memcpy(&value, b + 3, sizeof value);
    setting.address = (uint64_t)(int64_t)value;
  } else if (reg < 8 && left >= 5 && b[0] == (0xb8 | reg) && (at == 0 || (b[-1] & 0xf0) != 0x40)) {
    uint32_t value;
    memcpy(&value, b + 1, sizeof value);
    setting.address = value;
  } else if (reg >= 8 && left >= 6 && b[0] == 0x41 && b[1] == (0xb8 | (reg & 7))) {
    uint32_t value;
    memcpy(&value, b + 2, sizeof value);
    setting.address = value;
  } else if (reg == RDI && left >= 3 && (b[0] == 0x48 || b[0] == 0x4c) && b[1] == 0x89 && (b[2] & 0xc7) == 0xc7) {
    setting.is_register = true;
    setting.reg = (unsigned)(b[2] >> 3 & 7) | (b[0] == 0x4c ? 8u : 0u);
  }
  return setting;
}

uint64_t cs_site_this_function(const struct cs_hook *hook, const struct cs_found_site *site, uint64_t low,
                               bool (*is_function)(const void *data, uint64_t address), const void *data)
{
  const struct cs_code_section *section = cs_hook_code_at(hook, site->call);
  if (!section || low < section->address || low > site->call)
    return 0;
  size_t end = (size_t)(site->call - section->address), first = (size_t)(low - section->address);
  size_t nearest = end > ARGUMENT_REACH && end - ARGUMENT_REACH > first ? end - ARGUMENT_REACH : first;
  unsigned reg = RDI;
  for (size_t at = end; at-- > nearest;) {
    struct setting setting = read_setting(hook, section, at, end, reg);
    if (setting.address && is_function(data, setting.address))
      return setting.address;
    if (setting.is_register) {
      /* From here on it is the other register's setting that counts, wherever in the function it stands. */
      reg = setting.reg;
      end = at;
      nearest = first;
    }
  }
  return 0;
}

/* The slot that a stub at `address` jumps through, or NULL when there is no stub. */
static const struct cs_hook_slot *stub_slot(const struct cs_hook *hook, uint64_t address)
{
  static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  const struct cs_code_section *section = cs_hook_code_at(hook, address);
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
  return is_jump ? cs_hook_slot_at(hook, cs_code_target(section, at + 2)) : NULL;
}

uint64_t cs_call_target(const struct cs_hook *hook, uint64_t pc)
{
  const struct cs_code_section *section = cs_hook_code_at(hook, pc - 1);
  if (!section)
    return 0;
  size_t end = (size_t)(pc - section->address);
  if (end >= SLOT_SIZE && section->bytes[end - SLOT_SIZE] == 0xff && section->bytes[end - SLOT_SIZE + 1] == 0x15) {
    const struct cs_hook_slot *slot = cs_hook_slot_at(hook, cs_code_target(section, end - 4));
    if (slot)
      return slot->value;
  }
  if (end < DIRECT_SIZE || section->bytes[end - DIRECT_SIZE] != 0xe8)
    return 0;
  uint64_t target = cs_code_target(section, end - 4);
  const struct cs_hook_slot *slot = stub_slot(hook, target);
  return slot ? slot->value : target;
}
