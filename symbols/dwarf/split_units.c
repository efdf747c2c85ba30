/*
 * Goes over units, opens what of them lies in files of their own, and looks for those that are skeletons of nothing.
 */
#include "symbols/dwarf/split_units.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *text_of(Dwarf_Die *die, unsigned name)
{
  Dwarf_Attribute attribute;
  return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Where the compiler wrote the file of a skeleton, from malloc(); NULL where it does not say. */
static char *path_of(Dwarf_Die *skeleton)
{
  const char *folder = text_of(skeleton, DW_AT_comp_dir), *name = text_of(skeleton, DW_AT_dwo_name);
  char *path;
  if (!name)
    name = text_of(skeleton, DW_AT_GNU_dwo_name);
  if (!name)
    return NULL;
  if (name[0] == '/' || !folder)
    return strdup(name);
  return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Whether something stands in the file's place that libdw would wait for: a FIFO that nobody writes to. */
static bool is_no_file(Dwarf_Die *skeleton)
{
  struct stat facts;
  char *path = path_of(skeleton);
  const bool is_other = path && stat(path, &facts) == 0 && !S_ISREG(facts.st_mode);
  free(path);
  return is_other;
}

bool sym_unit_next(Dwarf *dwarf, struct sym_unit *unit)
{
  uint8_t type;
  Dwarf_Die split;
  if (!dwarf || dwarf_get_units(dwarf, unit->cu, &unit->cu, NULL, &type, &unit->die, NULL) != 0)
    return false;
  unit->content = unit->die;
  unit->is_lacking = type == DW_UT_skeleton;
  if (unit->is_lacking && !is_no_file(&unit->die) &&
      dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && dwarf_tag(&split) != DW_TAG_invalid) {
    unit->content = split;
    unit->is_lacking = false;
  }
  return true;
}

unsigned sym_split_units_missing(Dwarf *dwarf, char **path)
{
  struct sym_unit unit = {0};
  unsigned missing = 0;
  if (path)
    *path = NULL;
  while (sym_unit_next(dwarf, &unit))
    if (unit.is_lacking && missing++ == 0 && path)
      *path = path_of(&unit.die);
  return missing;
}
