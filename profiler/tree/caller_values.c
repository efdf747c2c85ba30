/*
 * What the caller of a function says that it passed: found by the address that the function returns to.
 */
#include "profiler/tree/caller_values.h"

#include "profiler/arch/registers.h"
#include "profiler/module/module_find.h"
#include "profiler/tree/capture_arithmetic.h"

bool prof_capture_return_offset(const struct prof_site *site, int32_t *offset)
{
  const struct fmt_index_saved *saved =
      PROF_LINK < PROF_REGISTERS && site->index_site ? prof_capture_saved(site, PROF_LINK) : NULL;
  *offset = saved ? saved->cfa_offset : PROF_RETURN_OFFSET;
  return saved || PROF_LINK >= PROF_REGISTERS;
}

uintptr_t prof_capture_return(const struct prof_site *site, uintptr_t cfa, uintptr_t stack)
{
  uint64_t pc = 0;
  int32_t offset;
  if (!cfa || site->cfa_kind == FMT_CFA_UNKNOWN || !prof_capture_return_offset(site, &offset) ||
      prof_read_frame(&pc, stack, cfa + (uintptr_t)(intptr_t)offset, 8) < 0)
    return 0;
  return pc >= site->module->start && pc < site->module->end ? pc : 0;
}

const struct fmt_index_call_value *prof_capture_passed(const struct prof_site *site, uintptr_t return_pc, uint8_t reg)
{
  const struct prof_module *module = site->module;
  const struct fmt_index_call_site *call = return_pc ? prof_module_call_site(module, return_pc) : NULL;
  /* After a tail call the return address is that of another call. */
  if (!call || call->physical != site->index_site->physical)
    return NULL;
  const struct fmt_index_call_value *values = module->index.call_values + call->first_value;
  for (unsigned i = 0; i < call->value_count; i++)
    if (values[i].reg == reg)
      return &values[i];
  return NULL;
}

const struct fmt_index_saved *prof_capture_saved(const struct prof_site *site, uint8_t reg)
{
  const struct fmt_index_saved *saved = site->module->index.saved + site->index_site->first_saved;
  for (unsigned i = 0; i < site->index_site->saved_count; i++)
    if (saved[i].reg == reg)
      return &saved[i];
  return NULL;
}
