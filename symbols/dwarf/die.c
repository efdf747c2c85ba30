/*
 * Questions that one debugging information entry answers by itself: its type, its root, its language.
 */
#include "symbols/dwarf/die.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/base/mangled_name.h"

enum {
  CHAIN_MAX = 64,  /* longer chains of typedefs and qualifiers than this are not source code but a corrupt file */
  ORIGINS_MAX = 16 /* abstract origins that lead from an instance to its root */
};

void sym_die_root(Dwarf_Die *die, Dwarf_Die *root)
{
  *root = *die;
  for (int i = 0; i < ORIGINS_MAX; i++) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (!dwarf_attr(root, DW_AT_abstract_origin, &attribute) || !dwarf_formref_die(&attribute, &origin))
      return;
    *root = origin;
  }
}

const char *sym_die_linkage_name(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) &&
      !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
    return NULL;
  return dwarf_formstring(&attribute);
}

bool sym_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

void sym_type_complete(Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  Dwarf_Die definition;
  if (dwarf_attr(type, DW_AT_declaration, &attribute) && dwarf_attr(type, DW_AT_signature, &attribute) &&
      dwarf_formref_die(&attribute, &definition))
    *type = definition;
}

bool sym_type_is_qualifier(int tag)
{
  switch (tag) {
  case DW_TAG_const_type:
  case DW_TAG_volatile_type:
  case DW_TAG_restrict_type:
  case DW_TAG_atomic_type:
  case DW_TAG_packed_type:
  case DW_TAG_shared_type:
  case DW_TAG_immutable_type:
    return true;
  default:
    return false;
  }
}

bool sym_type_strip(Dwarf_Die *type)
{
  for (int i = 0; i < CHAIN_MAX; i++) {
    int tag = dwarf_tag(type);
    if (tag == DW_TAG_invalid)
      return false;
    if (tag != DW_TAG_typedef && tag != DW_TAG_template_alias && !sym_type_is_qualifier(tag)) {
      sym_type_complete(type);
      return true;
    }
    Dwarf_Die next;
    if (!sym_type_of(type, &next))
      return false;
    *type = next;
  }
  return false;
}

uint32_t sym_type_size(Dwarf_Die *type)
{
  Dwarf_Die copy = *type;
  Dwarf_Word size;
  if (!sym_type_strip(&copy))
    return 0;
  int tag = dwarf_tag(&copy);
  if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
    return 8;
  return dwarf_aggregate_size(&copy, &size) == 0 && size <= UINT32_MAX ? (uint32_t)size : 0;
}

bool sym_die_is_cxx(Dwarf_Die *die)
{
  Dwarf_Die unit;
  if (!dwarf_diecu(die, &unit, NULL, NULL))
    return false;
  switch (dwarf_srclang(&unit)) {
  case DW_LANG_C_plus_plus:
  case DW_LANG_C_plus_plus_03:
  case DW_LANG_C_plus_plus_11:
  case DW_LANG_C_plus_plus_14:
  case 0x2a: /* DW_LANG_C_plus_plus_17, of DWARF 6 */
  case 0x2b: /* DW_LANG_C_plus_plus_20 */
  case DW_LANG_ObjC_plus_plus:
  case DW_LANG_Rust:
  case DW_LANG_D:
    return true;
  default:
    return false;
  }
}

bool sym_die_is_fortran(Dwarf_Die *die)
{
  Dwarf_Die unit;
  if (!dwarf_diecu(die, &unit, NULL, NULL))
    return false;
  switch (dwarf_srclang(&unit)) {
  case DW_LANG_Fortran77:
  case DW_LANG_Fortran90:
  case DW_LANG_Fortran95:
  case DW_LANG_Fortran03:
  case DW_LANG_Fortran08:
  case 0x2d: /* DW_LANG_Fortran18, of DWARF 6 */
    return true;
  default:
    return false;
  }
}

/* What compiled the unit of `die`; "" unknown. */
static const char *producer_of(Dwarf_Die *die)
{
  Dwarf_Die unit;
  Dwarf_Attribute attribute;
  if (!dwarf_diecu(die, &unit, NULL, NULL) || !dwarf_attr_integrate(&unit, DW_AT_producer, &attribute))
    return "";
  const char *producer = dwarf_formstring(&attribute);
  return producer ? producer : "";
}

bool sym_die_is_gnu(Dwarf_Die *die)
{
  return strncmp(producer_of(die), "GNU ", 4) == 0;
}

/* Is the last level of debug information that gcc was given the first? -g alone is the second. */
static bool is_of_level_one(const char *producer)
{
  bool is_one = false;
  for (const char *at = strstr(producer, " -g"); at; at = strstr(at + 1, " -g")) {
    const char *level = at + strlen(" -g");
    if (strncmp(level, "gdb", strlen("gdb")) == 0)
      level += strlen("gdb");
    const bool is_digit = *level >= '0' && *level <= '3';
    if (level[is_digit] == ' ' || level[is_digit] == '\0')
      is_one = *level == '1';
  }
  return is_one;
}

bool sym_die_lacks_parameters(Dwarf_Die *function)
{
  Dwarf_Attribute attribute;
  Dwarf_Die child;
  const char *producer = producer_of(function);
  if (strncmp(producer, "GNU ", 4) != 0 || !is_of_level_one(producer) ||
      dwarf_attr_integrate(function, DW_AT_prototyped, &attribute) ||
      dwarf_attr_integrate(function, DW_AT_type, &attribute))
    return false;
  int next = dwarf_child(function, &child);
  while (next == 0 && dwarf_tag(&child) != DW_TAG_formal_parameter)
    next = dwarf_siblingof(&child, &child);
  return next != 0;
}

bool sym_die_is_thunk(Dwarf_Die *function)
{
  const char *symbol =
      dwarf_tag(function) == DW_TAG_subprogram && !dwarf_diename(function) ? sym_die_linkage_name(function) : NULL;
  return symbol && sym_name_is_thunk(symbol);
}

bool sym_die_is_clang(Dwarf_Die *die)
{
  Dwarf_Die unit;
  if (!strstr(producer_of(die), "clang version ") || !dwarf_diecu(die, &unit, NULL, NULL))
    return false;
  switch (dwarf_srclang(&unit)) {
  case DW_LANG_C:
  case DW_LANG_C89:
  case DW_LANG_C99:
  case DW_LANG_C11:
  case DW_LANG_ObjC:
    return true;
  default:
    return sym_die_is_cxx(die);
  }
}

Dwarf_Word sym_die_convention(Dwarf_Die *subprogram)
{
  Dwarf_Attribute attribute;
  Dwarf_Word convention = DW_CC_normal;
  if (dwarf_attr_integrate(subprogram, DW_AT_calling_convention, &attribute))
    dwarf_formudata(&attribute, &convention);
  return convention;
}

bool sym_die_tells_calls(Dwarf_Die *subprogram)
{
  Dwarf_Attribute attribute;
  Dwarf_Half version = 0;
  dwarf_cu_info(subprogram->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
  return version < 4 || dwarf_attr_integrate(subprogram, DW_AT_call_all_calls, &attribute) ||
         dwarf_attr_integrate(subprogram, DW_AT_GNU_all_call_sites, &attribute);
}

bool sym_die_tracks_arguments(Dwarf_Die *die)
{
  const char *producer = producer_of(die);
  return strncmp(producer, "GNU ", 4) == 0 && strncmp(producer, "GNU GIMPLE", 10) != 0 &&
         !strstr(producer, " -fno-var-tracking");
}

bool sym_die_marks_changes(Dwarf_Die *die)
{
  const char *version = strstr(producer_of(die), "clang version ");
  return version && strtoul(version + strlen("clang version "), NULL, 10) >= 16;
}

bool sym_die_tracks_entry(Dwarf_Die *die)
{
  static const char option[] = " -fno-var-tracking";
  const char *producer = producer_of(die), *found = strstr(producer, option);
  return (!found || found[sizeof option - 1] == '-') && !strstr(producer, " -gno-variable-location-views");
}
