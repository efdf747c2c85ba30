/*
 * Finds the source file that declares something.
 */
#include "symbols/dwarf/declfile.h"

#include <dwarf.h>

const char *sym_decl_file(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  Dwarf_Word number;
  Dwarf_Die unit;
  Dwarf_Files *files;
  size_t count;
  if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &number) != 0)
    return NULL;
  if (!dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
      dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count)
    return NULL;
  return dwarf_filesrc(files, number, NULL, NULL);
}
