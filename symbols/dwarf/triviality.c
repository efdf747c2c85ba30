/*
 * Looks through the members of a C++ class for what makes its copies more than bytes.
 */
#include "symbols/dwarf/triviality.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/die.h"

enum { DEPTH_MAX = 32, IN_CLASS = 1 /* DW_DEFAULTED_in_class */ };

static enum sym_triviality copy_of(Dwarf_Die *type, unsigned depth);

static bool has(Dwarf_Die *die, unsigned flag)
{
  return dwarf_hasattr_integrate(die, flag) != 0;
}

/* Whether the first parameter after `this` is a reference to the class. */
static bool takes_itself(Dwarf_Die *method, const Dwarf_Die *class)
{
  Dwarf_Die child, type, target;
  if (dwarf_child(method, &child) != 0)
    return false;
  do {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter || has(&child, DW_AT_artificial))
      continue;
    if (!sym_type_of(&child, &type) || !sym_type_strip(&type))
      return false;
    int tag = dwarf_tag(&type);
    return (tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) && sym_type_of(&type, &target) &&
           sym_type_strip(&target) && target.addr == class->addr;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/* What a member function says. The compiler's own follow from the members; deleted ones leave others to do it, which is
 * not followed. */
static enum sym_triviality copy_by_method(Dwarf_Die *method, const Dwarf_Die *class, const char *class_name)
{
  const char *name = dwarf_diename(method);
  Dwarf_Attribute attribute;
  Dwarf_Word defaulted = 0;
  if (has(method, DW_AT_virtuality))
    return SYM_COPY_BY_CODE;
  if (!name || has(method, DW_AT_artificial))
    return SYM_COPY_TRIVIAL;
  bool is_destructor = name[0] == '~';
  bool is_constructor = class_name && strcmp(name, class_name) == 0 && takes_itself(method, class);
  if (!is_destructor && !is_constructor)
    return SYM_COPY_TRIVIAL;
  if (has(method, DW_AT_deleted))
    return SYM_COPY_UNKNOWN;
  if (dwarf_attr_integrate(method, DW_AT_defaulted, &attribute) && dwarf_formudata(&attribute, &defaulted) == 0 &&
      defaulted == IN_CLASS)
    return SYM_COPY_TRIVIAL;
  return SYM_COPY_BY_CODE;
}

/* What the type of a base or member says, of an array that of its elements. */
static enum sym_triviality copy_by_part(Dwarf_Die *part, unsigned depth)
{
  Dwarf_Die type, element;
  if (has(part, DW_AT_virtuality))
    return SYM_COPY_BY_CODE;
  if (!sym_type_of(part, &type) || !sym_type_strip(&type))
    return SYM_COPY_UNKNOWN;
  for (unsigned i = 0; i < DEPTH_MAX && dwarf_tag(&type) == DW_TAG_array_type; i++) {
    if (!sym_type_of(&type, &element) || !sym_type_strip(&element))
      return SYM_COPY_UNKNOWN;
    type = element;
  }
  return copy_of(&type, depth + 1);
}

static enum sym_triviality copy_of(Dwarf_Die *type, unsigned depth)
{
  int tag = dwarf_tag(type);
  Dwarf_Die child;
  enum sym_triviality all = SYM_COPY_TRIVIAL;
  if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type)
    return SYM_COPY_TRIVIAL;
  if (depth > DEPTH_MAX || has(type, DW_AT_declaration))
    return SYM_COPY_UNKNOWN;
  /* A template's constructors are called without its arguments. */
  const char *whole = dwarf_diename(type);
  char *name = whole ? strndup(whole, strcspn(whole, "<")) : NULL;
  if (whole && !name)
    return SYM_COPY_UNKNOWN;
  for (int more = dwarf_child(type, &child); more == 0 && all != SYM_COPY_BY_CODE;
       more = dwarf_siblingof(&child, &child)) {
    enum sym_triviality one = SYM_COPY_TRIVIAL;
    tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram)
      one = copy_by_method(&child, type, name);
    else if (tag == DW_TAG_inheritance || (tag == DW_TAG_member && !has(&child, DW_AT_external)))
      one = copy_by_part(&child, depth);
    if (one != SYM_COPY_TRIVIAL)
      all = one;
  }
  free(name);
  return all;
}

enum sym_triviality sym_copy_of(Dwarf_Die *type)
{
  return copy_of(type, 0);
}
