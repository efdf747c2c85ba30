#include "expressions.h"

#include <string.h>

bool vf_list_open(Dwarf_Die die, Dwarf_Half name, struct vf_list *list)
{
  Dwarf_Attribute attribute;
  memset(list, 0, sizeof *list);
  if (!vf_attribute(die, name, &attribute))
    return false;
  bool opened = dwarf_get_loclist_c(attribute, &list->head, &list->count, NULL) == DW_DLV_OK;
  dwarf_dealloc_attribute(attribute);
  return opened;
}

void vf_list_close(struct vf_list *list)
{
  if (list->head)
    dwarf_loc_head_c_dealloc(list->head);
  list->head = NULL;
}

static bool decode(Dwarf_Locdesc_c description, Dwarf_Unsigned count, struct vf_expression *expression)
{
  if (count > VF_OPS_MAX)
    return false;
  expression->count = 0;
  for (Dwarf_Unsigned i = 0; i < count; i++) {
    struct vf_op *op = &expression->ops[i];
    Dwarf_Small atom;
    Dwarf_Unsigned operands[3] = {0}, raw[3], offset;
    if (dwarf_get_location_op_value_d(description, i, &atom, &operands[0], &operands[1], &operands[2], &raw[0], &raw[1],
                                      &raw[2], &offset, NULL) != DW_DLV_OK)
      return false;
    op->atom = atom;
    op->offset = offset;
    for (int k = 0; k < 3; k++)
      op->operands[k] = operands[k];
    expression->count++;
  }
  return true;
}

/* What kind of entry of a location list this is. */
static bool holds_at(Dwarf_Small source, Dwarf_Small entry, uint64_t low, uint64_t high, uint64_t pc, bool *is_default)
{
  *is_default = false;
  if (source == DW_LKIND_expression)
    return true;
  if (source == DW_LKIND_loclists && entry == DW_LLE_default_location) {
    *is_default = true;
    return true;
  }
  if (source == DW_LKIND_loclists &&
      (entry == DW_LLE_base_address || entry == DW_LLE_base_addressx || entry == DW_LLE_end_of_list))
    return false;
  return low <= pc && pc < high;
}

bool vf_list_at(const struct vf_list *list, uint64_t pc, size_t number, struct vf_expression *expression)
{
  size_t found = 0;
  Dwarf_Locdesc_c fallback = NULL;
  Dwarf_Unsigned fallback_count = 0;
  for (Dwarf_Unsigned i = 0; i < list->count; i++) {
    Dwarf_Small entry, source;
    Dwarf_Unsigned raw_low, raw_high, count, expression_offset, description_offset;
    Dwarf_Bool unavailable, is_default;
    Dwarf_Addr low, high;
    Dwarf_Locdesc_c description;
    bool default_entry;
    if (dwarf_get_locdesc_entry_d(list->head, i, &entry, &raw_low, &raw_high, &unavailable, &low, &high, &count,
                                  &description, &source, &expression_offset, &description_offset, NULL) != DW_DLV_OK)
      return false;
    bool holds = !unavailable && holds_at(source, entry, low, high, pc, &default_entry);
    is_default = holds && default_entry;
    if (is_default) {
      fallback = description;
      fallback_count = count;
    } else if (holds && found++ == number) {
      return decode(description, count, expression);
    }
  }
  return found == 0 && number == 0 && fallback && decode(fallback, fallback_count, expression);
}

bool vf_list_of_block(Dwarf_Debug dbg, Dwarf_Die near, const void *block, uint64_t length, struct vf_list *list,
                      struct vf_expression *expression)
{
  Dwarf_Half version = 4, offset_size = 4;
  memset(list, 0, sizeof *list);
  if (near)
    dwarf_get_version_of_die(near, &version, &offset_size);
  if (dwarf_loclist_from_expr_c(dbg, (Dwarf_Ptr)(uintptr_t)block, length, 8, offset_size, (Dwarf_Small)version,
                                &list->head, &list->count, NULL) != DW_DLV_OK)
    return false;
  return vf_list_at(list, 0, 0, expression);
}
