/*
 * Decodes DWARF expressions and location lists with libdwarf.
 */
#include "symbols/verify/expressions.h"

#include <string.h>

#include "symbols/verify/die.h"

bool vf_list_open(Dwarf_Die die, Dwarf_Half name, struct vf_list *list)
{
  Dwarf_Attribute attribute;
  *list = (struct vf_list){.die = die};
  if (!vf_attribute(die, name, &attribute))
    return false;
  bool opened = dwarf_get_loclist_c(attribute, &list->head, &list->count, VF_ERROR) == DW_DLV_OK;
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
                                      &raw[2], &offset, VF_ERROR) != DW_DLV_OK)
      return false;
    op->atom = atom;
    op->offset = offset;
    for (int k = 0; k < 3; k++)
      op->operands[k] = operands[k];
    expression->count++;
  }
  return true;
}

/* An entry of a location list. */
struct entry {
  Dwarf_Small kind, source; /* DW_LLE_*; DW_LKIND_* */
  Dwarf_Addr low, high;
  bool is_unknown; /* its addresses cannot be told */
  Dwarf_Locdesc_c description;
  Dwarf_Unsigned count;
};

/* libdwarf does not find every address of a .dwo file while it reads a list; asked for the address alone, it does. */
static bool look_up(const struct vf_list *list, Dwarf_Unsigned raw_low, Dwarf_Unsigned raw_high, struct entry *entry)
{
  if (!list->die || entry->source != DW_LKIND_loclists ||
      (entry->kind != DW_LLE_startx_length && entry->kind != DW_LLE_startx_endx))
    return false;
  if (dwarf_debug_addr_index_to_addr(list->die, raw_low, &entry->low, VF_ERROR) != DW_DLV_OK)
    return false;
  entry->high = entry->low + raw_high;
  return entry->kind == DW_LLE_startx_length ||
         dwarf_debug_addr_index_to_addr(list->die, raw_high, &entry->high, VF_ERROR) == DW_DLV_OK;
}

static bool read_entry(const struct vf_list *list, Dwarf_Unsigned number, struct entry *entry)
{
  Dwarf_Unsigned raw_low, raw_high, expression_offset, description_offset;
  Dwarf_Bool unavailable;
  if (dwarf_get_locdesc_entry_d(list->head, number, &entry->kind, &raw_low, &raw_high, &unavailable, &entry->low,
                                &entry->high, &entry->count, &entry->description, &entry->source, &expression_offset,
                                &description_offset, VF_ERROR) != DW_DLV_OK)
    return false;
  entry->is_unknown = unavailable && !look_up(list, raw_low, raw_high, entry);
  return true;
}

static bool is_default(const struct entry *entry)
{
  return entry->source == DW_LKIND_loclists && entry->kind == DW_LLE_default_location;
}

/* Whether the entry of a list has a description that holds for addresses which libdwarf can tell. */
static bool is_range(const struct entry *entry)
{
  bool is_list_end =
      entry->source == DW_LKIND_loclists &&
      (entry->kind == DW_LLE_base_address || entry->kind == DW_LLE_base_addressx || entry->kind == DW_LLE_end_of_list);
  return entry->source != DW_LKIND_expression && !is_list_end && !entry->is_unknown;
}

static bool holds_at(const struct entry *entry, uint64_t pc)
{
  return entry->source == DW_LKIND_expression || (is_range(entry) && entry->low <= pc && pc < entry->high);
}

bool vf_list_at(const struct vf_list *list, uint64_t pc, size_t number, struct vf_expression *expression)
{
  size_t found = 0;
  struct entry entry, fallback = {0};
  for (Dwarf_Unsigned i = 0; i < list->count; i++) {
    if (!read_entry(list, i, &entry))
      return false;
    if (is_default(&entry))
      fallback = entry;
    else if (holds_at(&entry, pc) && found++ == number) {
      expression->low = entry.low;
      return decode(entry.description, entry.count, expression);
    }
  }
  return found == 0 && number == 0 && fallback.description && decode(fallback.description, fallback.count, expression);
}

bool vf_list_empty_in(const struct vf_list *list, uint64_t low, uint64_t high, struct vf_expression *expression)
{
  struct entry entry;
  for (Dwarf_Unsigned i = 0; i < list->count && read_entry(list, i, &entry); i++)
    if (is_range(&entry) && entry.low == entry.high && low <= entry.low && entry.low <= high)
      return decode(entry.description, entry.count, expression);
  return false;
}

bool vf_list_after(const struct vf_list *list, uint64_t pc, struct vf_expression *expression)
{
  struct entry entry, next = {.low = UINT64_MAX};
  for (Dwarf_Unsigned i = 0; i < list->count; i++) {
    if (!read_entry(list, i, &entry))
      return false;
    bool is_ranged = entry.source != DW_LKIND_expression && !entry.is_unknown && entry.low < entry.high;
    if (is_ranged && entry.low > pc && entry.low < next.low)
      next = entry;
  }
  expression->low = next.low;
  return next.low != UINT64_MAX && decode(next.description, next.count, expression);
}

bool vf_list_is_single(const struct vf_list *list)
{
  struct entry entry;
  return list->count == 1 && read_entry(list, 0, &entry) && entry.source == DW_LKIND_expression;
}

bool vf_list_is_incomplete(const struct vf_list *list)
{
  struct entry entry;
  for (Dwarf_Unsigned i = 0; i < list->count; i++)
    if (!read_entry(list, i, &entry) || entry.is_unknown)
      return true;
  return false;
}

bool vf_list_of_block(Dwarf_Debug dbg, Dwarf_Die near, const void *block, uint64_t length, struct vf_list *list,
                      struct vf_expression *expression)
{
  Dwarf_Half version = 4, offset_size = 4;
  memset(list, 0, sizeof *list);
  if (near)
    dwarf_get_version_of_die(near, &version, &offset_size);
  if (dwarf_loclist_from_expr_c(dbg, (Dwarf_Ptr)(uintptr_t)block, length, 8, offset_size, (Dwarf_Small)version,
                                &list->head, &list->count, VF_ERROR) != DW_DLV_OK)
    return false;
  return vf_list_at(list, 0, 0, expression);
}
