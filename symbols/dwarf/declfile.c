/*
 * Finds the source file that declares something.
 */
#include "symbols/dwarf/declfile.h"

#include <dwarf.h>

static const char *file_of(Dwarf_Attribute *attribute)
{
  Dwarf_Word number;
  Dwarf_Die unit;
  Dwarf_Files *files;
  size_t count;
  if (!attribute || dwarf_formudata(attribute, &number) != 0)
    return NULL;
  if (!dwarf_cu_die(attribute->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
      dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count)
    return NULL;
  return dwarf_filesrc(files, number, NULL, NULL);
}

const char *sym_decl_file(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  return file_of(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute));
}

const char *sym_call_file(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  return file_of(dwarf_attr(die, DW_AT_call_file, &attribute));
}
