/*
 * Looks for the units that are skeletons of nothing.
 */
#include "symbols/dwarf/split_units.h"

#include <dwarf.h>

unsigned sym_split_units_missing(Dwarf *dwarf, const char **name)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  Dwarf_Attribute attribute;
  uint8_t type;
  unsigned missing = 0;
  *name = NULL;
  while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
    if (type != DW_UT_skeleton || dwarf_tag(&split) != DW_TAG_invalid)
      continue;
    if (missing++ == 0 &&
        (dwarf_attr(&die, DW_AT_dwo_name, &attribute) || dwarf_attr(&die, DW_AT_GNU_dwo_name, &attribute)))
      *name = dwarf_formstring(&attribute);
  }
  return missing;
}
