#include "fuzz_view.h"

#include "index.h"

uint64_t fuzz_view(const void *data, size_t size)
{
  struct cs_view view;
  uint64_t sum = 0;
  if (cs_view_check(&view, data, size) != 0)
    return 0;
  for (uint32_t i = 0; i < view.count[CS_SECTION_SITES]; i++) {
    const struct cs_index_site *site = &view.sites[i];
    const struct cs_index_function *function = &view.functions[site->function];
    for (uint32_t k = 0; k < site->op_count; k++)
      sum += (uint64_t)view.ops[site->first_op + k].imm;
    for (uint32_t k = 0; k < function->state_words; k++)
      sum += view.states[site->first_state + k];
    for (uint32_t k = 0; k < function->arg_count; k++)
      sum += view.types[view.args[function->first_arg + k].type].size;
    for (uint32_t k = 0; k < site->saved_count; k++)
      sum += (uint64_t)view.saved[site->first_saved + k].cfa_offset;
    if (site->physical != CS_NONE)
      sum += view.physicals[site->physical].low;
  }
  for (uint32_t i = 0; i < view.count[CS_SECTION_CALL_SITES]; i++)
    for (uint32_t k = 0; k < view.call_sites[i].value_count; k++)
      sum += (uint64_t)view.call_values[view.call_sites[i].first_value + k].imm;
  return sum;
}
