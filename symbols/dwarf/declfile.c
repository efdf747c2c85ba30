/*
 * Finds the source file that declares something.
 */
#include "symbols/dwarf/declfile.h"

#include <dwarf.h>

#include "symbols/dwarf/line_header.h"

static const char *file_of(Dwarf_Attribute *attribute, char path[SYM_FILE_MAX])
{
  Dwarf_Word number;
  Dwarf_Die unit;
  Dwarf_Files *files;
  size_t count;
  if (!attribute || dwarf_formudata(attribute, &number) != 0 ||
      !dwarf_cu_die(attribute->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
    return NULL;
  if (sym_line_header_file(&unit, number, path, SYM_FILE_MAX))
    return path;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count)
    return NULL;
  return dwarf_filesrc(files, number, NULL, NULL);
}

const char *sym_decl_file(Dwarf_Die *die, char path[SYM_FILE_MAX])
{
  Dwarf_Attribute attribute;
  return file_of(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), path);
}

const char *sym_call_file(Dwarf_Die *die, char path[SYM_FILE_MAX])
{
  Dwarf_Attribute attribute;
  return file_of(dwarf_attr(die, DW_AT_call_file, &attribute), path);
}
