#include "symbols/verify/evaluate.h"

enum { RETURN_ADDRESS_SIZE = 8 };

static bool fde_at(const struct vf_place *place, Dwarf_Fde *fde)
{
  Dwarf_Addr low, high;
  return place->module->fde_count &&
         dwarf_get_fde_at_pc(place->module->fdes, place->pc - 1, fde, &low, &high, VF_ERROR) == DW_DLV_OK;
}

bool vf_frame_cfa(const struct vf_place *place, uint64_t *cfa)
{
  Dwarf_Fde fde;
  Dwarf_Small type;
  Dwarf_Signed has_offset, reg, offset;
  Dwarf_Ptr block;
  Dwarf_Addr row, next;
  Dwarf_Bool more;
  if (!fde_at(place, &fde) || dwarf_get_fde_info_for_cfa_reg3_b(fde, place->pc - 1, &type, &has_offset, &reg, &offset,
                                                                &block, &row, &more, &next, VF_ERROR) != DW_DLV_OK)
    return false;
  if (type == DW_EXPR_EXPRESSION || type == DW_EXPR_VAL_EXPRESSION)
    return vf_evaluate_block(place, block, (uint64_t)offset, NULL, cfa);
  if (reg < 0 || reg >= VF_REGISTERS)
    return false;
  *cfa = place->machine->registers[reg] + (uint64_t)(has_offset ? offset : 0);
  return true;
}

bool vf_frame_entry(const struct vf_place *place, unsigned reg, uint64_t *value)
{
  Dwarf_Fde fde;
  Dwarf_Small type;
  Dwarf_Signed has_offset, source, offset;
  Dwarf_Ptr block;
  Dwarf_Addr row;
  uint64_t cfa;
  bool is_saved_by_callee = reg == 3 || reg == 6 || (reg >= 12 && reg <= 15);
  if (reg == VF_RSP) {
    if (!vf_frame_cfa(place, &cfa))
      return false;
    *value = cfa - RETURN_ADDRESS_SIZE;
    return true;
  }
  if (!is_saved_by_callee || !fde_at(place, &fde) ||
      dwarf_get_fde_info_for_reg3(fde, (Dwarf_Half)reg, place->pc - 1, &type, &has_offset, &source, &offset, &block,
                                  &row, VF_ERROR) != DW_DLV_OK)
    return false;
  if (source == DW_FRAME_SAME_VAL) {
    *value = place->machine->registers[reg];
    return true;
  }
  if (type != DW_EXPR_OFFSET || !has_offset || !vf_frame_cfa(place, &cfa))
    return false;
  *value = vf_machine_load(place->machine, cfa + (uint64_t)offset, 8);
  return true;
}
